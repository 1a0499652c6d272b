"""A snapshot whose pages differ in everything that a scope speaks of."""

from __future__ import annotations

import json
from pathlib import Path

from server.index.build import SnapshotBuilder
from server.index.text import Synonym
from server.models import Chunk, Document
from tests.index.small_index import DIMS, manifest, unit_vectors

COUNT = 300
VECTORS = unit_vectors(COUNT)
QUESTION = unit_vectors(1, seed=1)[0]
LABELS: list[tuple[str | None, str | None]] = [
    ("library", None),
    ("academics", "policies"),
    ("academics", "programs"),
    ("academics", None),
    (None, None),
    ("Costs & Aid", "C++"),
    ("costs aid", "c"),
]
HOSTS = ["example.edu", "www.example.edu", "example.edu:8090"]
THINGS = ["door", "window", "roof", "stair", "lamp"]
SYNONYMS = (
    Synonym(("window", "pane of glass")),
    Synonym(("stair",), "flight of steps"),
    Synonym(("lamp", "light fitting", "luminaire")),
)


def page(i: int) -> Document:
    """Its language, days, host and place in the archive follow from its number."""
    return Document(
        f"https://{HOSTS[i % 3]}/{'Library' if i % 2 else 'library'}/{i}",
        f"Place {i}",
        (),
        lang=("en", "es", None, "EN", "pt-br")[i % 5],
        published=f"{2000 + i % 19}-05-01" if i % 4 else None,
        modified=f"{2000 + i % 19}-06-15T08:00:00+00:00" if i % 2 else None,
        archived=i % 7 == 0,
        terms=(f"{2000 + i % 19}-fall",) if i % 3 else (),
    )


def build(folder: Path, count: int = COUNT) -> Path:
    """Page i has the label i modulo 7, one chunk, a word that all share and one that a fifth have."""
    folder.mkdir()
    documents = [page(i) for i in range(count)]
    chunks = [
        [Chunk(d.url, 0, d.title, ("Hours",), f"Hours of the {THINGS[i % 5]} number {i}", d.terms)]
        for i, d in enumerate(documents)
    ]
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        builder.add(list(zip(documents, chunks, strict=True)), unit_vectors(count))
        builder.set_topics({d.url: LABELS[i % 7] for i, d in enumerate(documents)})
        builder.finish()
    table = manifest(folder, pages=count, chunks=count)
    (folder / "manifest.json").write_text(json.dumps(table), encoding="utf-8")
    return folder
