"""Two weeks of nightly crawl, build and publish over the demo university, with what goes wrong on a site.

    .venv/bin/python -m scripts.research.console.simulate_nights [--nights 14]

A server's own schedule, with a clock that is moved by hand: each night the crawl that is due is started, and
waited for. The site changes in between (`PLOT`): one page has news each night; one breaks for three nights
(its server hangs up); one is taken away for two, with a golden question that it alone answers; and one golden
question is wrong from the beginning. Printed is, a line a night, which snapshot is live, by its number, and
what the schedule says. Everything is in a folder that is removed.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from corpus.demo_site import serve
from corpus.demo_site.site import DEFAULT_ORIGIN, Page, Site
from server.models.golden import GoldenQuestion
from server.settings import PROJECT, Settings
from server.wiring.serving import Serving, build_serving
from server.workbench.crawls.schedules_store import CrawlSchedule
from server.workbench.job_store import Job

FIRST = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOUR = 3
BROKEN, GONE, CHANGES = "/library/printing/", "/academics/policies/pass-fail/", "/news/"
PLOT: Mapping[str, frozenset[int]] = {"breaks": frozenset({4, 5, 6}), "is gone": frozenset({9, 10})}
LOOK_S = 0.2


class ChangingSite(Site):
    """The demo university, some of whose pages are another thing every night."""

    night = 0

    def page(self, path: str) -> Page | None:
        """The page as it is tonight."""
        if path == BROKEN and self.night in PLOT["breaks"]:
            raise RuntimeError("the page's database is down")
        if path == GONE and self.night in PLOT["is gone"]:
            return None
        return super().page(path)

    def render(
        self, path: str, origin: str = DEFAULT_ORIGIN, query: Mapping[str, str] | None = None
    ) -> bytes:
        """Its HTML, with the night's news."""
        html = super().render(path, origin, query)
        if path != CHANGES:
            return html
        today = FIRST + timedelta(days=self.night)
        news = f"<p>Night {self.night}: it rained on the pond until {today:%A, %B} {today.day}.</p></main>"
        return html.replace(b"</main>", news.encode())


def golden_questions(origin: str) -> Iterator[GoldenQuestion]:
    """What the broken page answers, what the page that goes answers, and what is wrong throughout."""
    yield GoldenQuestion(
        "printing", "main", "How much is a poster at the library desk?", (origin + BROKEN,), ("$4",)
    )
    yield GoldenQuestion(
        "pass-fail", "main", "How many credits may I take pass/fail?", (origin + GONE,), ("12",)
    )
    yield GoldenQuestion("wrong", "main", "When is spring break?", (origin + "/library/",), ("in May",))


@contextmanager
def served(home: Path, site: ChangingSite) -> Iterator[Serving]:
    """A server that crawls the site every night, for the length of a `with`."""
    running = serve.start(site=site)
    host = urlsplit(running.url).netloc
    settings = replace(
        Settings.read(os.environ),
        home=home,
        crawl_private_hosts=host,
        crawl_delay_s=0.0,
        sites_file=str(PROJECT / "corpus" / "demo_site" / "sites.toml"),
    )
    serving = build_serving(settings)
    try:
        for one in golden_questions(running.url):
            serving.records.golden.put(one)
        nightly = CrawlSchedule(host, (f"{running.url}/",), every="day", hour=HOUR, then="publish")
        serving.records.schedules.put(nightly, FIRST)
        yield serving
    finally:
        serving.close()
        running.close()


def one_night(serving: Serving, now: datetime) -> Job:
    """What is due by now, started and waited for."""
    job = serving.crawls.start_due(now)
    if job is None:
        raise SystemExit(f"No crawl was due on {now:%B %-d}.")
    while (job := serving.jobs.get(job.id)).is_open:
        time.sleep(LOOK_S)
    return job


def main() -> None:
    """Go through the nights, and print each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nights", type=int, default=14)
    nights = parser.parse_args().nights
    logging.disable(logging.ERROR)  # the page that breaks is no news
    site = ChangingSite()
    print("| night | the site | the crawl | live | what the schedule says | s |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), site) as serving:
        names: list[str] = []
        for night in range(1, nights + 1):
            site.night = night
            began = time.monotonic()
            job = one_night(serving, FIRST + timedelta(days=night))
            [kept] = serving.records.schedules.all()
            live = serving.snapshots.shelf.current_name or "nothing"
            names += [live] if live not in names else []
            plot = ", ".join(what for what, when in PLOT.items() if night in when) or "news"
            took = time.monotonic() - began
            said = f"{job.state} | {names.index(live) + 1} | {kept.last_said} | {took:.0f}"
            print(f"| {night} | {plot} | {said} |", flush=True)


if __name__ == "__main__":
    main()
