"""Fit when a question gets an editor's answer, and measure it.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.console.measure_curated

or only some of it, by name.

`fit`: the weights of server/ask/conversation/paraphrase.py, by which words alone tell, from half of the
answers of corpus/curated_pairs.jsonl and from those over Quennell. `pairs`: what the paraphraser does, and
what words alone do, on these, on the other half, on those that were written later, and on those of
corpus/asked_alike.jsonl that nothing was learnt from (`aside`: by the hands that wrote what was learnt from;
`blind`: answers by one hand, questions by another who had seen no phrasing); a question stands beside the one
answer that it belongs to or narrowly does not. `phrasings`: the same with more phrasings: all other questions
of the answer, or such as another hand wrote into the box, who saw the answer and its two phrasings alone
(corpus/asked_alike_more.jsonl); `others`: what visitors of two other universities would be shown of these.
`book`: all answers in one book, asked everything that is not meant for them too. `medquad`: questions of
another field (`pairs/medquad.jsonl.gz`), from which no weight comes. `past`: what visitors asked before, and
whether an answer that is only to a similar question serves them, as somebody has judged by hand
(corpus/curated_similar.jsonl).
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from corpus.visitors.sets import read_larkmoor, read_page_questions
from scripts.data_files import read_rows
from scripts.logistic import Floats, fit_logistic, sigmoid
from scripts.research.paraphraser.sources import CURATED, alike_part, curated_parts
from server.ask.conversation.paraphrase import MEASURES, difference, measures, read, subject_of
from server.ask.conversation.spelling import PhrasingWords, correct_spelling, replace_words
from server.ask.curated import CuratedBook, CuratedMatch, WeighedQuestion, cosines, weigh_questions
from server.ask.normalize import written_out
from server.ask.paraphraser import Paraphraser
from server.evaluate.significance import share_interval
from server.inference.encoders import Embedder
from server.models.curation import CuratedAnswer, Notice
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder, build_paraphraser, build_verifier

Flags = npt.NDArray[np.bool_]

SEED = 20261122
TODAY = date(2026, 9, 1)
FALSE_MATCHES = 0.01
RIDGE, ROUNDS = 0.3, 3
REPEATS, FOLDS = 3, 5
SIMILAR_JUDGED = PROJECT / "corpus/curated_similar.jsonl"
FURTHER = PROJECT / "corpus/asked_alike_more.jsonl"
EDITORS_PHRASINGS = (2, 5, 8)
OTHERS = ("hartsgrove", "pellerin")
KINDS, OF_EACH_KIND = 5, 100
_AGAIN = re.compile(r"[^.?!\n]{8,160}\?")
_OTHER = re.compile(r"genetic testing|genes|how (?:is|are) .* inherited", re.IGNORECASE)


@dataclass(frozen=True)
class Pair:
    """A question beside an answer and its phrasings: whether it asks the same, or else how it differs."""

    phrasings: tuple[str, ...]
    question: str
    same: bool
    differs: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Measured:
    """A pair's measures for each phrasing that nothing keeps apart from the question."""

    pair: Pair
    known: list[dict[str, float]]


def parts() -> dict[str, list[dict[str, Any]]]:
    """The answers to fit on, those to test on, those written when all was set, and those by other hands."""
    return {**curated_parts(), **{part: alike_part(part) for part in ("aside", "blind")}}


def pairs_of(rows: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Each answer with its own questions and those that narrowly are not its own."""
    found = []
    for row in rows:
        phrasings, answer = tuple(row["phrasings"]), row["answer"]
        found += [Pair(phrasings, question, True, "", answer) for question in row["same"]]
        found += [Pair(phrasings, near["question"], False, near["differs"], answer) for near in row["near"]]
    return found


def weigh(pairs: Sequence[Pair], paraphraser: Paraphraser) -> list[WeighedQuestion]:
    """What the server makes of every pair."""
    found = []
    for pair in pairs:
        found += weigh_questions([pair.question], pair.phrasings, paraphraser, TODAY, pair.answer)
    return found


def measure(pairs: Sequence[Pair], embedder: Embedder) -> list[Measured]:
    """Every pair, its question's spelling corrected by the phrasings as the book does."""
    return [_measure(pair, embedder) for pair in pairs]


def _measure(pair: Pair, embedder: Embedder) -> Measured:
    corrections = correct_spelling(pair.question, PhrasingWords(pair.phrasings), embedder.is_word)
    text = replace_words(pair.question, corrections)
    question, subject = read(text), subject_of(pair.phrasings)
    vectors = embedder.embed_questions([text, *pair.phrasings])
    near = cosines(text, vectors[0], vectors[1:], embedder)
    known = [
        measures(question, phrasing, subject, float(cosine))
        for phrasing, cosine in zip(subject.readings, near, strict=True)
        if difference(question, phrasing, subject, TODAY) is None
    ]
    return Measured(pair, known)


def fit(measured: Sequence[Measured]) -> Floats:
    """Coefficients, the bias first, where each pair goes by its likeliest phrasing."""
    open_ = [one for one in measured if one.known]
    labels = np.array([one.pair.same for one in open_], float)
    picked = [max(one.known, key=lambda known: known["cosine"]) for one in open_]
    for _ in range(ROUNDS):
        beta = fit_logistic(_features(picked), labels, ridge=RIDGE)
        picked = [one.known[int(np.argmax(_features(one.known) @ beta[1:]))] for one in open_]
    return beta


def _features(known: Sequence[Mapping[str, float]]) -> Floats:
    return np.array([[one[name] for name in MEASURES] for one in known])


def lowest_threshold(scores: Floats, same: Flags) -> float:
    """The lowest hundredth from which on so few of the near misses are matched as is allowed."""
    allowed = [t for t in np.arange(1, 100) / 100 if (scores[~same] >= t).mean() <= FALSE_MATCHES]
    return float(min(allowed, default=1.0))


def print_fit(embedder: Embedder) -> None:
    """The coefficients of all that is fitted on, and the threshold chosen on answers that were left out."""
    rows = [*parts()["fit"], *parts()["quennell"]]
    by_answer = [measure(pairs_of([row]), embedder) for row in rows]
    beta = fit([one for pairs in by_answer for one in pairs])
    print(f"bias {beta[0]:.2f}", dict(zip(MEASURES, beta[1:].round(2).tolist(), strict=True)))
    scores, same = _held_out(by_answer)
    threshold = lowest_threshold(scores, same)
    taken = scores >= threshold
    print(f"threshold {threshold:.2f}; held out: ", end="")
    print(f"matched {taken[same].mean():.3f} of the same and {taken[~same].mean():.3f} of the near misses")


def _held_out(by_answer: Sequence[Sequence[Measured]]) -> tuple[Floats, Flags]:
    """Each pair's likelihood by weights fitted without its answer, in several ways to part the answers, and
    whether it is the same."""
    scores, same = [], []
    for repeat in range(REPEATS):
        order = list(range(len(by_answer)))
        random.Random(repeat).shuffle(order)
        for fold in range(FOLDS):
            held = set(order[fold::FOLDS])
            beta = fit([one for i, pairs in enumerate(by_answer) if i not in held for one in pairs])
            for one in [one for i in held for one in by_answer[i]]:
                scores.append(_best(one, beta))
                same.append(one.pair.same)
    return np.array(scores), np.array(same, bool)


def _best(one: Measured, beta: Floats) -> float:
    """The likelihood of its likeliest phrasing by these coefficients."""
    if not one.known:
        return 0.0
    return float(sigmoid(_features(one.known) @ beta[1:] + beta[0]).max())


def print_pairs(embedder: Embedder, paraphraser: Paraphraser) -> None:
    """Precision and recall on each part, of the paraphraser and of words alone."""
    print("| part | by | same | given it, or shown it | near misses | matched | precision |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in parts().items():
        pairs = pairs_of(rows)
        same = np.array([pair.same for pair in pairs])
        for by, one in (("reading", paraphraser), ("words alone", Paraphraser(embedder))):
            weighed = weigh(pairs, one)
            given = np.array([found.matched for found in weighed])
            shown = given | np.array([found.similar for found in weighed])
            print(_row(f"{name} | {by}, given", given, same))
            print(_row(f"{name} | {by}, shown as similar too", shown, same))
            if one is paraphraser and name not in ("fit", "quennell"):
                _print_kinds(pairs, weighed)


def _row(name: str, taken: Flags, same: Flags) -> str:
    right, wrong = int(taken[same].sum()), int(taken[~same].sum())
    precision = right / max(1, right + wrong)
    of_same, of_near = int(same.sum()), int((~same).sum())
    return (
        f"| {name} | {of_same} | {_share(right, of_same)} | {of_near} "
        f"| {_share(wrong, of_near)} | {precision:.3f} |"
    )


def _share(hits: int, n: int) -> str:
    """`53 (.535, .44–.63)`: the share, and its interval of 95 %."""
    found = share_interval(hits, n)
    value, low, high = (f"{one:.3f}".lstrip("0") for one in (found.value, found.low, found.high))
    return f"{hits} ({value}, {low}–{high})"


def _print_kinds(pairs: Sequence[Pair], weighed: Sequence[WeighedQuestion], shown: int = 20) -> None:
    near = [(pair, found) for pair, found in zip(pairs, weighed, strict=True) if not pair.same]
    count = Counter(pair.differs for pair, _ in near)
    wrong = Counter(pair.differs for pair, found in near if found.matched)
    print("<!-- near misses given it, by what they differ in: ", end="")
    print(", ".join(f"{kind} {wrong[kind]} of {count[kind]}" for kind in sorted(count)), "-->")
    for pair, found in [one for one in near if one[1].matched][:shown]:
        print(f"<!-- {found.likelihood:.2f} {pair.question!r} ~ {pair.phrasings} -->")


def print_phrasings(paraphraser: Paraphraser) -> None:
    """What more phrasings bring: all the other questions of an answer, or further ones of an editor's."""
    print("\n| part | phrasings, mean | same | given it, or shown it | near misses | matched | precision |")
    print("|---|---|---|---|---|---|---|")
    for name in ("test", "later", "blind"):
        rows = parts()[name]
        for pairs in (pairs_of(rows), _grown(rows)):
            weighed = weigh(pairs, paraphraser)
            mean = np.mean([len(pair.phrasings) for pair in pairs if pair.same])
            taken = np.array([found.matched or found.similar for found in weighed])
            print(_row(f"{name} | {mean:.1f}", taken, np.array([pair.same for pair in pairs])))
    print("\n| part | phrasings | by | same | given it, or shown it | near misses | matched | precision |")
    print("|---|---|---|---|---|---|---|---|")
    for count in EDITORS_PHRASINGS:
        for name in ("aside", "blind"):
            pairs = pairs_of(in_ways(alike_part(name), count))
            weighed, same = weigh(pairs, paraphraser), np.array([pair.same for pair in pairs])
            given = np.array([found.matched for found in weighed])
            either = given | np.array([found.similar for found in weighed])
            print(_row(f"{name} | {count} | given", given, same))
            print(_row(f"{name} | {count} | shown as similar too", either, same))
    print_past_of_others(paraphraser)


def print_past_of_others(paraphraser: Paraphraser) -> None:
    """What visitors asked of two other universities, beside the answers with more and more ways to ask."""
    past = sorted({row.question for name in OTHERS for row in read_page_questions(name)})
    judged = {(row["question"], row["answer"]): row["serves"] for row in read_rows(SIMILAR_JUDGED)}
    heads = ("phrasings", "past questions", "given one", "shown one", "it serves", "in part", "not")
    print("\n| " + " | ".join((*heads, "not judged", "ms each")) + " |\n|" + "---|" * (len(heads) + 2))
    for count in EDITORS_PHRASINGS:
        rows = [row for name in ("aside", "blind") for row in in_ways(alike_part(name), count)]
        start = time.perf_counter()
        matches = _matches(rows, past, paraphraser)
        ms = 1000 * (time.perf_counter() - start) / len(past)
        found = [(text, match) for text, match in matches if match]
        serves = Counter(judged.get((text, match.answer.id), "") for text, match in found)
        given = sum(match.is_same for _, match in found)
        cells = [
            *(count, len(past), given, len(found) - given),
            *(serves[one] for one in ("same", "part", "no", "")),
            round(ms),
        ]
        print("| " + " | ".join(map(str, cells)) + " |")


def _matches(
    rows: Sequence[Mapping[str, Any]], asked: Sequence[str], paraphraser: Paraphraser
) -> list[tuple[str, CuratedMatch | None]]:
    """Each question with what it is given, or shown, of a book of these answers."""
    answers = [CuratedAnswer(row["id"], "main", tuple(row["phrasings"]), row["answer"]) for row in rows]
    book = CuratedBook(ListedAnswers(answers), paraphraser)
    return [(text, book.match(written_out(text).text, None, "main", None, TODAY)) for text in asked]


def in_ways(rows: Sequence[Mapping[str, Any]], count: int) -> list[dict[str, Any]]:
    """The answers with `count` ways to ask: their own two, and further ones of an editor's."""
    more = {row["id"]: row["more"] for row in read_rows(FURTHER)}
    return [{**row, "phrasings": [*row["phrasings"], *more[row["id"]]][:count]} for row in rows]


def _grown(rows: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Each question beside the answer's phrasings and all its other questions."""
    pairs = []
    for row in rows:
        own, asked, answer = tuple(row["phrasings"]), row["same"], row["answer"]
        for question in asked:
            others = (one for one in asked if one != question)
            pairs.append(Pair((*own, *others), question, True, "", answer))
        for near in row["near"]:
            pairs.append(Pair((*own, *asked), near["question"], False, near["differs"], answer))
    return pairs


class ListedAnswers:
    """Curated answers of a list."""

    def __init__(self, answers: Sequence[CuratedAnswer]) -> None:
        self._answers = answers

    def curated(self, site: str | None = None) -> Sequence[CuratedAnswer]:
        """All of them, whatever the site."""
        return self._answers

    def notices(self, site: str | None = None) -> Sequence[Notice]:
        """None."""
        return ()

    def curation_version(self) -> str:
        """Always the same."""
        return "listed"


def print_book(embedder: Embedder, paraphraser: Paraphraser, data: Path) -> None:
    """What a book of all answers does with its own questions, with near misses and with any others."""
    rows = [row for row in read_rows(CURATED) if row.get("written") != "quennell"]
    answers = [CuratedAnswer(row["id"], "main", tuple(row["phrasings"]), row["answer"]) for row in rows]
    book = CuratedBook(ListedAnswers(answers), paraphraser)
    book.match("warm up", None, "main", None, TODAY)
    unseen = [*parts()["test"], *parts()["later"]]
    print("\n| set | questions | with an answer | given it | given another | given none | ms |")
    print("|---|---|---|---|---|---|---|")
    for name, questions in _asked_of_book(unseen, data):
        print(_book_row(name, questions, book, embedder), flush=True)


def _asked_of_book(
    rows: Sequence[Mapping[str, Any]], data: Path
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(set, its questions each with the answer it belongs to); "" for those that belong to none."""
    yield "test and later, same", [(question, row["id"]) for row in rows for question in row["same"]]
    yield (
        "test and later, near",
        [(near["question"], near.get("belongs", "")) for row in rows for near in row["near"]],
    )
    golden = {own: row["id"] for row in read_rows(CURATED) for own in row.get("golden", ())}
    asked = read_rows(PROJECT / "corpus/golden_questions.jsonl")
    yield "golden", [(row["question"], golden.get(row["id"], "")) for row in asked]
    general = (PROJECT / "corpus/general_questions.txt").read_text(encoding="utf-8").splitlines()
    yield "general", [(text, "") for text in general]
    for name in ("off-topic", "doc2dial", "cmu-sai", "cmu-xiaobin"):
        path = data / name / "questions.jsonl.gz"
        if path.exists():
            yield name, [(row["question"], "") for row in read_rows(path)]


def _book_row(name: str, questions: Sequence[tuple[str, str]], book: CuratedBook, embedder: Embedder) -> str:
    own = another = 0
    vectors = embedder.embed_questions([question for question, _ in questions])
    start = time.perf_counter()
    for (question, belongs), vector in zip(questions, vectors, strict=True):
        match = book.match(question, vector, "main", None, TODAY)
        given = match.answer.id if match and match.is_same else None
        own += given == belongs
        another += given is not None and given != belongs
    ms = (time.perf_counter() - start) * 1000 / len(questions)
    none = len(questions) - own - another
    having = sum(bool(belongs) for _, belongs in questions)
    return f"| {name} | {len(questions)} | {having} | {own} | {another} | {none} | {ms:.2f} |"


def print_past(paraphraser: Paraphraser) -> None:
    """How many past questions get an answer, are shown one to a similar question, and whether it serves."""
    rows, golden = read_rows(CURATED), read_rows(PROJECT / "corpus/golden_questions.jsonl")
    visitors = [one.question for one in read_larkmoor()] + [row["question"] for row in golden]
    judged = {(row["question"], row["answer"]): row["serves"] for row in read_rows(SIMILAR_JUDGED)}
    sets = {
        "demo": ([row for row in rows if row.get("written") != "quennell"], visitors),
        "quennell": (
            [row for row in rows if row.get("written") == "quennell"],
            [one.question for one in read_page_questions("quennell")],
        ),
    }
    print("\n| past questions of | asked | given one | shown one | it serves | in part | not | not judged |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (own, asked) in sets.items():
        matches = _matches(own, asked, paraphraser)
        shown = [(text, match.answer.id) for text, match in matches if match and not match.is_same]
        given = sum(match is not None and match.is_same for _, match in matches)
        serves = Counter(judged.get(pair, "") for pair in shown)
        for text, answer in [pair for pair in shown if pair not in judged]:
            print(f"not judged: {text!r} for {answer}", file=sys.stderr)
        cells = [name, len(asked), given, len(shown), *(serves[one] for one in ("same", "part", "no", ""))]
        print("| " + " | ".join(map(str, cells)) + " |")


@dataclass(frozen=True)
class Restated:
    """A question of MedQuAD as its answer says it again; `kind` is the question without its `focus`."""

    question: str
    restated: str
    focus: str
    kind: str


def restated_questions(data: Path) -> list[Restated]:
    """Those whose answer begins with the question in other words, about the same disease by the same name."""
    found = []
    for row in read_rows(data / "pairs/medquad.jsonl.gz"):
        again = _AGAIN.match(row["answer"].strip())
        focus, question = row["focus"].casefold(), row["question"].casefold()
        if again and focus in question and focus in again[0].casefold() and not _OTHER.search(again[0]):
            found.append(Restated(row["question"], again[0], row["focus"], question.replace(focus, "…")))
    return found


def medquad_pairs(data: Path, embedder: Embedder) -> list[Pair]:
    """Of each common kind of question as many: with its restatement, with that of another question about the
    same disease, and with that of the same question about the disease whose name is nearest."""
    told = restated_questions(data)
    names = sorted({one.focus for one in told})
    vectors = dict(zip(names, embedder.embed_questions(names), strict=True))
    rng, pairs = random.Random(SEED), []
    for kind, _ in Counter(one.kind for one in told).most_common(KINDS):
        alike = [one for one in told if one.kind == kind]
        for one in rng.sample(alike, OF_EACH_KIND):
            pairs.append(Pair((one.question,), one.restated, True))
            others = [other for other in told if other.focus == one.focus and other.kind != kind]
            pairs += [Pair((one.question,), other.restated, False, "aspect") for other in others[:1]]
            nearest = max(
                (other for other in alike if other.focus.casefold() != one.focus.casefold()),
                key=lambda other: float(vectors[other.focus] @ vectors[one.focus]),
            )
            pairs.append(Pair((one.question,), nearest.restated, False, "object"))
    return pairs


def print_medquad(embedder: Embedder, paraphraser: Paraphraser, data: Path) -> None:
    """Precision and recall on questions about diseases, which have no answer's text here."""
    pairs = medquad_pairs(data, embedder)
    weighed = weigh(pairs, paraphraser)
    taken = np.array([found.matched for found in weighed])
    print("\n| set | by | same | given it | near misses | matched | precision |")
    print("|---|---|---|---|---|---|---|")
    print(_row("MedQuAD | reading, given", taken, np.array([pair.same for pair in pairs])))
    _print_kinds(pairs, weighed, shown=8)


def main() -> None:
    """Print what is asked for, or all."""
    wanted = sys.argv[1:] or ["fit", "pairs", "phrasings", "book", "past", "medquad"]
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    paraphraser = build_paraphraser(settings, embedder, build_verifier(settings))
    if "fit" in wanted:
        print_fit(embedder)
    if "pairs" in wanted:
        print_pairs(embedder, paraphraser)
    if "phrasings" in wanted:
        print_phrasings(paraphraser)
    if "others" in wanted:
        print_past_of_others(paraphraser)
    if "book" in wanted:
        print_book(embedder, paraphraser, data)
    if "past" in wanted:
        print_past(paraphraser)
    if "medquad" in wanted:
        print_medquad(embedder, paraphraser, data)


if __name__ == "__main__":
    main()
