"""Build chats to train on: open reading sets and visitors' questions, drawn by fixed seeds.

    .venv/bin/python -m scripts.training.build_chats --data ../shared/data --out var/writer \\
        --tokenizer var/base/tokenizer.json

`examples/` has a file a source, mined once; `chat/train.jsonl` and `chat/aside.jsonl` are what the trainer
reads. The latter are questions over pages that are kept aside (`is_kept_aside`).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from scripts.training.chat_files import arguments, counter
from scripts.training.reading_sets import reading_examples
from scripts.training.visitors import visitor_examples
from server.llm.prompts import NO_ANSWER, Count, Scene
from server.settings import Settings
from server.training.examples import (
    ChatExample,
    WriterExample,
    as_chat,
    read_examples,
    write_chat_file,
    write_examples,
)

SITES = {
    "quennell": ("Quennell University", 1600),
    "tamsettferry": ("Tamsett Ferry Community College", 900),
    "marrowby": ("Marrowby State University", 700),
    "ostrander": ("Ostrander School of Computing", 900),
    "wendham": ("Wendham University", 900),
    "handbook": ("18F", 400),
}
SETS = {"squad-train": 600, "tydiqa-en": 300}
ASIDE = {"quennell": 90, "tamsettferry": 90}
ROOM = 300  # tokens of a prompt
# For a hundred that are answered; with 16 it declined two of three that are (docs/training.md).
MOST_NOT_SAID = 0
DAY, TERM = date(2026, 11, 23), "Fall 2026"


def main() -> None:
    """Mine what is not there yet, and write the chats."""
    args = arguments(__doc__ or "")
    files = mined(args.data, args.out)
    count = counter(args.tokenizer)
    learnt = [chat for file in sorted(files) if file.stem != "aside" for chat in chats(file, count)]
    random.Random(1).shuffle(learnt)
    aside = list(chats(args.out / "examples" / "aside.jsonl", count))
    for name, rows in (("train", learnt), ("aside", aside)):
        file = args.out / "chat" / f"{name}.jsonl"
        print(f"{file}: {write_chat_file(balanced(rows), file)} chats")


def mined(data: Path, out: Path) -> list[Path]:
    """The examples' files, each made unless it is there."""
    settings = replace(Settings.read(os.environ), home=out.resolve())
    makers: dict[str, Callable[[], Iterable[WriterExample]]] = {
        **{name: _visitors(name, data, settings, n) for name, (_, n) in SITES.items()},
        **{name: _reading(name, data, n) for name, n in SETS.items()},
        "aside": lambda: _aside(data, settings),
    }
    files = []
    for name, make in makers.items():
        file = out / "examples" / f"{name}.jsonl"
        if not file.is_file():
            print(f"{file}: {write_examples(make(), file)} examples", flush=True)
        files.append(file)
    return files


def _visitors(name: str, data: Path, settings: Settings, n: int) -> Callable[[], Iterable[WriterExample]]:
    return lambda: visitor_examples(name, data, settings, n, 1)


def _reading(name: str, data: Path, n: int) -> Callable[[], Iterable[WriterExample]]:
    return lambda: reading_examples(data, name, n, 1)


def _aside(data: Path, settings: Settings) -> list[WriterExample]:
    drawn = [
        one
        for site, asked in ASIDE.items()
        for one in visitor_examples(site, data, settings, asked, 2, kept_aside=True)
    ]
    random.Random(3).shuffle(drawn)
    return drawn


def chats(file: Path, count: Count) -> Iterator[ChatExample]:
    """The examples of a file as they are sent, where they have room."""
    for example in read_examples(file):
        site, _ = SITES.get(example.source, ("Larkmoor University", 0))
        chat = as_chat(example, Scene(site, DAY, TERM), ROOM, count)
        if chat is not None:
            yield chat


def balanced(rows: Sequence[ChatExample]) -> list[ChatExample]:
    """The chats without most of those whose passages do not answer: a model learns to decline too soon."""
    not_said = [row for row in rows if row.target == NO_ANSWER]
    most = (len(rows) - len(not_said)) * MOST_NOT_SAID // 100
    kept = random.Random(5).sample(not_said, min(len(not_said), most))
    return [row for row in rows if row.target != NO_ANSWER or row in kept]


if __name__ == "__main__":
    main()
