"""Make the sentences that the check is measured on: the demo university's, true and with one fact altered.

    .venv/bin/python -m scripts.research.writing.alter_sentences

Writes corpus/check/sentences.jsonl: quotations of the demo site's pages, some of them with one fact altered
by a rule (a digit, a date, a time, a name, a room, a negation, or a fact of the same passage put in its
place), and the paraphrases of corpus/check/paraphrases.jsonl, which were written by hand before the check
was, each with the ways in which it was falsified by hand; last, true quotations without a number that cite
another passage of their page ("elsewhere"). The rules share no code with the check. The pages are parted by
the hash of their address: "dev" is what the check was built on, "test" what it is measured on.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus.demo_site.site import DEFAULT_ORIGIN, Site
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.extract.extract import extract
from server.models import Passage, SourcePage
from server.sentences import sentences

FOLDER = Path(__file__).resolve().parents[3] / "corpus/check"
PARAPHRASES, SENTENCES = FOLDER / "paraphrases.jsonl", FOLDER / "sentences.jsonl"
SEED, QUOTED, ALTERED_QUOTES, ELSEWHERE = 20261122, 240, 153, 60
LENGTHS = range(35, 230)

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_DATE = re.compile(rf"\b({_MONTH}) (\d{{1,2}})\b")
_CLOCK = re.compile(r"\b(\d{1,2})(:\d\d)? (a\.m\.|p\.m\.)")
_MONEY = re.compile(r"\$\d+(?:,\d{3})*(?:\.\d+)?(?: million)?")
_PLAIN_NUMBER = re.compile(r"(?<![\d$.,:/–-])(?!^\d+\. )\b\d{1,4}\b(?![\d,.:/–-]*\d| (?:a|p)\.m\.)")
_PERSON = re.compile(r"\b(?:Dr\. )?([A-Z][a-z]+ (?:[A-Z][a-z]+(?:-[A-Z][a-z]+)?))(?=,| is | was |\.|;|$)")
_ROOM = re.compile(r"\b((?:Hall|Commons|House|Building|Tannery|Finch|Library) (?:room )?)(\d{2,3})\b")
_EMAIL = re.compile(r"\b([a-z]{4,})@")
_PHONE = re.compile(r"555-(\d{4})")
_FACT = re.compile(r"\d|@|\b(?:not|no|never)\b|\b[A-Z][a-z]+ [A-Z][a-z]+")
_NEGATED = [
    (re.compile(r" (?:do|does|did) not "), " do "),
    (re.compile(r" (is|are|was|were|may|can|will|must) not "), r" \1 "),
    (re.compile(r" cannot "), " can "),
    (re.compile(r" (is|are|was|were|may|will) "), r" \1 not "),
    (re.compile(r" can "), " cannot "),
    (re.compile(r" must "), " need not "),
]

Alter = Callable[[str, str, random.Random], str | None]


@dataclass(frozen=True)
class Sentence:
    """One sentence, the passage it cites, and whether it is true; `kind` is how it was made."""

    id: str
    part: str
    path: str
    chunk: int
    kind: str
    true: bool
    sentence: str


def demo_passages(site: Site) -> dict[str, list[Passage]]:
    """The demo site's passages by page, as the index has them."""
    found: dict[str, list[Passage]] = {}
    for path in site.pages:
        document = extract(SourcePage(DEFAULT_ORIGIN + path, site.render(path)))
        for piece in chunk(document, ChunkSize()):
            number = sum(map(len, found.values())) + 1
            passage = Passage(number, piece.url, piece.title, piece.heading, piece.text)
            found.setdefault(path, []).append(passage)
    return found


def part_of(path: str) -> str:
    """Half of the pages are for building, half for measuring."""
    return "dev" if int(hashlib.sha256(path.encode()).hexdigest(), 16) % 2 else "test"


# --- one fact altered ----------------------------------------------------------------------------


def alter_number(sentence: str, _: str, rng: random.Random) -> str | None:
    """One digit of a sum or a count, never its first into 0."""
    matches = [*_MONEY.finditer(sentence), *_PLAIN_NUMBER.finditer(sentence)]
    return _with_other_digit(sentence, rng.choice(matches).span(), rng) if matches else None


def alter_date(sentence: str, _: str, rng: random.Random) -> str | None:
    """Another day of the month."""
    match = _one(_DATE, sentence, rng)
    if not match:
        return None
    day = rng.choice([day for day in range(1, 29) if day != int(match[2])])
    return _put(sentence, match.span(2), str(day))


def alter_weekday(sentence: str, _: str, rng: random.Random) -> str | None:
    """Another day of the week."""
    match = _one(re.compile("|".join(_WEEKDAYS)), sentence, rng)
    if not match:
        return None
    return _put(sentence, match.span(), rng.choice([day for day in _WEEKDAYS if day != match.group()]))


def alter_time(sentence: str, _: str, rng: random.Random) -> str | None:
    """Another hour."""
    match = _one(_CLOCK, sentence, rng)
    if not match:
        return None
    return _put(sentence, match.span(1), str(rng.choice([h for h in range(1, 13) if h != int(match[1])])))


def alter_name(sentence: str, passage: str, rng: random.Random) -> str | None:
    """Another person of the university, whom the passage does not name."""
    match = _one(_PERSON, sentence, rng)
    strangers = [name for name in PEOPLE if name not in passage]
    return _put(sentence, match.span(1), rng.choice(strangers)) if match else None


def alter_room(sentence: str, _: str, rng: random.Random) -> str | None:
    """One digit of a room."""
    match = _one(_ROOM, sentence, rng)
    return _with_other_digit(sentence, match.span(2), rng) if match else None


def alter_contact(sentence: str, _: str, rng: random.Random) -> str | None:
    """Two letters of an address exchanged, or one digit of a telephone number."""
    if address := _one(_EMAIL, sentence, rng):
        name = address[1]
        turned = name[:-2] + name[-1] + name[-2] if name[-1] != name[-2] else name + "s"
        return _put(sentence, address.span(1), turned)
    phone = _one(_PHONE, sentence, rng)
    return _with_other_digit(sentence, phone.span(1), rng) if phone else None


def alter_negation(sentence: str, _: str, __: random.Random) -> str | None:
    """A denial taken out, or put in."""
    for pattern, instead in _NEGATED:
        if pattern.search(sentence):
            return pattern.sub(instead, sentence, count=1)
    return None


def alter_by_swap(sentence: str, passage: str, rng: random.Random) -> str | None:
    """A sum, date or time of the same passage in the place of the right one."""
    for pattern in rng.sample([_MONEY, _DATE, _CLOCK], 3):
        match = _one(pattern, sentence, rng)
        here = {one.group() for one in pattern.finditer(sentence)}
        others = sorted({one.group() for one in pattern.finditer(passage)} - here)
        if match and others:
            return _put(sentence, match.span(), rng.choice(others))
    return None


ALTERATIONS: Mapping[str, Alter] = {
    "number": alter_number,
    "date": alter_date,
    "weekday": alter_weekday,
    "time": alter_time,
    "name": alter_name,
    "room": alter_room,
    "contact": alter_contact,
    "negation": alter_negation,
    "swap": alter_by_swap,
}
PEOPLE = (
    "Helena Strand",
    "Samuel Teague",
    "Lucien Barrow",
    "Ravi Sundaresan",
    "Tess Arguello",
    "Calvin Osei",
)


def _one(pattern: re.Pattern[str], text: str, rng: random.Random) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return rng.choice(matches) if matches else None


def _put(text: str, span: tuple[int, int], instead: str) -> str:
    return text[: span[0]] + instead + text[span[1] :]


def _with_other_digit(text: str, span: tuple[int, int], rng: random.Random) -> str:
    places = [place for place in range(*span) if text[place].isdigit()]
    place = rng.choice(places)
    allowed = "123456789" if place == places[0] else "0123456789"
    return _put(text, (place, place + 1), rng.choice([digit for digit in allowed if digit != text[place]]))


# --- all of them ---------------------------------------------------------------------------------


def quotations(pages: Mapping[str, Sequence[Passage]], rng: random.Random) -> Iterator[Sentence]:
    """True quotations, and others with a fact altered, the kinds in turn."""
    found = [
        (path, ordinal, passage, passage.text[start:end])
        for path, passages in pages.items()
        for ordinal, passage in enumerate(passages)
        for start, end in sentences(passage.text)
        if end - start in LENGTHS and _FACT.search(passage.text[start:end])
    ]
    rng.shuffle(found)
    for path, ordinal, _, text in found[:QUOTED]:
        yield Sentence("", part_of(path), path, ordinal, "quote", True, text)
    rest, kinds = found[QUOTED:], list(ALTERATIONS)
    for count in range(ALTERED_QUOTES):
        kind = kinds[count % len(kinds)]
        yield _next_altered(rest, kind, rng)


def _next_altered(rest: list[tuple[str, int, Passage, str]], kind: str, rng: random.Random) -> Sentence:
    """The next quotation that can be altered so, taken out of the rest."""
    for i, (path, ordinal, passage, text) in enumerate(rest):
        altered = ALTERATIONS[kind](text, passage.text, rng)
        if altered and altered != text and altered not in passage.text:
            del rest[i]
            return Sentence("", part_of(path), path, ordinal, kind, False, altered)
    raise SystemExit(f"No quotation is left that {kind} can alter.")


def paraphrases(pages: Mapping[str, Sequence[Passage]]) -> Iterator[Sentence]:
    """Those written by hand, true and false; each cites the passage that holds its `quote`."""
    for line in PARAPHRASES.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        path = row["path"]
        ordinals = [i for i, passage in enumerate(pages[path]) if row["quote"] in passage.text]
        if not ordinals:
            raise SystemExit(f"{path} has no passage with {row['quote']!r} any more.")
        yield Sentence("", part_of(path), path, ordinals[0], "paraphrase", True, row["sentence"])
        for altered in row["altered"]:
            kind, text = altered["kind"], altered["sentence"]
            yield Sentence("", part_of(path), path, ordinals[0], kind, False, text)


def elsewhere(pages: Mapping[str, Sequence[Passage]], rng: random.Random) -> Iterator[Sentence]:
    """Quotations without numbers, citing another passage of their page, which does not say them."""
    found = [
        (path, ordinal, passage.text[start:end])
        for path, passages in pages.items()
        if len(passages) > 1
        for ordinal, passage in enumerate(passages)
        for start, end in sentences(passage.text)
        if end - start in LENGTHS and not any(c.isdigit() for c in passage.text[start:end])
    ]
    for path, ordinal, text in rng.sample(found, ELSEWHERE):
        other = rng.choice([i for i in range(len(pages[path])) if i != ordinal])
        yield Sentence("", part_of(path), path, other, "elsewhere", False, text)


def all_sentences() -> list[Sentence]:
    """The whole set, numbered."""
    pages = demo_passages(Site())
    rng = random.Random(SEED)
    made = [*quotations(pages, rng), *paraphrases(pages), *elsewhere(pages, rng)]
    numbered = enumerate(made, 1)
    return [Sentence(**{**asdict(one), "id": f"s{number:03d}"}) for number, one in numbered]


def as_lines(made: Sequence[Sentence]) -> str:
    """The file's text."""
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in made)


def main() -> None:
    """Write the file, and say what is in it."""
    made = all_sentences()
    SENTENCES.write_text(as_lines(made), encoding="utf-8")
    for part in ("dev", "test"):
        true = sum(one.true for one in made if one.part == part)
        print(f"{part}: {true} true, {sum(one.part == part for one in made) - true} altered")


if __name__ == "__main__":
    main()
