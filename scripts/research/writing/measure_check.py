"""What the check is worth on the demo university's sentences, and what it costs.

    .venv/bin/python -m scripts.research.writing.measure_check [--part dev]

Reads corpus/check/sentences.jsonl (scripts/research/writing/alter_sentences.py), holds every sentence against
the passage it cites, and prints how many altered ones are caught and how many true ones falsely withheld, by
kind, with the reasons given and the time a sentence takes. Words weigh what they weigh in a snapshot of the
demo site.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.demo_site.site import DEFAULT_ORIGIN, Site
from scripts.research.writing.alter_sentences import SENTENCES, Sentence, demo_passages
from server.ask.grounding.check_sentence import Evidence, SentenceVerdict, check_sentence
from server.ask.ports import CrossEncoder, SnapshotText
from server.index.search import Index
from server.inference.encoders import Embedder
from server.models import Passage
from server.settings import Settings
from server.wiring.flow import build_embedder, build_reranker
from server.wiring.measuring import cached_snapshot


@dataclass(frozen=True)
class Measured:
    """A sentence, the check's verdict, and the milliseconds it took."""

    sentence: Sentence
    verdict: SentenceVerdict
    ms: float


def read_sentences(part: str) -> list[Sentence]:
    """The sentences of one half of the pages, or of "all"."""
    made = [Sentence(**json.loads(line)) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    return [one for one in made if part in (one.part, "all")]


def demo_words(settings: Settings, site: Site, embedder: Embedder) -> SnapshotText:
    """The words of a snapshot of the demo site."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for path in site.pages:
            page = {"url": DEFAULT_ORIGIN + path, "html": site.render(path).decode()}
            file.write(json.dumps(page) + "\n")
        file.flush()
        current = cached_snapshot(settings, Path(file.name), embedder, print)
    return Index(current.parent / current.readlink().name).text


def measure(
    made: Sequence[Sentence], passages: dict[str, list[Passage]], new_grounds: Callable[[], Evidence]
) -> list[Measured]:
    """Every sentence, each held against its passage as if no other had been read before."""
    found = []
    for one in made:
        start = time.perf_counter()
        verdict = check_sentence(one.sentence, [passages[one.path][one.chunk]], new_grounds(), [1])
        found.append(Measured(one, verdict, (time.perf_counter() - start) * 1000))
    return found


def report(title: str, measured: Sequence[Measured]) -> None:
    """Print what was withheld of each kind, why, and the time."""
    print(f"\n{title}")
    for true, word in ((True, "falsely withheld"), (False, "caught")):
        kinds = Counter(one.sentence.kind for one in measured if one.sentence.true is true)
        for kind, count in [*sorted(kinds.items()), *_totals(kinds)]:
            withheld = sum(
                not one.verdict.supported
                for one in measured
                if one.sentence.true is true and _belongs(one.sentence.kind, kind)
            )
            print(f"  {word:17} {kind:22} {withheld:4} of {count:4}  {withheld / count:.3f}")
    reasons = Counter(one.verdict.findings[0].reason for one in measured if one.verdict.findings)
    print("  reasons", dict(reasons.most_common()))
    times = sorted(one.ms for one in measured)
    print(f"  ms a sentence: median {statistics.median(times):.1f}, p95 {times[int(0.95 * len(times))]:.1f}")


ALTERED = "one fact altered"


def _totals(kinds: Counter[str]) -> list[tuple[str, int]]:
    if "elsewhere" not in kinds:
        return [("all", kinds.total())]
    return [(ALTERED, kinds.total() - kinds["elsewhere"])]


def _belongs(kind: str, group: str) -> bool:
    return group in (kind, "all") or (group == ALTERED and kind != "elsewhere")


def main() -> None:
    """Measure with the cross-encoder and without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("dev", "test", "all"), default="test")
    part = parser.parse_args().part
    settings = Settings.read(os.environ)
    embedder, reader, site = build_embedder(settings), build_reranker(settings), Site()
    words, passages, made = demo_words(settings, site, embedder), demo_passages(site), read_sentences(part)

    def grounds(with_reader: CrossEncoder | None) -> Callable[[], Evidence]:
        return lambda: Evidence(words, with_reader, site_name="Larkmoor University")

    for title, used in (("with the reader", reader), ("words alone", None)):
        report(f"{part}, {title}: {len(made)} sentences", measure(made, passages, grounds(used)))


if __name__ == "__main__":
    main()
