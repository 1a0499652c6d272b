"""What the check makes of sentences that a real model wrote, and what the flow makes of its answers.

    python -m scripts.research.writing.measure_written sentences [corpus/check/written_finetuned.jsonl]
    python -m scripts.research.writing.measure_written answers var/written/larkmoor.jsonl
    python -m scripts.research.writing.measure_written flow corpus/check/written_finetuned.jsonl \\
        --pages quennell=var/quennell.jsonl.gz tamsettferry=var/tamsettferry.jsonl.gz …
    python -m scripts.research.writing.measure_written shown corpus/check/written_shown.jsonl

`sentences`: corpus/check/written.jsonl has what SmolLM2-135M-Instruct wrote of visitors' questions over our
own sites (record_written.py) as it comes, written_finetuned.jsonl what it wrote with its adapter, and
written_later.jsonl what was then still shown over six other sites. Each sentence is labelled twice, the first
file's by one hand, the others' by two: `supported` by the passages shown, `partly`, `not`, `contradicts`, or
`none` where it claims nothing. Printed: the AUROC of the support score, and what is caught and wrongly
withheld by label. Words weigh what they weigh in the demo's snapshot.

`answers`: the larkmoor questions of the working half are answered by quoting, and again with the recorded
answers in the model's place. Only lines whose every question to the model was recorded are counted.

`flow`: the labelled answers are put in the model's place, over their own sites (`corpus.sites.build` makes
their pages; larkmoor is the live snapshot), and what visitors would be shown of them is counted by label.
`--pairs FILE` keeps what is shown without and with the model, of the lower temperature, to be judged blind.

`shown`: written_shown.jsonl has what is shown of 202 answers over three sites that no rule was made on, the
page's own sentence in place of one that was copied badly (`written`), and by both hands whether it `answers`
the question. Printed: how much of it the pages do not say, and how much answers.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpus.demo_site.site import Site
from scripts.research.retrieval.measure_retrieval import Asked, ask_with_trace, larkmoor_questions
from scripts.research.writing.measure_check import demo_words
from server.ask.grounding.check_sentence import Evidence, check_sentence
from server.ask.grounding.source import Source
from server.ask.grounding.substance import emptiness
from server.ask.grounding.support import support_of
from server.ask.pipeline import Asker
from server.ask.ports import PromptContext
from server.evaluate.questions import holds_all
from server.evaluate.significance import share_interval
from server.models import Answer, Passage, Trace
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder, build_reranker
from server.wiring.measuring import open_ground

LABELLED = PROJECT / "corpus" / "check" / "written.jsonl"
UNSUPPORTED = ("partly", "not", "contradicts")
LABELS = ("supported", *UNSUPPORTED, "none")


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled sentence: its support (0 to 1), and why it is not shown; None: it is."""

    label: str
    sentence: str
    support: float
    withheld: str | None
    is_quote: bool


def passages_of(row: Mapping[str, Any]) -> list[Passage]:
    """The passages that the model was shown, number 1 first."""
    return [
        Passage(n, one["url"], one["title"], one["heading"], one["text"])
        for n, one in enumerate(row["passages"], 1)
    ]


def judge(row: Mapping[str, Any], grounds: Evidence) -> Iterator[Judged]:
    """Each sentence of an answer by itself, held against all that was shown."""
    passages = passages_of(row)
    sources = [grounds.source(passage) for passage in passages]
    asked = Source(row["question"], grounds.words)
    for one in row["sentences"]:
        claim, weights = Source(one["text"], grounds.words), grounds.weights(one["text"])
        is_last = one is row["sentences"][-1]
        empty = emptiness(claim, asked, sources, weights, may_be_cut=row["cut"] and is_last)
        verdict = check_sentence(one["text"], passages, grounds)
        why = empty or (verdict.findings[0].reason if verdict.findings else None)
        quoted = any(source.quotes(one["text"]) for source in sources)
        score = 1.0 if quoted else support_of(claim, sources, weights, grounds.reader).score
        yield Judged(one["first"], one["text"], score, why, quoted)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The probability that a supported sentence scores higher than one that is not; ties count half."""
    pairs = [(one > other) + 0.5 * (one == other) for one in positive for other in negative]
    return sum(pairs) / len(pairs) if pairs else float("nan")


def agreement(rows: Sequence[Mapping[str, Any]]) -> str:
    """How often the two labellings agree, and Cohen's kappa."""
    pairs = [(one["first"], one["second"]) for row in rows for one in row["sentences"]]
    same = sum(a == b for a, b in pairs) / len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    if len(first | second) == 1:
        return f"{same:.3f} of {len(pairs)}, all alike"
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return f"{same:.3f} of {len(pairs)}, kappa {(same - chance) / (1 - chance):.2f}"


def report_sentences(settings: Settings, file: Path) -> None:
    """Print the agreement, the AUROC, and what is withheld of each label."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    embedder, reader = build_embedder(settings), build_reranker(settings)
    words = demo_words(settings, Site(), embedder)
    judged: list[Judged] = []
    for row in rows:
        judged += judge(row, Evidence(words, reader))
    print(f"{len(rows)} answers, {len(judged)} sentences; labelled twice: {agreement(rows)}")
    positive = [one.support for one in judged if one.label == "supported"]
    negative = [one.support for one in judged if one.label in UNSUPPORTED]
    counts = f"{len(positive)} supported and {len(negative)} not"
    print(f"AUROC of support, {counts}: {auroc(positive, negative):.3f}")
    whole = [0.0 if one.withheld else one.support for one in judged if one.label == "supported"]
    other = [0.0 if one.withheld else one.support for one in judged if one.label in UNSUPPORTED]
    print(f"AUROC of the whole check: {auroc(whole, other):.3f}")
    print("\n| label | sentences | withheld | by |\n|---|---|---|---|")
    for label in ("supported", *UNSUPPORTED, "none"):
        own = [one for one in judged if one.label == label]
        reasons = Counter(one.withheld for one in own if one.withheld)
        told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        share = f"{sum(reasons.values()) / len(own):.3f}" if own else ""
        print(f"| {label} | {len(own)} | {share} | {told} |")
    shown = [one for one in judged if one.withheld is None]
    bad = [one for one in shown if one.label in UNSUPPORTED]
    print(f"\nOf {len(shown)} that pass, {len(bad)} are not supported:")
    for one in bad:
        print(f"  {one.label}, {one.support:.2f}: {one.sentence}")
    for one in judged:
        if one.label == "supported" and one.withheld:
            print(f"  wrongly withheld ({one.withheld}, {one.support:.2f}): {one.sentence}")


class RecordedStream:
    """A recorded answer, all at once."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.passages: Sequence[Passage] = passages_of(row)
        self.notes: Mapping[str, Any] = {"total_ms": row["total_ms"]}
        self.declined = False
        self.cut_off = row["reason"] == "length"
        self._text = row["text"]

    def pieces(self) -> Generator[str, None, None]:
        """One piece."""
        yield self._text


class RecordedWriter:
    """Answers as they were recorded, by the question; what was not is noted in `missing`."""

    resting = False
    versions: Mapping[str, str] = {"llm": "recorded"}

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = {row["question"]: row for row in rows}
        self.missing: list[str] = []
        self.ms = 0.0

    def begin(
        self,
        question: str,
        passages: Sequence[Passage],
        history: Sequence[tuple[str, str]],
        scene: PromptContext,
    ) -> RecordedStream:
        """The recorded one, or one without a word."""
        row = self._rows.get(question)
        if row is None:
            self.missing.append(question)
            row = {"passages": [], "text": "", "reason": "stop", "total_ms": 0.0}
        self.ms += row["total_ms"]
        return RecordedStream(row)

    def from_memory(self, question: str, scene: PromptContext) -> str:
        """Nothing was recorded of that."""
        return ""

    def named(self, model: str) -> RecordedWriter:
        """The same."""
        return self

    def close(self) -> None:
        """Nothing is open."""


Answered = tuple[Asked, Answer, Trace, float]


def outcome_of(asked: Asked, answer: Answer) -> str:
    """How an answer counts."""
    if answer.refused:
        return "refused"
    if not asked.answerable:
        return "answered, unanswerable"
    right = holds_all(answer.answer, asked.must_have)
    return {"answer": "", "seems": "seems, "}.get(answer.tier, "") + ("right" if right else "wrong")


def report_answers(settings: Settings, file: Path, strategy: str) -> None:
    """Print how the questions fared by quoting and with the model, and where the two differ."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    cold = min(row["temperature"] for row in rows)
    writer = RecordedWriter([row for row in rows if row["temperature"] == cold])
    quoted: list[Answered] = []
    written: list[Answered] = []
    with open_ground(settings, None) as ground:
        by_quoting = ground.asker(settings)
        by_model = Asker(
            by_quoting._lease, replace(by_quoting._models, writer=writer), by_quoting.options, None,
            by_quoting.site_config,
        )  # fmt: skip
        for asked in larkmoor_questions("work"):
            writer.missing.clear()
            writer.ms = 0.0
            one = _answered(by_model, asked, strategy, writer)
            if not writer.missing:
                written.append(one)
                quoted.append(_answered(by_quoting, asked, strategy, None))
    names = sorted({outcome_of(asked, answer) for asked, answer, *_ in [*quoted, *written]})
    print(f"{len(written)} lines; the model at temperature {cold}")
    print("| by | " + " | ".join(names) + " | s, mean |\n|---|" + "---|" * (len(names) + 1))
    for name, answers in (("quoting", quoted), ("the model", written)):
        counts = Counter(outcome_of(asked, answer) for asked, answer, *_ in answers)
        seconds = sum(s for *_, s in answers) / max(1, len(answers))
        print(f"| {name} | " + " | ".join(str(counts[one]) for one in names) + f" | {seconds:.1f} |")
    reasons = Counter(
        answer.quote_reason or ("written" if answer.answerer == "llm" else "not asked")
        for _, answer, *_ in written
    )
    print("\n" + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
    for (asked, old, *_), (_, new, *_) in zip(quoted, written, strict=True):
        if new.answerer == "llm":
            print(f"\n{asked.id} {asked.text}\n  quoted ({outcome_of(asked, old)}): {old.answer!r}")
            print(f"  written ({outcome_of(asked, new)}): {new.answer!r}")


def report_flow(
    settings: Settings, file: Path, pages: Mapping[str, Path | None], strategy: str, pairs: Path | None
) -> None:
    """Print how many answers are shown as written, and the labels of the sentences that are shown."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    cold = min(row["temperature"] for row in rows)
    print("| set | answers | shown as written | " + " | ".join(LABELS) + " | unsupported of shown |")
    print("|---|---|---|" + "---|" * (len(LABELS) + 1))
    total: Counter[str] = Counter()
    kept: list[str] = []
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        shown = Counter[str]()
        with open_ground(settings, pages[name]) as ground:
            ground.prepare(print, print)
            by_quoting = ground.asker(settings)
            for row in own:
                written = _as_shown(by_quoting, row, strategy)
                shown.update(_shown_labels(row, written))
                if pairs and row["temperature"] == cold:
                    quoted, _ = ask_with_trace(by_quoting, _asked(row), strategy)
                    kept.append(json.dumps(_pair(row, quoted, written), ensure_ascii=False))
        print(_flow_row(name, len(own), shown))
        total += shown
    print(_flow_row("all", len(rows), total))
    if pairs:
        pairs.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def report_shown(file: Path) -> None:
    """Print how much of what is shown the pages say, and how much of it answers, by each of the hands."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    sentences = [one for row in rows for one in row["sentences"]]
    print(f"{len(rows)} answers, {len(sentences)} sentences; labelled twice: {agreement(rows)}")
    for hand, name in enumerate(("first", "second")):
        bad = share_interval(sum(one[name] in UNSUPPORTED for one in sentences), len(sentences))
        told = Counter(one["answers"][hand] for one in sentences)
        print(f"{name} hand: unsupported {bad.value:.3f} [{bad.low:.3f}, {bad.high:.3f}]; "
              f"answers the question: {dict(told.most_common())}")  # fmt: skip


def _asked(row: Mapping[str, Any]) -> Asked:
    return Asked(row["id"], row["question"], "", True, frozenset(), ())


def _as_shown(by_quoting: Asker, row: Mapping[str, Any], strategy: str) -> Answer:
    """The answer that a visitor would be shown, were the recorded one written now."""
    text = " ".join(one["text"] for one in row["sentences"])
    recorded = {**row, "text": text, "reason": "length" if row["cut"] else "stop", "total_ms": 0.0}
    models = replace(by_quoting._models, writer=RecordedWriter([recorded]))
    asker = Asker(by_quoting._lease, models, by_quoting.options, None, by_quoting.site_config)
    return ask_with_trace(asker, _asked(row), strategy)[0]


def _shown_labels(row: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    """ "answers" where the model's words are shown, and the label of each sentence that is."""
    if answer.answerer == "llm":
        yield "answers"
        yield from (one["first"] for one in row["sentences"] if _is_said(one["text"], answer.answer))


def _is_said(sentence: str, answer: str) -> bool:
    """As it was written, and not as the beginning of a page's own sentence that is said in its place."""
    return re.search(rf"{re.escape(sentence.rstrip(' .'))}\.?\s*(?:\[|$)", answer) is not None


def _pair(row: Mapping[str, Any], quoted: Answer, written: Answer) -> dict[str, Any]:
    return {
        "id": row["id"],
        "question": row["question"],
        "quoted": quoted.answer,
        "with_model": written.answer,
        "refused": [quoted.refused, written.refused],
        "by_model": written.answerer == "llm",
    }


def _flow_row(name: str, answers: int, shown: Counter[str]) -> str:
    bad = sum(shown[label] for label in UNSUPPORTED)
    claims = bad + shown["supported"]
    share = share_interval(bad, claims)
    told = f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}] of {claims}" if claims else "–"
    cells = [name, answers, shown["answers"], *(shown[label] for label in LABELS), told]
    return "| " + " | ".join(map(str, cells)) + " |"


def _answered(asker: Asker, asked: Asked, strategy: str, writer: RecordedWriter | None) -> Answered:
    start = time.perf_counter()
    answer, trace = ask_with_trace(asker, asked, strategy)
    seconds = time.perf_counter() - start + (writer.ms / 1000 if writer else 0.0)
    return asked, answer, trace, seconds


def main() -> None:
    """Read the arguments and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("sentences", "answers", "flow", "shown"))
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--strategy", default="hybrid+rerank")
    parser.add_argument("--pages", nargs="+", default=[], metavar="SET=FILE", help="for `flow`")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="of `flow`")
    given = parser.parse_args()
    settings = Settings.read(os.environ)
    if given.what == "sentences":
        report_sentences(settings, given.file or LABELLED)
    elif given.what == "flow" and given.file:
        pages = {name: Path(file) for name, _, file in (one.partition("=") for one in given.pages)}
        report_flow(settings, given.file, {"larkmoor": None, **pages}, given.strategy, given.pairs)
    elif given.what == "shown" and given.file:
        report_shown(given.file)
    elif given.file:
        report_answers(settings, given.file, given.strategy)
    else:
        parser.error("answers are read from a file of record_written")


if __name__ == "__main__":
    main()
