"""Build chats that teach a model to write questions: visitors' ones on their pages, and SQuAD turned round.

    .venv/bin/python -m scripts.training.build_questions --data ../shared/data --out var/asker \\
        --tokenizer var/base/tokenizer.json

The prompt is the one of `lodge train questions` (`server/training/asking.py`), with a page's parts as it cuts
them; the target is the JSON it reads. `train.jsonl` and `aside.jsonl` are what the trainer reads; the latter
is of pages that are kept aside (`is_kept_aside`).
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from corpus.visitors.sets import PageQuestion, is_kept_aside, read_page_questions
from scripts.data_files import read_rows
from scripts.research.reader.mining import holds_quote, searchable
from scripts.research.reader.sources import own_site_visitors
from scripts.training.chat_files import arguments, counter
from scripts.training.reading_sets import set_file
from server.evaluate.questions import contains_any
from server.llm.prompts import Count
from server.models import Passage
from server.settings import Settings
from server.training.asking import GeneratedQuestion, PageChunks, as_reply, in_parts, question_prompt
from server.training.examples import ChatExample, write_chat_file
from server.training.keeping import is_well_formed
from server.wiring.training import pages_of

# Made-up universities whose questions were written from their pages; none is the demo's.
SITES = ("marrowby", "ostrander", "wendham", "aldermoor", "calverton", "hartsgrove", "pellerin")
PARAGRAPHS = 300  # of SQuAD
ROOM = 400  # tokens of a prompt
MOST = 3  # questions of a chat
MOST_WORDS = 14  # of an answer that is copied


def main() -> None:
    """Write the chats."""
    args = arguments(__doc__ or "")
    count = counter(args.tokenizer)
    settings = replace(Settings.read(os.environ), home=args.out.resolve())
    pairs = [pair for site in SITES for pair in site_chats(site, settings, count)]
    aside = [chat for chat, kept_aside in pairs if kept_aside]
    learnt = [chat for chat, kept_aside in pairs if not kept_aside]
    learnt += paragraph_chats(read_rows(set_file(args.data, "squad-train")), PARAGRAPHS, count)
    for name, chats in (("train", learnt), ("aside", aside)):
        random.Random(1).shuffle(chats)
        file = args.out / "chat" / f"{name}.jsonl"
        print(f"{file}: {write_chat_file(chats, file)} chats")


def site_chats(site: str, settings: Settings, count: Count) -> Iterator[tuple[ChatExample, bool]]:
    """A chat for each part of each page that its visitors asked about, and whether the page is kept aside."""
    asked: dict[str, list[PageQuestion]] = defaultdict(list)
    for row in read_page_questions(site):
        if row.answerable:
            asked[row.url].append(row)
    with searchable(own_site_visitors(site), settings) as (index, _):
        pages = pages_of(index.snapshot)
    for page in pages:
        for n, part in enumerate(in_parts(page, ROOM, count)):
            rows = [(row, *_copied(row, part)) for row in asked[page.url]]
            questions = [as_asked(row.question, text, label) for row, text, label in rows if text]
            chat = chat_of(f"{site}-{page.url}-{n}", site, part, questions)
            if chat is not None:
                yield chat, is_kept_aside(page.url)


def _copied(row: PageQuestion, part: PageChunks) -> tuple[str, str]:
    """The answer as a chunk of the part has it, and that chunk's label; empty where none has."""
    for label, chunk in zip(ascii_uppercase, part.chunks, strict=False):
        if not holds_quote(chunk.text, row.quote):
            continue
        for text in (row.cell, row.answer, row.quote):
            if text and len(text.split()) <= MOST_WORDS and contains_any(chunk.text, [text]):
                return text, label
    return "", ""


def as_asked(question: str, answer: str, label: str) -> GeneratedQuestion:
    """A visitor's question with its mark, as people write one who have a moment."""
    question = question.strip()
    written = question[:1].upper() + question[1:].rstrip(" ?.") + "?"
    return GeneratedQuestion(written, answer, label)


def chat_of(
    id_: str, source: str, part: PageChunks, questions: Sequence[GeneratedQuestion]
) -> ChatExample | None:
    """A prompt for one to three questions on the part, and those, drawn by the id; None of no question."""
    fit = [one for one in questions if is_well_formed(one)]
    if not fit:
        return None
    draw = random.Random(id_)
    number = min(draw.randint(1, MOST), len(fit))
    chosen: list[GeneratedQuestion] = []
    for one in draw.sample(fit, len(fit)):
        if len(chosen) < number and all(one.answer != other.answer for other in chosen):
            chosen.append(one)
    return ChatExample(id_, source, question_prompt(part, len(chosen)), as_reply(chosen))


def paragraph_chats(rows: Sequence[dict[str, Any]], wanted: int, count: Count) -> list[ChatExample]:
    """SQuAD turned round: paragraphs, drawn by a fixed seed, with the questions that were asked on them."""
    asked: dict[str, list[GeneratedQuestion]] = defaultdict(list)
    for row in rows:
        if row["answers"] and len(row["answers"][0]["text"].split()) <= MOST_WORDS:
            asked[row["context"]].append(
                as_asked(row["question"], row["answers"][0]["text"].strip(' "(),.'), "A")
            )
    chats: list[ChatExample] = []
    for text in random.Random(2).sample(sorted(asked), len(asked)):
        if len(chats) == wanted:
            break
        page = PageChunks("", "", (Passage(0, "", "", "", text),))
        prompt = question_prompt(page, 1)
        if len(asked[text]) >= MOST and sum(count(message.content) for message in prompt) <= ROOM:
            chat = chat_of(f"squad-{len(chats)}", "squad-train", page, asked[text])
            chats += [chat] if chat else []
    return chats


if __name__ == "__main__":
    main()
