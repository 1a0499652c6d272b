"""What Lodge remembers: conversations, messages, traces, feedback, tokens."""
