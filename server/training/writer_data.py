"""What a writer learns from: a site's questions files as examples, parted, and as chats for the trainer."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.evaluate.questions import EvalQuestion, comparable_url
from server.llm.prompts import Count, PromptStyle, Scene
from server.models import Passage
from server.training.examples import ChatExample, WriterExample, as_chat, write_chat_file
from server.training.keeping import Search
from server.training.targets import LEAST_WORDS, MAX_WORDS, answering_sentence, finished

SHOWN = 4  # passages of an example, where they have room
ASIDE_OF = 6  # of so many pages, one is kept aside


@dataclass(frozen=True, slots=True)
class ChatFiles:
    """How many examples went into `train.jsonl` and `aside.jsonl`, and how many found no room."""

    learnt: int
    aside: int
    left_out: int


def examples_of(questions: Sequence[EvalQuestion], source: str, search: Search) -> Iterator[WriterExample]:
    """The questions that can be learnt from, each with what the site's search brings.

    An answerable one is left out where no passage of its pages with the answer is found, or its answer is
    no sentence; others of its pages are no rivals, as they may answer as well.
    """
    for one in questions:
        found = list(search(one.question))[: 2 * SHOWN]
        example = _of_question(one, source, found)
        if example is not None:
            yield example


def _of_question(one: EvalQuestion, source: str, found: Sequence[Passage]) -> WriterExample | None:
    if one.answerable is False:
        return WriterExample(one.id, source, one.question, tuple(found[:SHOWN]), None, "") if found else None
    own = {comparable_url(url) for url in one.gold_urls}
    holding = (
        (passage, _said(passage, one.answers)) for passage in found if comparable_url(passage.url) in own
    )
    gold, said = next(((passage, said) for passage, said in holding if said), (None, ""))
    if gold is None:
        return None
    rivals = [passage for passage in found if comparable_url(passage.url) not in own]
    place = min(list(found).index(gold), 1, len(rivals))
    shown = (*rivals[:place], gold, *rivals[place : SHOWN - 1])
    return WriterExample(one.id, source, one.question, shown, place, said)


def _said(passage: Passage, answers: Iterable[str]) -> str:
    """The passage's sentence with an answer, or an answer that is a sentence itself; "" for none."""
    for answer in answers:
        start = passage.text.casefold().find(answer.casefold())
        if start < 0:
            continue
        sentence = answering_sentence(passage.text, start, answer)
        if sentence:
            return sentence
        if LEAST_WORDS <= len(answer.split()) <= MAX_WORDS:
            return finished(answer)
    return ""


def is_aside(example: WriterExample) -> bool:
    """Whether an example is for validation: those of a sixth of the pages, by a hash of the address.

    One without a page that answers goes by its question.
    """
    url = example.passages[example.gold].url if example.gold is not None else ""
    return int(hashlib.sha256((url or example.question).encode()).hexdigest(), 16) % ASIDE_OF == 0


def write_chats(  # noqa: PLR0913, PLR0917  (examples, how they are asked, and where to)
    examples: Iterable[WriterExample],
    folder: Path,
    scene: Scene,
    room: int,
    count: Count,
    style: PromptStyle,
    seed: int,
) -> ChatFiles:
    """Both files of the trainer, in an order drawn by the seed."""
    parts: dict[str, list[ChatExample]] = {"train": [], "aside": []}
    left_out = 0
    for example in examples:
        chat = as_chat(example, scene, room, count, style)
        if chat is None:
            left_out += 1
            continue
        part = "aside" if is_aside(example) else "train"
        parts[part].append(chat)
    for name, chats in parts.items():
        random.Random(f"{name} {seed}").shuffle(chats)  # noqa: S311  (an order, no secret)
        write_chat_file(chats, folder / f"{name}.jsonl")
    return ChatFiles(len(parts["train"]), len(parts["aside"]), left_out)
