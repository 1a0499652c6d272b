"""`lodge serve`, killed while visitors ask and rate: what it has acknowledged must be in the records."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from scripts.research.killing.home import free_port, small_home
from scripts.research.killing.killed import PATIENCE_S, Kills, Plan, kill, lodge
from scripts.research.killing.records import trouble_in
from scripts.research.killing.visitors import Visitors
from server.settings import Settings

SHARE_AT_START = 0.15  # of the kills come while it starts, the others while it answers
ANSWERS_FOR_S = 0.8  # at most, before it is killed


def settings_of(folder: Path, records_url: str) -> Settings:
    """A small home's, for visitors who never rest."""
    settings = replace(small_home(folder), records_url=records_url, port=free_port())
    return replace(settings, limit_address="", limit_conversation="", limit_site="")


def kill_server(part: str, folder: Path, records_url: str, plan: Plan) -> Kills:
    """So many kills over the same records, each followed by a start that needs no hand."""
    chance, done = plan.moments(), Kills(part)
    settings = settings_of(folder, records_url)
    start_s = 1.0
    while done.made < plan.kills:
        process, began = lodge(settings, "serve", log=folder / "server.log"), time.monotonic()
        visitors = Visitors(settings.port)
        trouble = None
        if done.made and chance.random() < SHARE_AT_START:
            visitors.answered.wait(chance.uniform(0, start_s))
            done.count("while starting", not visitors.answered.is_set())
        elif visitors.answered.wait(PATIENCE_S):
            start_s = time.monotonic() - began
            time.sleep(chance.uniform(0, ANSWERS_FOR_S))
        else:
            trouble = "the server did not answer after it was started"
        kill(process)
        had = visitors.stop()
        done.count("answers acknowledged", len(had.answers))
        done.count("ratings", len(had.feedback))
        done.note(trouble or trouble_in(records_url, had))
    return done
