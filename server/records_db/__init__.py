"""What Lodge remembers: conversations, messages, traces, tokens."""
