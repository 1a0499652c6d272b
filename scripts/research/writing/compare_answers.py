"""How the demo's questions fare by quoting, with a language model, and by one from memory alone.

    python -m scripts.research.writing.compare_answers --ways quoted --into var/written/quoted.jsonl
    LODGE_LLM_URL=… python -m scripts.research.writing.compare_answers --name finetuned --ways model,memory \\
        --into var/written/finetuned.jsonl
    python -m scripts.research.writing.compare_answers --tables var/written/quoted.jsonl …

Asks the visitors' questions of the half kept aside and the golden ones over the live snapshot of LODGE_HOME,
and keeps a JSON line each. `model`: what visitors are shown with the model of LODGE_LLM_URL; `memory`: closed
book, it is given no passages and nothing is checked. An answer with all that it must have is right, one with
some of it partly right; of a question that the site does not answer only a refusal is. `unsupported` are the
sentences of the model's that state a fact (a number, a name, a day) which the check does not find in the five
passages that quoting puts first for each of a line's questions.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from tqdm import tqdm

from scripts.research.retrieval.measure_retrieval import Asked, ask_with_trace, larkmoor_questions
from server.ask.grounding.check_sentence import Evidence, check_sentence
from server.ask.grounding.citation_markers import cited_sentences
from server.ask.grounding.source import Source
from server.ask.pipeline import Asker
from server.ask.ports import CrossEncoder
from server.evaluate.questions import holds_all, read_questions
from server.evaluate.significance import share_interval
from server.models import Answer, Passage
from server.settings import PROJECT, Settings
from server.wiring.flow import build_reranker
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"
WAYS = ("quoted", "model", "memory")
GRADES = ("right", "partly", "wrong", "refused")
READ = 5


def questions_of(name: str) -> list[Asked]:
    """The half kept aside of the visitors' questions, or the golden ones."""
    if name == "aside":
        return larkmoor_questions("aside")
    rows = read_questions(PROJECT / "corpus" / "golden_questions.jsonl", lambda _line, _why: None)
    return [
        Asked(
            one.id,
            one.question,
            one.kind or "",
            bool(one.answerable),
            frozenset(one.gold_urls),
            one.answers,
            one.must_have or ((one.answers,) if one.answers else ()),
            one.history,
            one.day,
        )
        for one in rows
    ]


def grade_of(shown: str, asked: Asked, *, refused: bool) -> str:
    """ "right", "partly", "wrong" or "refused", by what an answer must have."""
    if refused or not shown.strip():
        return "refused"
    held = [holds_all(shown, [group]) for group in asked.must_have] if asked.answerable else []
    return "right" if held and all(held) else "partly" if any(held) else "wrong"


def unsupported_in(text: str, passages: Sequence[Passage], grounds: Evidence) -> tuple[int, int]:
    """Of a model's text the sentences with a fact that the passages do not support, and all with one."""
    claims = [one.text for one in cited_sentences([text]) if Source(one.text, grounds.words).facts]
    bad = [one for one in claims if not check_sentence(one, passages, grounds).supported]
    return len(bad), len(claims)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer: its `name`, and the flow that does. Its claims are held against what quoting finds."""

    name: str
    asker: Asker
    by_quoting: Asker
    reader: CrossEncoder | None

    def ask_all(self, most: int | None) -> Iterator[dict[str, Any]]:
        """Each question's answer, graded."""
        for which in ("aside", "golden"):
            for asked in tqdm(questions_of(which)[:most], desc=f"{self.name}, {which}", mininterval=10):
                start = time.perf_counter()
                answer, _ = ask_with_trace(self.asker, asked, STRATEGY)
                seconds = round(time.perf_counter() - start, 2)
                yield {"set": which, "way": self.name, "seconds": seconds, **self._row(asked, answer)}

    def _row(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        by_model = answer.answerer == "llm"
        bad, claims = self._unsupported(asked, answer.answer) if by_model else (0, 0)
        return {
            "id": asked.id,
            "answerable": asked.answerable,
            "tier": answer.tier,
            "grade": grade_of(answer.answer, asked, refused=answer.refused),
            "by_model": by_model,
            "claims": claims,
            "unsupported": bad,
            "words": len(answer.answer.split()),
            "answer": answer.answer,
        }

    def _unsupported(self, asked: Asked, text: str) -> tuple[int, int]:
        _, trace = ask_with_trace(self.by_quoting, asked, STRATEGY)
        ranked = [hit for step in trace.steps if step.step == "rerank" for hit in step.ranking[:READ]]
        passages = [trace.passages[chunk_id] for chunk_id in dict.fromkeys(hit.chunk_id for hit in ranked)]
        with self.by_quoting._lease() as index:
            return unsupported_in(text, passages, Evidence(index.text, self.reader))


def tell(files: Sequence[Path]) -> None:
    """Print a table a set, a row a way."""
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    for which in dict.fromkeys(row["set"] for row in rows):
        print(f"\n| {which} | right | partly | wrong | refused | not said: shown | by the model | "
              "unsupported of its claims | words | s, mean |\n|" + "---|" * 10)  # fmt: skip
        for way in dict.fromkeys(row["way"] for row in rows):
            own = [row for row in rows if (row["set"], row["way"]) == (which, way)]
            print(_table_row(way, own))


def _table_row(way: str, rows: Sequence[dict[str, Any]]) -> str:
    said = [row for row in rows if row["answerable"]]
    unsaid = [row for row in rows if not row["answerable"]]
    counts = Counter(row["grade"] for row in said)
    shares = [share_interval(counts[grade], len(said)) for grade in GRADES]
    cells = [f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in shares]
    shown = [row for row in rows if row["grade"] != "refused"]
    claims = sum(row["claims"] for row in rows)
    cells += [
        f"{sum(row['grade'] != 'refused' for row in unsaid)} of {len(unsaid)}",
        f"{sum(row['by_model'] for row in rows)}",
        f"{sum(row['unsupported'] for row in rows)} of {claims}" if claims else "–",
        f"{mean(row['words'] for row in shown):.0f}" if shown else "–",
        f"{mean(row['seconds'] for row in rows):.1f}",
    ]
    return f"| {way} | " + " | ".join(cells) + " |"


def main() -> None:
    """Ask and keep, or print what was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--name", default="the model")
    parser.add_argument("--ways", default="quoted", help=f"some of {', '.join(WAYS)}")
    parser.add_argument("--into", type=Path)
    parser.add_argument("--most", type=int, help="so many questions of each set")
    parser.add_argument("--tables", type=Path, nargs="+", metavar="FILE")
    given = parser.parse_args()
    if given.tables:
        tell(given.tables)
        return
    if given.into is None:
        parser.error("--into names the file")
    settings = Settings.read(os.environ)
    given.into.parent.mkdir(parents=True, exist_ok=True)
    with open_ground(settings, None) as ground, given.into.open("w", encoding="utf-8") as out:
        by_quoting = ground.asker(replace(settings, llm_url=""))
        askers = {
            "quoted": lambda: by_quoting,
            "model": lambda: ground.asker(settings),
            "memory": lambda: ground.asker(replace(settings, chat_mode="simple")),
        }
        for way in given.ways.split(","):
            name = way if way == "quoted" else f"{given.name}, {way}"
            for row in Way(name, askers[way](), by_quoting, build_reranker(settings)).ask_all(given.most):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
