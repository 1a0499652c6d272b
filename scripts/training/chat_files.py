"""What the scripts that build chats have in common: their arguments, and a count of tokens."""

from __future__ import annotations

import argparse
from pathlib import Path

from tokenizers import Tokenizer

from server.llm.prompts import Count


def arguments(description: str) -> argparse.Namespace:
    """`data`: the folder of open sets; `tokenizer`: the base's; `out`: where `chat/` is made."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def counter(tokenizer: Path) -> Count:
    """How many tokens a text has."""
    read = Tokenizer.from_file(str(tokenizer))
    return lambda text: len(read.encode(text, add_special_tokens=False).ids)
