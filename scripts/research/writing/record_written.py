"""Have a language model answer visitors' questions, and keep what it wrote with the passages it was shown.

    LODGE_LLM_URL=… LODGE_LLM_FIRST_TOKEN_S=120 LODGE_LLM_STALL_S=60 LODGE_LLM_TOTAL_S=300 \\
        python -m scripts.research.writing.record_written larkmoor --into var/written/larkmoor.jsonl \\
        [--temperatures 0.2,0.8] [--most 40] [--pages var/quennell.jsonl.gz] [--unseen] [--short]

A JSON line for each question that reaches the model and each temperature: its prompt's passages, the text as
it came, unchecked, and the time it took. Questions that are in the file already are left out, so that a run
that was stopped goes on. `scripts.research.writing.measure_written` puts these answers through the flow.

`--short`: a prompt of two lines and the best two passages. A model of 135 million parameters cannot keep to
the rules of the server's own prompt, and writes more that is a claim at all without them.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from corpus.sites.build import NAMES
from scripts.research.retrieval.measure_retrieval import Asked, ask_with_trace, questions_of
from server.ask.context import Models
from server.ask.pipeline import Asker
from server.ask.ports import PromptContext
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.wire import ChatMessage, Finish
from server.models import Passage
from server.settings import Settings
from server.wiring.generation import ChatManuscript, ChatWriter
from server.wiring.measuring import open_ground
from server.wiring.opening import site_name

SHORT = """\
{passages}

Answer the question from this text in one or two sentences.
Question: {question}"""


@dataclass(frozen=True, slots=True)
class Prompted:
    """A question as the model is asked it, with the passages it is shown, number 1 first."""

    question: str
    passages: tuple[Passage, ...]
    prompt: tuple[str, ...]


class ListeningWriter(ChatWriter):
    """A writer that keeps every prompt and writes nothing."""

    def __init__(self, options: ChatOptions, site: str, today: date | None) -> None:
        super().__init__(options, site, today)
        self.heard: list[Prompted] = []

    def begin(
        self,
        question: str,
        passages: Sequence[Passage],
        history: Sequence[tuple[str, str]],
        scene: PromptContext,
    ) -> ChatManuscript:
        """The prompt as it would be sent, kept; the answer has no piece."""
        stream = super().begin(question, passages, history, scene)
        self.heard.append(Prompted(question, tuple(stream.passages), tuple(stream.notes["prompt"])))
        return _Silent(stream)


class _Silent(ChatManuscript):
    """An answer without a word."""

    def __init__(self, stream: ChatManuscript) -> None:
        super().__init__(stream._client, stream._messages, stream.passages, stream.notes)

    def pieces(self) -> Generator[str, None, None]:
        """None."""
        yield from ()


def prompts_of(asker: Asker, writer: ListeningWriter, asked: Asked, strategy: str) -> list[Prompted]:
    """What the model would be asked for a visitor's line; nothing where it is refused before."""
    writer.heard.clear()
    ask_with_trace(asker, asked, strategy)
    return list(writer.heard)


def shortened(prompted: Prompted) -> Prompted:
    """The same question of the best two passages, which stand first and last, in few words."""
    best = tuple(dict.fromkeys((prompted.passages[0], prompted.passages[-1])))
    shown = "\n\n".join(f"{one.title}. {one.heading}\n{one.text}" for one in best)
    return Prompted(prompted.question, best, (SHORT.format(passages=shown, question=prompted.question),))


def written(client: ChatClient, prompted: Prompted) -> dict[str, Any]:
    """The model's text, and how it came about; an `LlmUnavailableError` where it breaks off."""
    *system, user = prompted.prompt
    stream = client.stream([*(ChatMessage("system", one) for one in system), ChatMessage("user", user)])
    pieces: list[str] = []
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            finish: Finish = end.value
            return {"text": "".join(pieces), **asdict(finish)}


def as_row(name: str, asked: Asked, prompted: Prompted) -> dict[str, Any]:
    """What is known of an answer before it is written."""
    passages = [
        {"url": one.url, "title": one.title, "heading": one.heading, "text": one.text}
        for one in prompted.passages
    ]
    return {"set": name, "id": asked.id, "question": prompted.question, "passages": passages}


def known_ids(file: Path) -> set[str]:
    """The questions that the file has."""
    if not file.exists():
        return set()
    return {json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()}


def spread(questions: Sequence[Asked], most: int | None) -> Sequence[Asked]:
    """So many of them, spread over the set."""
    return questions[:: max(1, len(questions) // most)][:most] if most else questions


def record(given: argparse.Namespace, settings: Settings) -> None:
    """Every question that the file lacks, at each temperature."""
    options = ChatOptions.of(settings)
    temperatures = [float(one) for one in given.temperatures.split(",")]
    clients: Mapping[float, ChatClient] = {
        one: ChatClient(replace(options, temperature=one)) for one in temperatures
    }
    writer = ListeningWriter(options, site_name(settings), settings.day)
    known = known_ids(given.into)
    given.into.parent.mkdir(parents=True, exist_ok=True)
    with open_ground(settings, given.pages) as ground, given.into.open("a", encoding="utf-8") as out:
        ground.prepare(print, print)
        asker = _with_writer(ground.asker(settings), writer)
        for asked in spread(questions_of(given.set, "work", unseen=given.unseen), given.most):
            if asked.id in known:
                continue
            for heard in prompts_of(asker, writer, asked, given.strategy):
                prompted = shortened(heard) if given.short else heard
                for temperature, client in clients.items():
                    row = as_row(given.set, asked, prompted) | {"temperature": temperature}
                    row["prompt"] = "short" if given.short else "own"
                    out.write(json.dumps(row | written(client, prompted), ensure_ascii=False) + "\n")
                    out.flush()
    for client in clients.values():
        client.close()
    writer.close()


def _with_writer(asker: Asker, writer: ChatWriter) -> Asker:
    """The same flow, by another language model than that of the settings."""
    models: Models = replace(asker._models, writer=writer, condense=None)
    return Asker(asker._lease, models, asker.options, None, asker.site_config)


def main() -> None:
    """Read the arguments and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=("larkmoor", "handbook", *NAMES))
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--temperatures", default="0.2,0.8")
    parser.add_argument("--most", type=int, help="ask so many questions, spread over the set")
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--strategy", default="hybrid+rerank")
    parser.add_argument("--unseen", action="store_true", help="of pages alone that nothing was learnt from")
    parser.add_argument("--short", action="store_true", help="a prompt of two lines and two passages")
    record(parser.parse_args(), Settings.read(os.environ))


if __name__ == "__main__":
    main()
