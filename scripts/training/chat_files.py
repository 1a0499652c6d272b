"""What builds chats has in common: its arguments, a count of tokens, and the files that the trainer reads."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer

from server.llm.prompts import Count
from server.training.examples import ChatExample


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


def write_chats(chats: Iterable[ChatExample], file: Path) -> int:
    """A JSON line each; returns how many."""
    lines = [json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in chats]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines), encoding="utf-8")
    return len(lines)
