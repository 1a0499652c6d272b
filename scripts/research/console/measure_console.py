"""How long the admin API's calls and the console's pages take on a records store.

    .venv/bin/python -m scripts.seed_records --records sqlite:///var/seeded/records.sqlite
    .venv/bin/python -m scripts.research.console.measure_console --records sqlite:///var/seeded/records.sqlite

A server with the admin API alone is started on loopback over the store. Each call is made `--rounds` times
over HTTP, in turns with the others, and read to its end; each page of the console is run by Streamlit's own
test driver, which leaves out what the browser does. The store gets two tokens that expire the next day.

First, all questions not answered well are put into gaps, which stay in the store; a draft of filters
takes the place of any there is, and an owner of a topic is named; golden questions and a hundred runs of them
are put there, if there are none. What needs pages, runs of `lodge eval` or crawls is measured over those of
`LODGE_HOME`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import uvicorn
from litestar import Litestar

import admin
from server.app import tools_of
from server.models.curation import LeaveOut, RuleSet
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.models.notifications import Owner
from server.settings import PROJECT, Settings
from server.wiring.serving import Serving, build_serving
from server.workbench.jobs import JobProgress
from server.workbench.records import Records
from server.workbench.router import admin_router

API = "/admin/api/v1"
CORPUS = PROJECT / "corpus"
CONSOLE = Path(admin.__file__).parent / "console.py"
OWNER = Owner("measured", "main", "topic", "academics", "Registrar")
RUNS = 100  # of golden questions
DRAFT = RuleSet("main", (LeaveOut("news", "prefix", "/news/"), LeaveOut("old", "older", "36")))
START_S = 20.0
# What a person would look for; `{…}` is taken from the store.
SEARCHES: Mapping[str, str] = {
    "all": "",
    "one site": "site=library",
    "one month": "since=2026-03-01&until=2026-03-31",
    "topic": "topic=academics",
    "refused": "refused=true",
    "degraded": "degraded=true",
    "rated unhelpful": "rating=unhelpful",
    "rated unhelpful, refused, degraded": "rating=unhelpful&refused=true&degraded=true",
    "not rated": "rating=none",
    "by the language model": "answerer=llm",
    "a common word": "text=tuition",
    "words nobody wrote": "text=nobody wrote this",
    "a cited page": "url={cited}",
    "a page nobody cites": "url=https://nowhere.example/",
    "everything at once": "topic=academics&refused=false&rating=helpful&answerer=extractive&text=the",
}
# The console's pages by their name in the table: the file, and what is in the address (`{…}`: of the store).
PAGES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "overview, a month": ("coverage/overview", {}),
    "overview, everything": ("coverage/overview", {"since": "2026-01-01"}),
    "were they right": ("coverage/judge", {}),
    "were they right, refused": ("coverage/judge", {"outcome": "refused"}),
    "missing answers": ("gaps/gaps", {}),
    "missing answers, everything": ("gaps/gaps", {"since": "2026-01-01", "state": "all"}),
    "one missing answer": ("gaps/gap", {"id": "{gap}"}),
    "feedback": ("conversations/feedback", {}),
    "coverage": ("coverage/coverage", {}),
    "conversations": ("conversations/conversations", {}),
    "conversations, words nobody wrote": ("conversations/conversations", {"text": "nobody wrote this"}),
    "conversation": ("conversations/conversation", {"id": "{conversation}"}),
    "trace": ("traces/trace", {"id": "{trace}"}),
    "mend an answer": ("mending/mend", {"trace": "{trace}"}),
    "golden questions": ("golden/golden", {}),
    "golden question": ("golden/golden_question", {"id": "{golden}"}),
    "worth keeping": ("labelling/label", {}),
    "evaluation": ("evaluations/evaluation", {}),
    "which is better": ("evaluations/blind", {}),
    "crawl": ("crawls/crawl", {}),
    "snapshots": ("snapshots/snapshots", {}),
    "filters and answers": ("curation/filters", {}),
    "opening hours": ("hours/hours", {}),
    "hours of a place": ("hours/place", {"url": "{url}", "place": "{place}"}),
    "the widget": ("sites/widget", {}),
    "owners": ("owners/owners", {}),
    "what waits for an owner": ("owners/owned", {"name": "{owner}"}),
    "notifications": ("notifications/notifications", {}),
    "who changed what": ("access/audit", {}),
}
OVER_PAGES = {
    "coverage/coverage",
    "curation/filters",
    "hours/hours",
    "hours/place",
    "mending/mend",
    "owners/owned",
}


def calls(client: httpx.Client) -> dict[str, str]:
    """What is called, by its name in the table."""
    rows = client.get("/conversations?limit=200&refused=false").json()["conversations"]
    one = client.get(f"/conversations/{rows[0]['id']}").json()
    answers = [message for message in one["messages"] if message["answer"]]
    cited = next(c["url"] for answer in answers for c in answer["answer"]["citations"])
    searches = {
        f"list: {name}": f"/conversations?{query.format(cited=cited)}" for name, query in SEARCHES.items()
    }
    deep = client.get("/conversations?limit=1&before=2026-02-01").json()["next"]
    gap = client.get("/gaps?limit=1&state=all").json()["gaps"][0]["id"]
    golden = client.get("/golden").json()["golden"][0]["id"]
    coverage = {
        "coverage": "/coverage",
        "coverage: never cited": "/coverage/never-cited",
        "filters and answers: pages of a draft": "/rules/main/draft/pages",
        "where a page stood in a trace": f"/traces/{answers[0]['trace_id']}/page?url={quote(cited)}",
        "an answer to mend": f"/traces/{answers[0]['trace_id']}/mending",
        "opening hours": "/hours",
    }
    if not _has_pages(client):
        coverage = {}
    return searches | {
        "overview: everything": "/overview",
        "overview: a month": f"/overview?{SEARCHES['one month']}",
        "overview: one topic": "/overview?topic=academics",
        "gaps: everything": "/gaps?state=all",
        "gaps: a month": f"/gaps?{SEARCHES['one month']}",
        "gaps: off topic": "/gaps?kind=off_topic",
        "one gap": f"/gaps/{gap}",
        "were they right: answers to judge": "/judgements",
        "owners": "/owners",
        "what waits for an owner": f"/owned?name={OWNER.name}",
        "notifications": "/subscriptions",
        "feedback: new": "/feedback?state=new",
        "feedback: done, of which there is none": "/feedback?state=done",
        **coverage,
        "filters and answers": "/rules/main",
        "filters and answers: history": "/rules/main/history",
        "list: far back": f"/conversations?before={quote(deep)}",
        "choices": "/conversations/choices",
        "one conversation": f"/conversations/{rows[0]['id']}",
        "passages of a trace": f"/traces/{answers[0]['trace_id']}/passages",
        "one trace": f"/traces/{answers[0]['trace_id']}",
        "audit log": "/audit",
        "who am I": "/me",
        "golden questions": "/golden",
        "golden questions: one's history": f"/golden/{golden}/history",
        "golden questions: runs": "/golden/runs",
        "golden questions: two runs compared": "/golden/runs/compare?before=1&after=2",
        "evaluations": "/evaluations",
        "snapshots": "/snapshots",
        "crawls": "/crawl",
        "crawls: schedules": "/crawl/schedule",
    }


def _has_pages(client: httpx.Client) -> bool:
    return client.get("/gaps?limit=1").json()["snapshot"] is not None


def exports() -> dict[str, str]:
    """Whole exports, of a month and of everything."""
    forms = ("csv", "jsonl", "parquet")
    month = {
        f"export: a month, {f}": f"/conversations/export?format={f}&{SEARCHES['one month']}" for f in forms
    }
    return month | {f"export: everything, {f}": f"/conversations/export?format={f}" for f in forms}


def measure(rounds: int, timed: Mapping[str, Callable[[], object]]) -> Iterator[str]:
    """A row of the table for each, after one round that does not count."""
    took: dict[str, list[float]] = {name: [] for name in timed}
    for turn in range(rounds + 1):
        for name, do in timed.items():
            begun = time.perf_counter()
            do()
            if turn:
                took[name].append((time.perf_counter() - begun) * 1000)
    for name, times in took.items():
        p50, p95 = np.percentile(times, (50, 95))
        yield f"| {name} | {p50:,.1f} | {p95:,.1f} |"


def pages(url: str, token: str) -> dict[str, Callable[[], object]]:
    """A run of each of `PAGES`, by its name in the table; those over pages where there is a live snapshot."""
    from streamlit.testing.v1 import AppTest

    os.environ |= {"LODGE_API_URL": url, "LODGE_ADMIN_TOKEN": token}

    def run(file: str, query: Mapping[str, str]) -> object:
        app = AppTest.from_file(CONSOLE, default_timeout=60)
        app.switch_page(f"{file}.py")
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        if app.exception:
            raise RuntimeError(f"{file}: {app.exception[0].message}")
        return app

    with httpx.Client(base_url=url + API, headers={"Authorization": f"Bearer {token}"}) as client:
        ids = _ids(client)
        chosen = {
            name: page for name, page in PAGES.items() if _has_pages(client) or page[0] not in OVER_PAGES
        }
    return {
        f"page: {name}": partial(run, file, {key: value.format(**ids) for key, value in query.items()})
        for name, (file, query) in chosen.items()
    }


def _ids(client: httpx.Client) -> dict[str, str]:
    """What the pages are opened with, of what is in the store."""
    row = client.get("/conversations?limit=1&refused=false").json()["conversations"][0]
    messages = client.get(f"/conversations/{row['id']}").json()["messages"]
    places = client.get("/hours").json().get("places") or [{"url": "", "name": ""}]
    return {
        "conversation": row["id"],
        "trace": next(message["trace_id"] for message in messages if message["trace_id"]),
        "gap": str(client.get("/gaps?limit=1&state=all").json()["gaps"][0]["id"]),
        "golden": client.get("/golden").json()["golden"][0]["id"],
        "url": places[0]["url"],
        "place": places[0]["name"],
        "owner": OWNER.name,
    }


@contextmanager
def served(serving: Serving) -> Iterator[str]:
    """The address of a server with the admin API over these parts."""
    router = admin_router(serving.records, serving.sites, tools_of(serving))
    app = Litestar([router], openapi_config=None, logging_config=None)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off", access_log=False))
    thread = Thread(target=server.run)
    thread.start()
    give_up = time.monotonic() + START_S
    while not server.started and time.monotonic() < give_up:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(START_S)


def token_for(store: Records, role: str) -> str:
    """A token of that role, in place of one that an earlier run left."""
    name = f"measure_console {role}"
    if any(token.name == name and token.revoked_at is None for token in store.tokens.all()):
        store.tokens.revoke(name)
    return store.tokens.create(name, role, 1)


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", required=True, metavar="URL", help="a SQLAlchemy URL")
    parser.add_argument("--rounds", type=int, default=20, help="how often each call is made")
    options = parser.parse_args()
    settings = Settings.read(os.environ | {"LODGE_RECORDS_URL": options.records})
    with closing(build_serving(settings)) as serving, served(serving) as url:
        _group(serving)
        serving.records.rulebooks.put_draft(DRAFT)
        serving.records.owners.put(OWNER)
        _put_golden(serving.records)
        tokens = {role: token_for(serving.records, role) for role in ("developer", "viewer")}
        print("| what | p50 ms | p95 ms |\n|---|---|---|", flush=True)
        for role, token in tokens.items():
            headers = {"Authorization": f"Bearer {token}"}
            with httpx.Client(base_url=url + API, headers=headers, timeout=300, trust_env=False) as client:
                _print_calls(client, options.rounds, role)
        print(*measure(max(3, options.rounds // 4), pages(url, tokens["developer"])), sep="\n")


def _group(serving: Serving) -> None:
    waiting, begun = serving.records.gaps.count_waiting(), time.perf_counter()
    serving.gaps.work(JobProgress(lambda **_now: None))
    if waiting:
        print(f"{waiting:,} questions were put into gaps in {time.perf_counter() - begun:.1f} s.\n")


def _put_golden(records: Records) -> None:
    """The golden questions of the demo university, and a hundred runs of them, unless there are any."""
    if records.golden.all():
        return
    lines = (CORPUS / "golden_questions.jsonl").read_text(encoding="utf-8").splitlines()
    outcomes: list[GoldenOutcome] = []
    for given in map(json.loads, lines):
        pages = tuple(given.get("gold_urls") or ())
        refuse = given.get("answerable") is False
        asked = GoldenQuestion(given["id"], "main", given["question"], () if refuse else pages, refuse=refuse)
        records.golden.put(asked)
        outcomes.append(GoldenOutcome(asked.id, None if len(outcomes) % 4 else "It is not answered.", "…"))
    for _ in range(RUNS):
        records.golden.note_run(
            outcomes,
            site="main",
            occasion="asked",
            snapshot="made up",
            strategy="hybrid",
            by="a script",
        )


def _print_calls(client: httpx.Client, rounds: int, role: str) -> None:
    def get(path: str) -> Callable[[], Any]:
        return lambda: client.get(path).raise_for_status()

    if role == "developer":
        print(
            *measure(rounds, {name: get(path) for name, path in calls(client).items()}), sep="\n", flush=True
        )
        print(*measure(2, {name: get(path) for name, path in exports().items()}), sep="\n", flush=True)
    else:
        masked = {"list: all, masked": "/conversations?limit=200", "export: everything, csv, masked": ""}
        masked["export: everything, csv, masked"] = "/conversations/export?format=csv"
        print(*measure(2, {name: get(path) for name, path in masked.items()}), sep="\n", flush=True)


if __name__ == "__main__":
    main()
