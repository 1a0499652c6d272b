"""How long a draft takes to be tried on past questions.

    python -m corpus.demo_site.serve --port 8090 &
    export LODGE_HOME=var/demo
    lodge crawl http://127.0.0.1:8090 --private-host 127.0.0.1:8090 --delay 0 && lodge index
    .venv/bin/python -m scripts.research.console.measure_preview --questions 1000 --prefix /news/

The questions are those of `corpus/` (golden questions, paraphrases, dialogues, general questions), recorded
as if visitors had asked them, in a store of its own that is thrown away. One filter leaves out the addresses
that begin with `--prefix`. It is tried twice: the second time the answers as they are are remembered.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from server.models import Question
from server.models.curation import LeaveOut, RuleSet
from server.settings import PROJECT, Settings
from server.wiring import serving as answering
from server.workbench.jobs import JobProgress

CORPUS = PROJECT / "corpus"


def questions() -> Iterator[str]:
    """Each once: about the demo university first, then about anything."""
    for line in (CORPUS / "golden_questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["question"]
    for name in ("curated_pairs.jsonl", "dialogues.jsonl"):
        for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
            yield from _texts(json.loads(line))
    yield from (CORPUS / "general_questions.txt").read_text(encoding="utf-8").splitlines()


def _texts(value: object) -> Iterator[str]:
    """Every text in a line that looks like a question."""
    if isinstance(value, str) and len(value.split()) > 2 and not value.startswith("http"):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def main() -> None:
    """Prints a line for each step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--prefix", default="/news/", help="which pages the draft leaves out (/news/)")
    given = parser.parse_args()
    settings = Settings.read(os.environ)
    wanted = list(dict.fromkeys(line.strip() for line in questions() if line.strip()))[: given.questions]
    with tempfile.TemporaryDirectory() as folder:
        own = replace(settings, records_url=f"sqlite:///{Path(folder) / 'records.sqlite'}")
        serving = answering.build_serving(own)
        try:
            begun = time.perf_counter()
            for n, text in enumerate(wanted):
                list(serving.asker.ask(Question(text, f"c{n}", f"m{n}", f"t{n}")))
            seconds = time.perf_counter() - begun
            print(f"asked: {len(wanted)} questions, {seconds:.1f} s, {len(wanted) / seconds:.1f} a second")
            draft = RuleSet("main", (LeaveOut("one", "prefix", given.prefix),))
            begun = time.perf_counter()
            pages = serving.previews.pages(draft)
            took = 1000 * (time.perf_counter() - begun)
            print(f"pages: leaves out {pages['goes']} of {pages['total']}, {took:.0f} ms")
            for name in ("tried", "tried again"):
                found = serving.previews.preview(
                    draft, JobProgress(lambda **_: None, threading.Event()), given.questions
                )
                print(
                    f"{name}: {found['questions']} questions, {found['asked_twice']} asked with the draft, "
                    f"{found['changed']} change, {found['loses_page']} lose a page, {found['seconds']} s, "
                    f"{found['questions'] / found['seconds']:.1f} a second"
                )
        finally:
            serving.close()


if __name__ == "__main__":
    main()
