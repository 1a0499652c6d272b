"""Measure the router: which way it takes for a line, where it cuts one of several questions, what that wins.

    python -m scripts.research.hearing.measure_routing check
    python -m scripts.research.hearing.measure_routing parts
    python -m scripts.research.hearing.measure_routing larkmoor

`check` reads corpus/routing/check.jsonl, lines by a hand that nothing is learnt from, labelled again by
another that was not told: how often both agree, how often the router takes the first hand's way, of the lines
of several questions how many are cut, and into as many as the hand found, and of all others how many are cut.
Rules are what cuts where there is no router.

`parts` reads corpus/routing/parts.jsonl, lines of several questions by one more hand: of the questions of
those that are cut into as many as the hand found, how many leave words out, how many of these get one of
them, how many that leave none out get some, and of the words given and left out how many are both.

`larkmoor` asks corpus/routing/larkmoor.jsonl of the live snapshot of LODGE_HOME, with the router and without:
what is told of the questions of each line; and of wide lines, how many kinds of people are told theirs, how
many lines are asked back, and how often a button tells another kind what the answer did not (*won*). The hand
`first` was looked at while the step was built, `second` was not.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.routing.lines import CHECK, PARTS, DemoLine, Line, Told, read_demo_lines, read_lines
from scripts.research.retrieval.measure_retrieval import Asked, ask_with_trace
from server.ask.conversation.phrases import words_of
from server.ask.decompose import Cuts, split_question
from server.ask.pipeline import Asker
from server.ask.route import cuts_of
from server.evaluate.judging.agreement import cohen_kappa
from server.evaluate.questions import holds_all
from server.evaluate.significance import share_interval
from server.inference.router import Router
from server.models import Answer, Trace
from server.models.routing import WAYS
from server.settings import Settings
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"


def shown_share(name: str, n: int, of: int) -> None:
    """A row: a share with its 95 % interval."""
    found = share_interval(n, of)
    print(f"| {name} | {n} of {of} | {found.value:.3f} ({found.low:.3f}–{found.high:.3f}) |")


def print_check(router: Router, lines: Sequence[Line]) -> None:
    """The ways and the cuts over lines that nothing is learnt from."""
    routed = [router.route(one.line) for one in lines]
    hands = [one.way for one in lines], [one.second or one.way for one in lines]
    shown_share("both hands take the same way", sum(map(str.__eq__, *hands)), len(lines))
    print(f"Cohen's kappa of the two hands: {cohen_kappa(list(zip(*hands, strict=True))):.3f}")
    ways = [one.way for one in routed]
    shown_share("the router takes the first hand's", sum(map(str.__eq__, hands[0], ways)), len(lines))
    counts = Counter(zip(hands[0], ways, strict=True))
    print("| first hand \\ router | " + " | ".join(WAYS) + " |\n|---|" + "---|" * len(WAYS))
    for own in WAYS:
        print(f"| {own} | " + " | ".join(str(counts[own, way]) for way in WAYS) + " |")
    by_router = [
        split_question(one.line, cuts=cuts_of(routing)).asked
        for one, routing in zip(lines, routed, strict=True)
    ]
    by_rules = [split_question(one.line).asked for one in lines]
    for name, cut in (("router", by_router), ("rules", by_rules)):
        both = list(zip(lines, cut, strict=True))
        several = [(one, parts) for one, parts in both if one.parts]
        single = [parts for one, parts in both if not one.parts]
        shown_share(f"{name}: of several, cut", sum(len(parts) > 1 for _, parts in several), len(several))
        exact = sum(len(parts) == len(one.parts) for one, parts in several)
        shown_share(f"{name}: of several, into as many", exact, len(several))
        shown_share(f"{name}: of others, cut", sum(len(parts) > 1 for parts in single), len(single))


def print_parts(router: Router, lines: Sequence[Line]) -> None:
    """What the questions of a line leave out, and get."""
    routed = [(one, cuts_of(router.route(one.line))) for one in lines]
    parts_n = sum(len(one.parts) for one in lines)
    for name in ("router", "rules"):
        lacking = given = needless = wanted = got = both = 0
        for one, cuts in routed:
            parts = split_question(one.line, cuts=cuts if name == "router" else Cuts(cuts.begins))
            if len(parts.asked) != len(one.parts):
                continue
            for i, taken in enumerate(one.takes):
                left_out, put_in = _keys(" ".join(taken)), _keys(parts.subject(i))
                lacking += bool(left_out)
                given += bool(left_out & put_in)
                needless += bool(put_in) and not left_out
                wanted, got, both = wanted + len(left_out), got + len(put_in), both + len(left_out & put_in)
        shown_share(f"{name}: of questions that leave words out, given one", given, lacking)
        shown_share(f"{name}: of all questions, given some needlessly", needless, parts_n)
        shown_share(f"{name}: of the words left out, given", both, wanted)
        shown_share(f"{name}: of the words given, left out", both, got)


def _keys(text: str) -> frozenset[str]:
    return frozenset(word.key for word in words_of(text))


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A line over the demo, its answer, which of what it is told the answer has, and what its buttons add."""

    line: DemoLine
    told: tuple[bool, ...]
    parts: int
    asked_back: bool = False
    won: bool = False


def ask_lines(asker: Asker, lines: Sequence[DemoLine]) -> Iterator[AskedLine]:
    """Each line's answer, and the answers to its buttons."""
    for one in lines:
        answer, trace = _asked(asker, one.line)
        told = tuple(_is_told(answer, part) for part in one.told)
        choices = answer.narrow.choices if answer.narrow else ()
        more = (_asked(asker, choice.question)[0] for choice in choices)
        untold = [part for part, had in zip(one.told, told, strict=True) if not had]
        won = any(_is_told(after, part) for after in more for part in untold)
        yield AskedLine(one, told, _parts(trace), bool(choices), won)


def _asked(asker: Asker, text: str) -> tuple[Answer, Trace]:
    return ask_with_trace(
        asker, Asked(text, text, "", answerable=True, urls=frozenset(), quotes=()), STRATEGY
    )


def _is_told(answer: Answer, part: Told) -> bool:
    return not answer.refused and holds_all(answer.answer, part.must_have)


def _parts(trace: Trace) -> int:
    return next((int(step.notes["parts"]) for step in trace.steps if step.step == "decompose"), 1)


def print_demo(name: str, asked: Sequence[AskedLine]) -> None:
    """What is told of each kind of line, by one way of taking them apart."""
    several, single, wide = (
        [one for one in asked if one.line.way == way] for way in ("decompose", "quote", "ask_back")
    )
    told = [one for line in several for one in line.told]
    shown_share(f"{name}: questions of lines of several, told", sum(told), len(told))
    shown_share(f"{name}: such lines, told whole", sum(all(one.told) for one in several), len(several))
    shown_share(f"{name}: such lines, cut", sum(one.parts > 1 for one in several), len(several))
    shown_share(f"{name}: lines of one, told", sum(all(one.told) for one in single), len(single))
    shown_share(f"{name}: lines of one, cut", sum(one.parts > 1 for one in single), len(single))
    shown_share(f"{name}: wide lines that tell two kinds", sum(sum(one.told) > 1 for one in wide), len(wide))
    shown_share(f"{name}: wide lines asked back", sum(one.asked_back for one in wide), len(wide))
    shown_share(f"{name}: of these, won another kind's", sum(one.won for one in wide), len(wide))


def print_alone(name: str, asker: Asker, lines: Sequence[DemoLine]) -> None:
    """What would be told if each question of a line were asked by itself, in full."""
    parts = [part for line in lines if line.way == "decompose" for part in line.told]
    told = [_is_told(_asked(asker, part.of)[0], part) for part in parts]
    shown_share(f"{name}: the questions of lines of several, each asked in full, told", sum(told), len(told))


def main() -> None:
    """Read the arguments, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=("check", "parts", "larkmoor"))
    given = parser.parse_args()
    settings = Settings.read(os.environ)
    if given.set != "larkmoor":
        measure, path = {"check": (print_check, CHECK), "parts": (print_parts, PARTS)}[given.set]
        measure(Router(settings.models_dir / settings.router), read_lines(path))
        return
    lines = read_demo_lines()
    for name, by in (("router", settings), ("rules", replace(settings, router=""))):
        with open_ground(by, None) as ground:
            asker = ground.asker(by)
            for hand in dict.fromkeys(one.hand for one in lines):
                own = [one for one in lines if one.hand == hand]
                print_demo(f"{hand} hand, {name}", list(ask_lines(asker, own)))
                if by.router:
                    print_alone(f"{hand} hand", asker, own)


if __name__ == "__main__":
    main()
