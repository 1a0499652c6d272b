"""What the verifier learns from: the answers that Lodge itself quotes to visitors' questions.

    .venv/bin/python -m scripts.research.verifier.quoted --work var/verifier [ostrander wendham …]

Asks every question of these sites, refusing none, and keeps of each what is quoted, as the verifier reads it,
whether that is right, and how sure Lodge is without the verifier: a JSON line each in SITE.jsonl. What is
there is not asked again. `larkmoor` is the live snapshot of LODGE_HOME; `uci` and `government` read
`LODGE_DATA`, and take their pages from `--work`: `uci-pages.jsonl.gz`, as scripts/scored_sets.py writes it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tqdm import tqdm

from corpus.sites.build import NAMES, build
from corpus.visitors.sets import is_kept_aside
from scripts.data_files import read_rows
from scripts.research.retrieval.measure_retrieval import (
    OF_OTHERS,
    Asked,
    ask_with_trace,
    is_right,
    page_questions,
    questions_of,
)
from server.ask.ports import CrossEncoder
from server.errors import ModelError
from server.models import Reading
from server.settings import Settings
from server.wiring.flow import build_verifier
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"
# Of these sites nothing else has learnt, so that what is quoted of them is as good or bad as elsewhere. What
# is asked of the pages kept aside says what the verifier's word counts, and so does all of another site, and
# what was kept aside of those that the reader has learnt from.
LEARNT = ("ostrander", "wendham", "aldermoor", "calverton", "pellerin")
WEIGHED = "hartsgrove"
READ = ("quennell", "tamsettferry", "marrowby")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A question and what is quoted, as the verifier reads it. `confidence` is without the verifier; `aside`:
    it is about a page that nothing is learnt from."""

    question: str
    place: str
    said: str
    right: bool
    answerable: bool
    confidence: float
    aside: bool = False


class Recorder:
    """Stands before the verifier, and keeps what that is asked to read."""

    def __init__(self, verifier: CrossEncoder) -> None:
        self.verifier = verifier
        self.read_of: list[tuple[str, str, str]] = []

    @property
    def weights(self) -> Mapping[str, float]:
        """The verifier's."""
        return self.verifier.weights

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """What the verifier reads."""
        self.read_of += [(question, place, said) for place, said in passages]
        return self.verifier.read(question, passages)


def quoted(settings: Settings, pages: Path | None, questions: Sequence[Asked]) -> Iterator[Quoted]:
    """Every question with one quoted answer whose rightness is known.

    The answer is what the verifier reads last, after the sentences that may lead it.
    """
    verifier = build_verifier(settings)
    if verifier is None:
        raise ModelError("There is no verifier: LODGE_VERIFIER names none.")
    recorder = Recorder(verifier)
    settings = replace(settings, refusal_threshold=0.0, verifier="")  # it is loaded once
    with open_ground(settings, pages) as ground:
        ground.prepare(print, print)
        asker = ground.asker(settings)
        asker = asker.otherwise(replace(asker.options, trims=False), verifier=recorder)
        for asked in tqdm(questions, mininterval=10):
            recorder.read_of.clear()
            answer, trace = ask_with_trace(asker, asked, STRATEGY)
            right = is_right(answer, asked)
            confidences = [float(s.notes["unverified"]) for s in trace.steps if "unverified" in s.notes]
            if len(confidences) != 1 or (asked.answerable and right is None):
                continue
            (question, place, said), [confidence] = recorder.read_of[-1], confidences
            right, aside = asked.answerable and bool(right), is_kept_aside(min(asked.urls, default=""))
            yield Quoted(question, place, said, right, asked.answerable, confidence, aside)


def pages_of(name: str, work: Path) -> Path | None:
    """The site's pages file, made if it is ours; None: the live snapshot."""
    file = work / f"{name}-pages.jsonl.gz"
    if name in NAMES and not file.exists():
        build(name, file)
    return None if name == "larkmoor" else file


def read_quoted(names: Sequence[str], work: Path) -> list[Quoted]:
    """What `main` kept of these sites."""
    return [Quoted(**row) for name in names for row in read_rows(work / f"{name}.jsonl")]


def learnt_from(work: Path) -> list[Quoted]:
    """What the verifier learns from."""
    return [row for row in read_quoted(LEARNT, work) if not row.aside]


def weighed_by(work: Path) -> list[Quoted]:
    """What says what its word counts: it has learnt from none of it."""
    aside = [row for row in read_quoted(LEARNT, work) if row.aside]
    return [*aside, *read_quoted([WEIGHED, *READ], work)]


def main() -> None:
    """Ask what has not been asked, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sites", nargs="*", default=[*LEARNT, WEIGHED, *READ])
    parser.add_argument("--work", type=Path, default=Path("var/verifier"))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for name in given.sites:
        file: Path = given.work / f"{name}.jsonl"
        if file.exists():
            continue
        questions = (
            questions_of(name, "work")
            if name in ("larkmoor", *OF_OTHERS)
            else page_questions(name, {}, unseen=name in READ)
        )
        unfinished = file.with_suffix(".unfinished")
        with unfinished.open("w", encoding="utf-8") as lines:
            for row in quoted(Settings.read(os.environ), pages_of(name, given.work), questions):
                lines.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
        unfinished.rename(file)
        print(name, flush=True)


if __name__ == "__main__":
    main()
