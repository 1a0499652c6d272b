"""Two runs' answers side by side, judged by people who do not know whose they are."""
