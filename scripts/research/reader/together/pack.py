"""Mined examples, claims and lists to measure with, in one small folder to carry to a GPU.

    .venv-train/bin/python -m scripts.research.reader.together.pack \\
        --data ../shared/data --work var/reader --out var/pack

Each passage is kept once, with the places of its sentences; examples name it by its number. Nothing is
learnt of the questions kept aside (`is_kept_aside`) of our own sites, nor of Hartsgrove: they are the lists
that tell how far it has come.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from corpus.visitors.sets import MEASURED_STORIES, OF_SEVERAL_SITES, read_page_questions
from scripts.research.reader import sources
from scripts.research.reader.claims import read_claims
from scripts.research.reader.examples import Example, Text, read_examples, write_examples
from scripts.research.reader.mining import mine
from scripts.research.reader.recipe import SEED
from scripts.research.reader.together.told import TOLD, stories_by_site, told
from server.sentences import sentences
from server.settings import Settings

MOST_NEGATIVES = 16
DRAW = 6  # the seed of which questions are taken of the larger sets
MOST_LISTED = 12  # passages of a list to measure with
UNSEEN = "hartsgrove"  # nothing is learnt of it
SITES = tuple(name for name in sources.OWN_SITES if name != UNSEEN)
STORIES = "stories"
# The sources of the sets over several sites: (site, kind) by name.
OF_SEVERAL = {
    f"{row.source}-{kind}": (row.source, kind)
    for kind, name in OF_SEVERAL_SITES.items()
    for row in read_page_questions(name)
    if row.source in SITES and row.source not in MEASURED_STORIES
}
READ: dict[str, Callable[[Path], sources.Source]] = {
    name: partial(lambda name, data: sources.own_site_visitors(name), name) for name in SITES
}
READ |= {
    of: partial(lambda kind, name, data: sources.own_site_others(kind, name), kind, name)
    for of, (name, kind) in OF_SEVERAL.items()
}
READ |= {
    "handbook": sources.handbook_visitors,
    "squad-train": sources.squad_train,
    "new-wiki": sources.new_wiki,
    "tydiqa": sources.tydiqa,
    "nq-open": sources.nq_open,
}
MOST_ASKED = {"squad-train": 16000, "new-wiki": 5500}


@dataclass
class Texts:
    """Passages, each once, by number."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def number(self, text: Text) -> int:
        """The passage's number; it gets one when it is first met."""
        key = text.lead, text.body
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            self.rows.append({"lead": text.lead, "body": text.body, "cuts": sentences(text.body)})
        return self.numbers[key]


def main() -> None:
    """Mine what is not mined yet, and pack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("data", "work", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--most", nargs="*", default=[], help="of a larger set, as in squad-train=4000")
    parser.add_argument("--told", type=float, default=0.0, help="share of sites' questions, with a story")
    parser.add_argument("--every", type=int, default=1, help="of the lists to measure with, every so many")
    args = parser.parse_args()
    most = MOST_ASKED | {name: int(count) for name, count in (one.split("=") for one in args.most)}
    settings = replace(Settings.read(os.environ), home=args.work.resolve())
    texts = Texts()
    learnt = [
        row
        for name, read in READ.items()
        for row in packed(
            _mined(name, partial(read, args.data), settings, most.get(name)), texts, MOST_NEGATIVES
        )
    ]
    stories = (
        (OF_SEVERAL[row["source"]][0], row["question"])
        for row in learnt
        if OF_SEVERAL.get(row["source"], ("", ""))[1] == STORIES
    )
    learnt += told(learnt, stories_by_site(stories), args.told, DRAW)
    aside = {
        f"{name}-aside": partial(sources.own_site_visitors, name, kept_aside=name != UNSEEN)
        for name in sources.OWN_SITES
    } | {
        f"{of}-aside": partial(sources.own_site_others, kind, name, kept_aside=True)
        for of, (name, kind) in OF_SEVERAL.items()
    }
    lists = [
        row
        for name, read in aside.items()
        for row in list(listed(_mined(name, read, settings), texts))[:: args.every]
    ]
    claims = [
        {"claim": one.claim, "text": one.text, "verdict": int(one.verdict)}
        for one in read_claims(args.data, SEED)
        if not one.kept_aside
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    for name, rows in {
        "texts": texts.rows,
        "examples": learnt,
        "lists": lists,
        "claims": claims,
    }.items():
        _write(rows, args.out / f"{name}.jsonl.gz")
        print(name, len(rows))


def data_files(names: Iterable[str], data: Path) -> list[str]:
    """The files that these sources are read from, each with its SHA-256, as a card names them."""
    read = {name.removesuffix(TOLD) for name in names}
    files = sorted({file for name in read for file in READ[name](data).files})
    return [f"{file.name} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files]


def _mined(name: str, read: Any, settings: Settings, most: int | None = None) -> list[Example]:
    """The source's examples, `most` of them, mined once and kept in the work folder."""
    file = settings.home / f"{name}-together.jsonl"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_examples(mine(read(), settings, most, seed=DRAW), file)
    return read_examples(file)


def packed(examples: Sequence[Example], texts: Texts, most: int) -> Iterable[dict[str, Any]]:
    """Examples by the numbers of their passages; those that teach nothing are left out."""
    for one in examples:
        if not (one.positives if one.answerable else one.negatives):
            continue
        yield {
            "id": one.id,
            "source": one.source,
            "question": one.question,
            "spans": one.spans,
            "positives": [[texts.number(text), text.start, text.end] for text in one.positives],
            "negatives": [texts.number(text) for text in one.negatives[:most]],
        }


def listed(examples: Sequence[Example], texts: Texts) -> Iterable[dict[str, Any]]:
    """What retrieval brings first for each question that has a right passage among it."""
    for one in examples:
        found = [
            (rank, texts.number(text), right)
            for right, passages, ranks in (
                (True, one.positives, one.positive_ranks),
                (False, one.negatives, one.negative_ranks),
            )
            for text, rank in zip(passages, ranks, strict=True)
            if rank
        ]
        first = sorted(found)[:MOST_LISTED]
        if any(right for _, _, right in first):
            yield {
                "id": one.id,
                "source": one.source,
                "question": one.question,
                "texts": [number for _, number, _ in first],
                "right": [right for _, _, right in first],
            }


def _write(rows: Sequence[Mapping[str, Any]], file: Path) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
