"""Question sets, read leniently, so that one broken line costs one question; and when an answer is theirs."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from server.errors import BadInputError
from server.sentences import without_marks

# What a line may say of itself in a word or two.
WORDS = ("kind", "lang", "half")


@dataclass(frozen=True, slots=True)
class GoldChunk:
    """Words that a right passage holds, SQuAD-normalised; with a `url`, only a passage of that page."""

    text: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """One question and what is known of its right answer.

    Empty `answers`, `gold_urls` or `gold_chunks`: not known. `answerable` None: not known, so neither
    answering nor refusing can be judged. `history` holds the (role, text) turns before the question, oldest
    first. `must_have` are groups of spellings: a right answer holds one of every group, and `answers` are
    then for reading alone. `kind`, `lang` (ISO 639) and `half` (of a set that keeps one aside) are the file's
    own words; `day` is the ISO 8601 day on which it is asked. `known_gap` says why it is known not to be
    answered rightly yet; figures count it like the others. `source`: where it comes from ("visitors").
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    gold_urls: tuple[str, ...] = ()
    topic: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    answerable: bool | None = None
    gold_chunks: tuple[GoldChunk, ...] = ()
    must_have: tuple[tuple[str, ...], ...] = ()
    kind: str | None = None
    day: str | None = None
    lang: str | None = None
    half: str | None = None
    known_gap: str = ""
    source: str = ""


def read_questions(path: Path, on_broken: Callable[[int, str], None]) -> tuple[EvalQuestion, ...]:
    """The questions of a `.jsonl` or `.jsonl.gz` file in the format of the contract.

    A line that cannot be used goes to `on_broken` with its number (from 1) and a sentence; the others
    are kept. A file that cannot be read at all is a `BadInputError`.
    """
    questions = []
    for number, line in _numbered_lines(path):
        try:
            questions.append(_question(_fields(line), number))
        except UnicodeDecodeError:
            on_broken(number, "This line is not UTF-8.")
        except (ValueError, RecursionError) as error:
            on_broken(number, f"This line is not JSON ({error}).")
        except BadInputError as error:
            on_broken(number, error.message)
    return tuple(questions)


def unknown_gold_urls(questions: Iterable[EvalQuestion], urls: Set[str]) -> int:
    """How many distinct gold URLs are not among `urls`, the pages of a snapshot."""
    known = {comparable_url(url) for url in urls}
    gold = {comparable_url(url) for question in questions for url in question.gold_urls}
    return len(gold - known)


def comparable_url(url: str) -> str:
    """The URL without its fragment, scheme and host in lower case; the rest, slashes too, as it is."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url.strip()
    return urlunsplit(parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower(), fragment=""))


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank. They stay bytes, so that a wrong byte spoils its own line only."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"The questions file {path} cannot be read: {error}.") from error


def _fields(line: bytes) -> dict[str, Any]:
    """One line's object. JSON can spell half a character, which no file or store could take."""
    fields = json.loads(line.decode("utf-8-sig"))
    if not isinstance(fields, dict):
        raise BadInputError("This line is not a JSON object.")
    try:
        json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadInputError("This line has half a character (a lone surrogate).") from None
    return fields


def _question(fields: Mapping[str, Any], number: int) -> EvalQuestion:
    """One line's object, checked; a question without an id is named after its line."""
    question = fields.get("question")
    if not isinstance(question, str) or not any(character.isalnum() for character in question):
        raise BadInputError('"question" is missing or empty.')
    answerable, topic, history = (fields.get(name) for name in ("answerable", "topic", "history"))
    if not isinstance(answerable, bool | None):
        raise BadInputError(f'"answerable" is {answerable!r}; it takes true, false or null.')
    for name in ("topic", "known_gap", *WORDS):
        if not isinstance(fields.get(name), str | None):
            raise BadInputError(f'"{name}" is {fields[name]!r}; it takes a string or null.')
    return EvalQuestion(
        id=f"line-{number}" if fields.get("id") is None else str(fields["id"]),
        question=question,
        answers=_strings("answers", fields.get("answers")),
        gold_urls=_strings("gold_urls", fields.get("gold_urls")),
        topic=topic,
        history=_turns(history),
        answerable=answerable,
        gold_chunks=_gold_chunks(fields.get("gold_chunks")),
        must_have=_groups(fields.get("must_have")),
        day=_day(fields.get("day")),
        known_gap=fields.get("known_gap") or "",
        source=source if isinstance(source := fields.get("source"), str) else "",
        **{name: fields.get(name) for name in WORDS},
    )


def _strings(name: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadInputError(f'"{name}" takes a list of strings.')
    return tuple(item for item in value if item.strip())


def _groups(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list | None):
        raise BadInputError('"must_have" takes a list of lists of strings.')
    groups = tuple(_strings("must_have", group) for group in value or ())
    return tuple(group for group in groups if group)


def _gold_chunks(value: Any) -> tuple[GoldChunk, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadInputError('"gold_chunks" takes a list of texts, or of {"text", "url"} objects.')
    return tuple(map(_gold_chunk, value))


def _gold_chunk(value: Any) -> GoldChunk:
    fields = value if isinstance(value, dict) else {"text": value}
    text, url = fields.get("text"), fields.get("url")
    if not isinstance(text, str) or not isinstance(url, str | None):
        raise BadInputError('"gold_chunks" takes a list of texts, or of {"text", "url"} objects.')
    if not normalised(text):
        raise BadInputError(f'"gold_chunks" has {text!r}, which leaves no word to look for.')
    return GoldChunk(text, url)


def _day(value: Any) -> str | None:
    try:
        return None if value is None else date.fromisoformat(value[:10]).isoformat()
    except (TypeError, ValueError):
        raise BadInputError(f'"day" is {value!r}; it takes a day such as 2026-11-22.') from None


def _turns(value: Any) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    pairs = value if isinstance(value, list) else [value]
    if not all(isinstance(pair, list) and [type(part) for part in pair] == [str, str] for pair in pairs):
        raise BadInputError('"history" takes a list of [role, text] pairs.')
    return tuple((role, text) for role, text in pairs)


def normalised(text: str) -> str:
    """Lower case, no punctuation, no English articles, single spaces: SQuAD's normalisation.

    Source: the evaluation script of Rajpurkar et al., 2016. Theirs knows ASCII punctuation only; here the
    typographic marks and symbols that web pages are full of go as well.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    text = re.sub(r"[^\w\s]|_", "", text)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def answer_scores(answer: str, references: Sequence[str]) -> dict[str, float]:
    """`em`, `f1`, `precision` and `recall` of tokens, and `answer_contains`, each 0 to 1.

    Each is the best over the references, but `precision` and `recall` are those of the reference with the
    best F1, so that the three belong together. `references` must not be empty.
    """
    overlap = max((_overlap(answer, reference) for reference in references), key=lambda overlap: overlap.f1)
    return {
        "em": float(any(normalised(answer) == normalised(reference) for reference in references)),
        "f1": overlap.f1,
        "precision": overlap.precision,
        "recall": overlap.recall,
        "answer_contains": float(contains_any(answer, references)),
    }


def contains_any(text: str, references: Sequence[str]) -> bool:
    """Whether a normalised reference occurs in the normalised text, as whole words ("5" is not in "2015").

    A reference of which nothing is left ("A", "the") occurs nowhere.
    """
    padded = f" {normalised(text)} "
    return any(f" {reference} " in padded for reference in map(normalised, references) if reference)


def holds_all(answer: str, must_have: Sequence[Sequence[str]]) -> bool:
    """Whether an answer holds one string of every group, in any letter case."""
    said = " ".join(answer.casefold().split())
    return all(any(one.casefold() in said for one in group) for group in must_have)


def is_right(answer: str, question: EvalQuestion) -> bool | None:
    """Whether an answer's own words are right by the question's strings; None where it names none."""
    said = without_marks(answer)
    if question.must_have:
        return holds_all(said, question.must_have)
    return contains_any(said, question.answers) if question.answers else None


@dataclass(frozen=True, slots=True)
class _Overlap:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def _overlap(answer: str, reference: str) -> _Overlap:
    """Token precision and recall. Two texts of which nothing is left agree, as SQuAD 2.0 has it."""
    found, wanted = normalised(answer).split(), normalised(reference).split()
    if not found or not wanted:
        agree = float(found == wanted)
        return _Overlap(agree, agree)
    common = (Counter(found) & Counter(wanted)).total()
    return _Overlap(common / len(found), common / len(wanted))
