"""Open reading sets as writer's examples: the sentence that answers, beside passages that do not."""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts.data_files import read_rows
from server.evaluate.questions import contains_any
from server.models import Passage
from server.training.examples import WriterExample
from server.training.targets import answering_sentence, window

# Set → its licence, as its authors publish it.
LICENCES = {
    "squad-train": "CC-BY-SA-4.0",
    "squad-train-unanswerable": "CC-BY-SA-4.0",
    "tydiqa-en": "Apache-2.0",
    "squadshifts-newwiki": "CC-BY-4.0",
}
RIVALS = 2  # passages that share the question's words, beside the gold one
POOL = 4000  # contexts among which they are looked for
_WORD = re.compile(r"\w+")


def set_file(data: Path, name: str) -> Path:
    """Where a set is, under the data folder."""
    return data / "train" / f"{name}.jsonl.gz"


def reading_examples(data: Path, name: str, asked: int, seed: int) -> Iterator[WriterExample]:
    """So many examples of a set, drawn by the seed."""
    rows = read_rows(set_file(data, name))
    draw = random.Random(f"{name} {seed}")
    contexts = list(dict.fromkeys(row["context"] for row in rows))
    rivals = Rivals(draw.sample(contexts, min(POOL, len(contexts))))
    made = 0
    for row in draw.sample(rows, len(rows)):
        if made == asked:
            return
        example = _of_text(name, row, rivals, draw)
        if example is not None:
            made += 1
            yield example


def _of_text(name: str, row: dict[str, Any], rivals: Rivals, draw: random.Random) -> WriterExample | None:
    context, answers = row["context"], row["answers"]
    texts = [one["text"] for one in answers]
    said = ""
    own = window(context, 0, 1) if not answers else ""
    for one in answers[:1]:
        said = answering_sentence(context, one["start"], one["text"]) or ""
        own = window(context, one["start"], one["start"] + len(one["text"]))
    if answers and not said:
        return None
    others = rivals.of(row["question"], besides=context, answers=texts)
    return _placed(row["id"], name, row["question"], own, others, said, draw, row.get("title") or "")


def _placed(  # noqa: PLR0913, PLR0917  (an example is made of so many things)
    id_: str,
    source: str,
    question: str,
    own: str,
    others: Sequence[str],
    said: str,
    draw: random.Random,
    title: str = "",
) -> WriterExample:
    """The passages in the order a search might have: the gold one first, mostly."""
    texts = [own, *others]
    if len(texts) > 1 and draw.random() < 0.35:
        texts[0], texts[1] = texts[1], texts[0]
    passages = tuple(
        Passage(n, "", title.replace("_", " ") if text is own else "", "", text)
        for n, text in enumerate(texts)
    )
    return WriterExample(id_, source, question, passages, texts.index(own) if said else None, said)


class Rivals:
    """Contexts by their words: those that share a question's rarest."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self._contexts = contexts
        self._holding: dict[str, list[int]] = defaultdict(list)
        for number, context in enumerate(contexts):
            for word in set(_WORD.findall(context.casefold())):
                self._holding[word].append(number)

    def of(self, question: str, besides: str, answers: Sequence[str]) -> list[str]:
        """The nearest ones, cut around what they share, without the context itself and any answer."""
        scores: Counter[int] = Counter()
        for word in set(_WORD.findall(question.casefold())):
            holding = self._holding.get(word, [])
            for number in holding if len(holding) < len(self._contexts) / 5 else []:
                scores[number] += round(100 * math.log(len(self._contexts) / len(holding)))
        near = (self._contexts[number] for number, _ in scores.most_common(3 * RIVALS))
        fit = [text for text in near if text != besides and not contains_any(text, answers)]
        return [window(text, 0, 1, words=60) for text in fit[:RIVALS]]
