"""Compare a base with its adapter on the chats that were kept aside, both as llama.cpp serves them.

    .venv-llama/bin/python -m scripts.training.compare_writers --base BASE.gguf --lora adapter.gguf \\
        --data var/writer/chat/aside.jsonl --questions 60

An answer is right where it has at least half of the target's words that are not in the question and cites the
passage that the target cites; for what the passages do not say, where it is "NO ANSWER" and nothing else. It
is a measure by strings, and the same for both. Greedy; the seconds are of the whole answer.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server.llm.prompts import NO_ANSWER, says_no_answer

ANSWER_TOKENS = 64
_WORD = re.compile(r"\w+")
_CITED = re.compile(r"\[(\d+)\]")
_QUESTION = re.compile(r"<question>\n(.*)\n</question>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer is like. `declined`: it says NO ANSWER; `echo`: it has the question's words alone."""

    right: bool
    declined: bool
    cites: bool
    echo: bool
    seconds: float
    text: str


def judge(text: str, target: str, question: str, seconds: float) -> Judged:
    """An answer beside its target."""
    declined = says_no_answer(text)
    asked = set(_words(question))
    echo = bool(_words(text)) and set(_words(text)) <= asked
    cited, wanted = set(_CITED.findall(text)), set(_CITED.findall(target))
    if target == NO_ANSWER:
        return Judged(declined, declined, bool(cited), echo, seconds, text)
    telling = [word for word in _words(target) if word not in asked] or _words(target)
    shared = sum(word in set(_words(text)) for word in telling) / len(telling)
    return Judged(shared >= 0.5 and wanted <= cited, declined, bool(cited), echo, seconds, text)


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not count:
        return 0.0, 1.0
    z = 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def asked(row: Mapping[str, Any]) -> str:
    """The question of a chat."""
    [question] = _QUESTION.findall(row["messages"][-1]["content"])
    return str(question)


def figures(judged: Sequence[Judged], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The shares over the answerable and over the unanswerable questions."""
    pairs = list(zip(judged, rows, strict=True))
    said = [one for one, row in pairs if row["target"] != NO_ANSWER]
    unsaid = [one for one, row in pairs if row["target"] == NO_ANSWER]
    return {
        "right": _share([one.right for one in said]),
        "not_said_right": _share([one.right for one in unsaid]),
        "wrongly_declined": _share([one.declined for one in said]),
        "cites": _share([one.cites for one in said]),
        "echoes_the_question": _share([one.echo for one in judged]),
        "seconds_p50": round(sorted(one.seconds for one in judged)[len(judged) // 2], 2),
    }


def _share(hits: Sequence[bool]) -> dict[str, float]:
    share = sum(hits) / max(len(hits), 1)
    low, high = wilson(share, len(hits))
    return {"value": round(share, 3), "low": round(low, 3), "high": round(high, 3), "of": len(hits)}


def _words(text: str) -> list[str]:
    return _WORD.findall(_CITED.sub("", text).casefold())


def _answers(model: Any, rows: Sequence[Mapping[str, Any]]) -> list[Judged]:
    judged = []
    for row in rows:
        began = time.monotonic()
        reply = model.create_chat_completion(row["messages"], temperature=0.0, max_tokens=ANSWER_TOKENS)
        text = reply["choices"][0]["message"]["content"].strip()
        judged.append(judge(text, row["target"], asked(row), time.monotonic() - began))
    return judged


def main() -> None:
    """Print the figures of both, and keep every answer."""
    from llama_cpp import Llama

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--lora", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--answers", type=Path, help="a file for the answers, a JSON line each")
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.data.read_text(encoding="utf-8").splitlines()][: args.questions]
    kept: list[dict[str, Any]] = []
    for name, lora in (("as it comes", None), ("finetuned", str(args.lora))):
        model = Llama(
            str(args.base), n_ctx=1024, n_threads=args.threads, seed=7, verbose=False, lora_path=lora
        )
        judged = _answers(model, rows)
        print(name, json.dumps(figures(judged, rows)), flush=True)
        kept += [
            {"writer": name, "id": row["id"], "target": row["target"], **asdict(one)}
            for one, row in zip(judged, rows, strict=True)
        ]
    if args.answers:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        args.answers.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
