"""The language model on another machine: prompts and what goes into them, and the client that sends them."""
