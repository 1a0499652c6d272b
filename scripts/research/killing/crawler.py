"""`lodge crawl`, killed: what was stored stays, and the next run goes on where it was."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

from scripts.research.killing.home import small_home
from scripts.research.killing.killed import Kills, Plan, finished, kill, lodge, wait_until
from server.ingest.crawl.reading import store_path
from server.settings import Settings
from tests.ingest.crawl.loopback import Page, Site, links, serving

PAGES, LINKS = 60, 4
EVERY = 8  # kills, one run is left alone
SLOW_S = 0.01  # each page takes, so that there is something to kill


def kill_crawler(folder: Path, plan: Plan) -> Kills:
    """So many kills of crawls of the same loopback site into the same store."""
    chance, done = plan.moments(), Kills("crawler")
    settings, log = small_home(folder), folder / "crawler.log"
    pages = {path: _page(number) for number, path in enumerate(_paths())}
    with serving(pages) as site:
        command = ("crawl", site.url + "/", "--delay", "0", "--private-host", site.host)
        stored: set[str] = set()
        while done.made < plan.kills:
            asked = len(site.requests)
            process = lodge(settings, *command, log=log)
            if chance.random() > 0.1:  # of the others, most moments are before the first request
                _wait_for(site, asked + chance.randint(1, PAGES), process)
            time.sleep(chance.uniform(0, 0.05))
            done.count("had ended", process.poll() is not None)
            kill(process)
            done.count("pages asked for", len(site.requests) - asked)
            trouble, stored = looked_at(settings, site, stored)
            if not trouble and (done.made % EVERY == EVERY - 1 or done.made == plan.kills - 1):
                trouble = finished(lodge(settings, *command, log=log))
                if not trouble:
                    trouble, stored = looked_at(settings, site, stored)
                if not trouble and len(stored) != PAGES:
                    trouble = f"{PAGES - len(stored)} pages are missing after a whole crawl"
            done.note(trouble)
    return done


def _wait_for(site: Site, requests: int, process: subprocess.Popen[bytes]) -> None:
    """Until the site was asked so often, or the crawl has ended."""
    wait_until(lambda: len(site.requests) >= requests or process.poll() is not None)


def looked_at(settings: Settings, site: Site, before: set[str]) -> tuple[str | None, set[str]]:
    """What is wrong with the store, as a sentence; and the pages in it."""
    path = store_path(settings.crawl_dir, site.host)
    if not path.exists():
        return ("the crawl store is gone" if before else None), before
    try:
        with closing(sqlite3.connect(path)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'copies'").fetchone():
                return ("the crawl store is empty" if before else None), before
            said = db.execute("PRAGMA integrity_check").fetchone()[0]
            rows = db.execute("SELECT url FROM copies JOIN urls ON id = url_id WHERE live").fetchall()
    except sqlite3.Error as error:
        return f"the crawl store cannot be read: {error}", before
    stored = {row[0] for row in rows}
    if said != "ok":
        return f"SQLite says: {said}", stored
    lost = before - stored
    return (f"{len(lost)} pages that were stored are gone" if lost else None), stored


def _paths() -> list[str]:
    return ["/", *(f"/{number:b}/page" for number in range(1, PAGES))]


def _page(number: int) -> Page:
    """It links to a few that come after it, so that all are reached."""
    paths = _paths()
    further = paths[number * LINKS + 1 : number * LINKS + LINKS + 1]
    words = random.Random(number)  # pages that said the same would be taken for a trap
    text = " ".join("".join(words.choices("aeioulmnrst", k=6)) for _ in range(60))
    made = links(*further, text=text)
    return Page(made.body, slow_s=SLOW_S)
