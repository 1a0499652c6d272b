"""Restart servers one after another behind HAProxy while visitors ask; count what was dropped.

    .venv/bin/python -m scripts.research.several.rolling_restart --rounds 10 --rate 4 \
        --records postgresql://lodge:…@127.0.0.1/lodge --counts redis://127.0.0.1:6379/0

Each round restarts every server once. Visitors are those of `scripts.research.load`: an open loop, a steady
rate;
feedback, follow-ups and the chat page's two requests go to whichever server is next.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from functools import partial
from pathlib import Path

from scripts.research.load.arrivals import Outcome, bring
from scripts.research.load.client import Client
from scripts.research.load.figures import latency_ms
from scripts.research.load.questions import read_pool
from scripts.research.load.subject import FOR_LOAD
from scripts.research.load.visitors import Visitors
from scripts.research.several.fleet import Fleet, running
from scripts.research.several.proxy import are_all_up, proxying
from server.settings import PROJECT

BURST_S = 5.0


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print one JSON document; 1 where anything was dropped."""
    options = _options(arguments)
    environ = {
        **FOR_LOAD,
        "LODGE_HOME": str(options.home),
        "LODGE_RECORDS_URL": options.records,
        "LODGE_LIMIT_URL": options.counts,
        "LODGE_DRAIN_S": str(options.drain_s),
    }
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="lodge-rolling-") as folder,
        running(options.servers, environ, Path(folder)) as fleet,
        proxying(fleet.ports, look_ms=options.look_ms, trusting=True) as port,
    ):
        took = _restarts(fleet, port, options, outcomes)
    verdicts = Counter(f"{one.kind}, {one.way}: {one.verdict} {one.why or one.status}" for one in outcomes)
    wrong = [one for one in outcomes if one.kind != "hostile" and one.verdict not in ("answered", "degraded")]
    found = {
        "restarts": len(took),
        "stop_s": [round(stop, 1) for stop, _ in took],
        "start_s": [round(start, 1) for _, start in took],
        "requests": len(outcomes),
        "dropped": len(wrong),
        "what": dict(sorted(verdicts.items())),
        "latency_ms": latency_ms(one for one in outcomes if one.verdict in ("answered", "degraded")),
        "load": os.getloadavg(),
    }
    print(json.dumps(found, indent=1))
    return 1 if wrong else 0


def _restarts(
    fleet: Fleet, port: int, options: argparse.Namespace, outcomes: list[Outcome]
) -> list[tuple[float, float]]:
    """Every server, round by round, while visitors ask."""
    over = threading.Event()

    async def visit() -> None:
        client = Client("127.0.0.1", port)
        visitors, seed = Visitors(read_pool(options.questions), options.seed), options.seed
        while not over.is_set():
            seed += 1
            await bring(client, visitors, rate=options.rate, seconds=BURST_S, seed=seed, note=outcomes.append)
        await client.close()

    visiting = threading.Thread(target=asyncio.run, args=(visit(),))
    visiting.start()
    try:
        is_seen = partial(are_all_up, port)
        return [fleet.restart(member, is_seen) for _ in range(options.rounds) for member in fleet.members]
    finally:
        over.set()
        visiting.join()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--home", type=Path, default=PROJECT / "var", help="whose live snapshot is served")
    add("--records", required=True, help="URL of a PostgreSQL that the servers share")
    add("--counts", required=True, help="URL of a Valkey or Redis that they share")
    add("--servers", type=int, default=2)
    add("--rounds", type=int, default=5)
    add("--rate", type=float, default=2.0, help="questions a second")
    add("--drain-s", type=float, default=3.0, help="LODGE_DRAIN_S")
    add("--look-ms", type=int, default=200, help="how often the proxy asks /readyz")
    add("--questions", type=Path, default=PROJECT / "corpus" / "golden_questions.jsonl")
    add("--seed", type=int, default=8)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
