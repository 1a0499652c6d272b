"""Routing: how a visitor's line is best gone on with, told by a small classifier.

Princeton's chatbot sends simple and complex questions different ways; so does this, four. What is one fact is
quoted. What has to be put together, a language model writes, where there is one. Several things are asked one
by one (`decompose.py`). What depends on who asks is asked back (`narrow.py`).
"""

from __future__ import annotations

from server.ask.decompose import Cuts
from server.ask.ports import LineRouter
from server.ask.trace import OpenStep
from server.models.routing import Routing

# So likely, together, the line asks several things and one of them begins at a word: where it is plain that
# it does, less plain beginnings count.
BEGINS = 0.08
# So likely another question of the line leaves a word out, or a question that begins with it leaves one out.
SHARED, LACKS = 0.3, 0.3


def route(line: str, router: LineRouter, step: OpenStep) -> Routing:
    """How the line is best gone on with."""
    routing = router.route(line)
    step.notes = {
        "way": routing.way,
        "ways": {way: round(share, 3) for way, share in routing.ways.items()},
        "begins": cuts_of(routing).begins,
    }
    return routing


def cuts_of(routing: Routing) -> Cuts:
    """Where the line is taken apart, and which words its questions share."""
    several = routing.ways["decompose"]
    begins = [place for place, share in routing.begins.items() if several * share >= BEGINS]
    shared = (place for place, share in routing.shared.items() if share >= SHARED)
    lacks = (place for place, share in routing.lacks.items() if share >= LACKS)
    return Cuts(begins, frozenset(shared), frozenset(lacks))
