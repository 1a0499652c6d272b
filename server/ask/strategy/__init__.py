"""What a strategy is made of: its presets, chat modes, and how scores become one."""
