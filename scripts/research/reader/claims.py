"""What the verdict is learnt from: claims and yes/no questions, each with a text and what that says of it.

MNLI (Williams et al. 2018; OANC), e-SNLI (Camburu et al. 2018; CC BY-SA 4.0), FEVER (Thorne et al. 2018;
CC BY-SA 3.0) and its symmetric part (Schuster et al. 2019; MIT), Breaking NLI (Glockner et al. 2018;
CC BY-SA 4.0), SummEdits (Laban et al. 2023; Apache-2.0), BoolQ (Clark et al. 2019; CC BY-SA 3.0), and
sentences of SQuAD's training paragraphs, as they stand and with a fact changed. What FEVER and BoolQ lack,
claims of which a text says nothing, are claims of theirs beside another row's text.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from scripts.data_files import read_rows
from server.sentences import sentences

FILES = (
    "mnli",
    "esnli",
    "fever",
    "fever-symmetric",
    "breaking-nli",
    "summedits",
    "boolq",
    "squad-train",
)
CLAIM_LICENCES = (
    "MNLI OANC, e-SNLI and Breaking NLI CC-BY-SA-4.0, FEVER and BoolQ CC-BY-SA-3.0, SummEdits Apache-2.0"
)
_LONGEST_WORDS = 170  # of a text; more does not fit beside a claim
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
_VERB = re.compile(r"\b(is|are|was|were|has|have|had|can|could|may|will|would|must|should)\b(?! not\b)")
_SENTENCE_WORDS = range(8, 40)


class Verdict(IntEnum):
    """What a text says of a claim, and of a yes/no question: yes, no, or neither."""

    SUPPORTED = 0
    CONTRADICTED = 1
    NOT_SAID = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim or a yes/no question beside a text. `kept_aside`: nothing is learnt from it."""

    source: str
    claim: str
    text: str
    verdict: Verdict
    kept_aside: bool = False


def read_claims(data: Path, seed: int) -> list[Claim]:
    """Every claim of the sets, in an order drawn by `seed`; a tenth of each set's texts is kept aside."""
    rng = random.Random(seed)
    found = [
        *_labelled(data, "mnli", _NLI),
        *_labelled(data, "esnli", _NLI, 8000, rng),
        *_labelled(data, "breaking-nli", _NLI, 2000, rng),
        *_unrelated(_labelled(data, "fever", _FEVER), rng),
        *_labelled(data, "fever-symmetric", _FEVER),
        *_labelled(data, "summedits", _EDITED),
        *_unrelated(_yes_no(data), rng),
        *_sentences(data, rng),
    ]
    rng.shuffle(found)
    return found


def claim_files(data: Path) -> list[Path]:
    """The files that `read_claims` reads."""
    return [data / "train" / f"{name}.jsonl.gz" for name in FILES]


_NLI = {
    "entailment": Verdict.SUPPORTED,
    "contradiction": Verdict.CONTRADICTED,
    "neutral": Verdict.NOT_SAID,
}
_EDITED = {"supported": Verdict.SUPPORTED, "not supported": Verdict.CONTRADICTED}
_FEVER = {"SUPPORTS": Verdict.SUPPORTED, "REFUTES": Verdict.CONTRADICTED}


def _labelled(
    data: Path,
    name: str,
    labels: dict[str, Verdict],
    most: int | None = None,
    rng: random.Random | None = None,
) -> list[Claim]:
    rows = read_rows(data / "train" / f"{name}.jsonl.gz")
    made = [
        Claim(name, row["claim"].strip(), row["context"], labels[row["label"]], _is_aside(row["context"]))
        for row in rows
        if row["label"] in labels and len(row["context"].split()) <= _LONGEST_WORDS
    ]
    return rng.sample(made, most) if rng and most and most < len(made) else made


def _yes_no(data: Path) -> list[Claim]:
    return [
        Claim(
            "boolq",
            row["question"],
            row["context"],
            Verdict.SUPPORTED if row["answer"] == "yes" else Verdict.CONTRADICTED,
            _is_aside(row["context"]),
        )
        for row in read_rows(data / "train" / "boolq.jsonl.gz")
        if len(row["context"].split()) <= _LONGEST_WORDS
    ]


def _unrelated(claims: list[Claim], rng: random.Random) -> list[Claim]:
    """The claims and, of half as many, each beside the text that shares most of its names or words.

    A text that shares nothing would teach nothing: most claims that a text does not decide are near it.
    """
    by_word: dict[str, list[int]] = {}
    for i, one in enumerate(claims):
        for word in sorted(set(_content(one.text))):
            by_word.setdefault(word, []).append(i)
    made = []
    for i in rng.sample(range(len(claims)), len(claims) // 2):
        one, near = claims[i], _nearest(claims[i], by_word)
        others = [claims[j] for j in near if claims[j].text != one.text]
        if others:
            other = rng.choice(others[:5])
            aside = one.kept_aside or other.kept_aside
            made.append(Claim(one.source, one.claim, other.text, Verdict.NOT_SAID, aside))
    return claims + made


def _nearest(one: Claim, by_word: dict[str, list[int]]) -> list[int]:
    counts: dict[int, float] = {}
    for word in sorted(set(_content(one.claim))):
        places = by_word.get(word, [])
        if len(places) < 200:
            for j in places:
                counts[j] = counts.get(j, 0.0) + 1 / len(places)
    return sorted(counts, key=lambda j: (-counts[j], j))[:12]


def _content(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3]


def _sentences(data: Path, rng: random.Random) -> Iterator[Claim]:
    """One sentence of each of SQuAD's paragraphs: as it stands, changed, or beside another paragraph."""
    texts = list(dict.fromkeys(row["context"] for row in read_rows(data / "train" / "squad-train.jsonl.gz")))
    texts = [text for text in texts if len(text.split()) <= _LONGEST_WORDS]
    names = [name for text in texts[::20] for name in _NAME.findall(text)]
    for text, other in zip(texts, [*texts[1:], texts[0]], strict=True):
        cuts = [text[a:b] for a, b in sentences(text)]
        cuts = [cut for cut in cuts if len(cut.split()) in _SENTENCE_WORDS]
        if not cuts:
            continue
        aside = _is_aside(text)
        yield Claim("squad", rng.choice(cuts), text, Verdict.SUPPORTED, aside)
        changes: Sequence[Callable[[], str | None]] = (
            lambda cuts=cuts, text=text: _swapped(rng.choice(cuts), text, _NAME, rng),  # type: ignore[misc]
            lambda cuts=cuts, text=text: _swapped(rng.choice(cuts), text, _NUMBER, rng),  # type: ignore[misc]
            lambda cuts=cuts: _replaced(rng.choice(cuts), names, rng),  # type: ignore[misc]
            lambda cuts=cuts: _denied(rng.choice(cuts)),  # type: ignore[misc]
        )
        for change in rng.sample(changes, 4):
            changed = change()
            if changed and changed not in text:
                yield Claim("squad", changed, text, Verdict.CONTRADICTED, aside)
                break
        if rng.random() < 0.3:  # a sentence without its paragraph: the one before or after it by number
            yield Claim("squad", rng.choice(cuts), other, Verdict.NOT_SAID, aside or _is_aside(other))


def _swapped(sentence: str, text: str, fact: re.Pattern[str], rng: random.Random) -> str | None:
    """The sentence with one of its facts put in place by another of the same text."""
    own = list(fact.finditer(sentence))
    others = sorted({one.group() for one in fact.finditer(text)} - {one.group() for one in own})
    if not own or not others:
        return None
    place = rng.choice(own)
    return sentence[: place.start()] + rng.choice(others) + sentence[place.end() :]


def _replaced(sentence: str, names: Sequence[str], rng: random.Random) -> str | None:
    own = list(_NAME.finditer(sentence))
    if not own or not names:
        return None
    place = rng.choice(own)
    return sentence[: place.start()] + rng.choice(names) + sentence[place.end() :]


def _denied(sentence: str) -> str | None:
    """The sentence without its "not", or with one."""
    if " not " in sentence:
        return sentence.replace(" not ", " ", 1)
    changed = _VERB.sub(r"\1 not", sentence, count=1)
    return changed if changed != sentence else None


def _is_aside(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10 == 0
