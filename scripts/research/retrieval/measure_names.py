"""How often "who is NAME" finds a passage that names NAME first, for names that the embedder does not know.

    .venv/bin/python -m scripts.research.retrieval.measure_names ../shared/data/cmu-xiaobin/pages.jsonl.gz

Draws names (two capitalised words, the first unknown to the embedder) from the pages themselves.
"""

from __future__ import annotations

import os
import random
import re
import sys
from pathlib import Path

from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.retrieve import adaptive_alpha, retrieve
from server.ask.trace import TraceLog
from server.inference.encoders import Embedder
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.measuring import cached_snapshot
from server.wiring.opened import OpenedSnapshot, build_live

NAMES = 150
_NAME = re.compile(r"\b([A-Z][a-z]{2,}) ([A-Z][a-z]{2,})\b")


def draw_names(index: OpenedSnapshot, embedder: Embedder) -> list[str]:
    """Some names of the snapshot, the same for the same snapshot."""
    texts = [text for (text,) in index.snapshot.rows("SELECT text FROM chunks")]
    found = {m.group() for text in texts for m in _NAME.finditer(text) if not embedder.is_word(m[1].lower())}
    return random.Random(1).sample(sorted(found), min(NAMES, len(found)))


def found_first(
    index: OpenedSnapshot, embedder: Embedder, names: list[str], search: str, options: RetrieveOptions | None
) -> float:
    """The share of names whose first passage has them; `options` None: as they are served."""
    right = 0
    for name in names:
        question = f"who is {name}"
        words = index.text.content_words(question)
        chosen = options or RetrieveOptions(
            alpha=adaptive_alpha(RetrieveOptions().alpha, words, embedder.is_word)
        )
        vector = embedder.embed_question(question)
        found = retrieve(question, vector, parse_strategy(search), chosen, index, TraceLog())
        right += bool(found) and name in f"{found[0].passage.title} {found[0].passage.text}"
    return right / len(names)


def main() -> None:
    """A row a pages file."""
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    print(
        "| pages | chunks | names | semantic | keyword | hybrid, α = .3 | hybrid, α = .8 | hybrid as served |"
    )
    print("|---|---|---|---|---|---|---|---|")
    fixed = RetrieveOptions(alpha=0.3), RetrieveOptions(alpha=0.8)
    ways = [
        ("semantic", None),
        ("keyword", None),
        *(("hybrid", options) for options in fixed),
        ("hybrid", None),
    ]
    for file in map(Path, sys.argv[1:]):
        live = build_live(settings, cached_snapshot(settings, file, embedder, print), embedder)
        with live.lease() as index:
            names = draw_names(index, embedder)
            shares = [found_first(index, embedder, names, search, options) for search, options in ways]
            row = [
                file.parent.name,
                index.snapshot.manifest.chunks,
                len(names),
                *(f"{s:.3f}" for s in shares),
            ]
            print("| " + " | ".join(map(str, row)) + " |")
        live.close()


if __name__ == "__main__":
    main()
