"""`lodge scorecard`: the site's questions, off-scope ones and attacks, asked over one snapshot."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from server.ask.conversation.phrases import is_english, is_spanish
from server.ask.pipeline import Asker
from server.errors import BadInputError
from server.evaluate.evaluate import AnswerFlow
from server.evaluate.questions import EvalQuestion
from server.evaluate.runs import write_whole
from server.evaluate.scorecard.asked import AskedSet, ask_sets
from server.evaluate.scorecard.attacks import Attack, AttackOutcome, read_attacks
from server.evaluate.scorecard.scorecard import PublishedFigure, Scorecard, ScoreMade, scorecard_of
from server.evaluate.scorecard.words import ScoreTable, attacks_table, facts, figures_table, group_tables
from server.index.manager import SnapshotManager
from server.models import Event, Passage, Question
from server.models.golden import GoldenQuestion
from server.settings import PROJECT, Settings
from server.toml_files import read_toml
from server.wiring.flow import default_strategy, require_strategies
from server.wiring.measuring import (
    Ground,
    Tell,
    lodge_version,
    open_ground,
    read_question_set,
    warn_of_unknown_gold,
)
from server.wiring.opened import OpenedSnapshot
from server.wiring.opening import build_records, site_name
from server.wiring.planting import ATTACK_WAYS, try_attack

OFF_SCOPE = PROJECT / "corpus" / "off_scope.jsonl"
ATTACKS = PROJECT / "corpus" / "injections.jsonl"
PUBLISHED = PROJECT / "corpus" / "published_figures.toml"
GOLDEN = "golden questions"
T = TypeVar("T")
_CHUNKS_OF_PAGE = "SELECT chunk_id FROM chunks JOIN pages USING (page_id) WHERE url = ? ORDER BY chunk_id"


@dataclass(frozen=True, slots=True)
class ScorecardPlan:
    """What to ask. No `questions`: the site's golden ones. `off_scope` None: those that come with Lodge.

    `half`: of a file whose questions name one, those of this half. `asks`: at most so many of each set, and
    of the attacks. `command` is how it was called, as it stands on the scorecard.
    """

    command: str
    questions: Sequence[Path] = ()
    off_scope: Path | None = None
    pages: Path | None = None
    site: str = "main"
    half: str | None = None
    asks: int | None = None
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class DatedAsker:
    """The flow over a snapshot, and the same as if it were another day."""

    asker: Asker
    live: SnapshotManager[OpenedSnapshot]

    def ask(self, question: Question) -> Iterator[Event]:
        """Events up to one `Final`."""
        return self.asker.ask(question)

    def on_day(self, day: str | None) -> AnswerFlow:
        """The flow on that day."""
        if day is None:
            return self.asker
        terms = replace(self.asker.options.terms, today=date.fromisoformat(day))
        return self.asker.otherwise(replace(self.asker.options, terms=terms))

    def page(self, url: str) -> Sequence[Passage]:
        """All chunks of a page, in their order."""
        with self.live.lease() as index:
            ids = index.snapshot.column(_CHUNKS_OF_PAGE, [url])
            return list(index.snapshot.passages(ids.tolist()).values())


def run_scorecard(
    settings: Settings,
    plan: ScorecardPlan,
    *,
    warn: Tell,
    note: Tell,
    on_progress: Callable[[int, int], None],
) -> Scorecard:
    """Ask everything once, over the live snapshot or a cached one of a pages file; nothing is recorded."""
    sets = _sampled_sets(_question_sets(settings, plan, warn), plan.asks)
    off_scope = _sampled_sets([_asked_set(plan.off_scope or OFF_SCOPE, plan, warn)], plan.asks)
    attacks = _sampled(read_attacks(ATTACKS), plan.asks)
    strategy = plan.strategy or default_strategy(settings)
    with open_ground(settings, plan.pages) as ground:
        asker = ground.asker(settings)
        require_strategies(asker, [strategy])
        ground.prepare(warn, note)
        warn_of_unknown_gold([one for asked in sets for one in asked.questions], ground.live, warn)
        step = _counter(_asks(sets) + _asks(off_scope) + len(attacks) * len(ATTACK_WAYS), on_progress)
        flow = DatedAsker(asker, ground.live)
        answers = list(ask_sets(flow, sets, strategy, language_of, step))
        strangers = list(ask_sets(flow, off_scope, strategy, language_of, step))
        tried = list(_try_attacks(asker, ground, attacks, strategy, step))
        made = _made(settings, plan, ground, asker, strategy, [*sets, *off_scope])
    return scorecard_of(made, answers, strangers, tried, published_figures(PUBLISHED))


def published_figures(file: Path) -> tuple[PublishedFigure, ...]:
    """What others have published; `BadInputError` when the file is not as it should be."""
    try:
        found = read_toml(file).get("figure", [])
        return tuple(msgspec.convert(found, type=list[PublishedFigure]))
    except (OSError, ValueError) as error:  # msgspec's error is a ValueError
        raise BadInputError(f"{file.name} cannot be used: {error}.") from error


def language_of(text: str) -> str:
    """ "es", "en", or "other" of a question."""
    if is_spanish(text):
        return "es"
    return "en" if is_english(text) else "other"


def sheet_of(card: Scorecard) -> tuple[Sequence[tuple[str, str]], Sequence[ScoreTable], Sequence[str]]:
    """The scorecard's facts, its tables, and what it cannot say."""
    attacks = attacks_table(card)
    tables = (figures_table(card), *group_tables(card), *((attacks,) if attacks else ()))
    return facts(card), tables, card.cannot_say


def write_scorecard(card: Scorecard, file: Path) -> None:
    """The page, there whole or not at all."""
    from server.evaluate.scorecard.page import scorecard_page  # noqa: PLC0415 - Jinja; others do without

    write_whole(file, scorecard_page(card))


def _question_sets(settings: Settings, plan: ScorecardPlan, warn: Tell) -> list[AskedSet]:
    sets = [_asked_set(file, plan, warn) for file in plan.questions]
    if not sets:
        sets = [AskedSet(GOLDEN, tuple(map(_golden_question, _golden(settings, plan.site))))]
    if not any(asked.questions for asked in sets):
        raise BadInputError(
            "There is no question to make a scorecard of: keep some with `lodge golden import FILE`, or name "
            "a file with --questions."
        )
    return sets


def _golden(settings: Settings, site: str) -> tuple[GoldenQuestion, ...]:
    with closing(build_records(settings)) as records:
        return records.golden.all(site)


def _golden_question(golden: GoldenQuestion) -> EvalQuestion:
    return EvalQuestion(
        golden.id, golden.question, golden.answers, golden.pages, golden.topic, answerable=not golden.refuse
    )


def _asked_set(file: Path, plan: ScorecardPlan, warn: Tell) -> AskedSet:
    """The questions of a file; where some name a half, those of the plan's."""
    questions = read_question_set(file, warn).questions
    if plan.half is not None:
        questions = tuple(one for one in questions if one.half in (None, plan.half))
    return AskedSet(file.name, questions)


def _sampled_sets(sets: Sequence[AskedSet], most: int | None) -> list[AskedSet]:
    return [AskedSet(asked.name, tuple(_sampled(asked.questions, most))) for asked in sets]


def _sampled(things: Sequence[T], most: int | None) -> Sequence[T]:
    """At most so many, evenly out of all of them: the same ones every time."""
    if most is None or len(things) <= most:
        return things
    return [things[i * len(things) // most] for i in range(most)]


def _asks(sets: Sequence[AskedSet]) -> int:
    return sum(len(asked.questions) for asked in sets)


def _counter(total: int, on_progress: Callable[[int, int], None]) -> Callable[[], None]:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        on_progress(done, total)

    return step


def _try_attacks(
    asker: Asker, ground: Ground, attacks: Sequence[Attack], strategy: str, step: Callable[[], None]
) -> Iterator[AttackOutcome]:
    for attack in attacks:
        for way in ATTACK_WAYS:
            yield try_attack(asker, ground.live.lease, attack, strategy, way)
            step()


def _made(  # noqa: PLR0913, PLR0917  (a scorecard's figures depend on so many things)
    settings: Settings,
    plan: ScorecardPlan,
    ground: Ground,
    asker: Asker,
    strategy: str,
    sets: Sequence[AskedSet],
) -> ScoreMade:
    with ground.live.lease() as index:
        snapshot, manifest = index.name, index.snapshot.manifest
    models: Mapping[str, str] = dict(asker.options.versions)
    return ScoreMade(
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        site=settings.site_name or (plan.pages.parent.name if plan.pages else site_name(settings)),
        lodge=lodge_version(),
        command=plan.command,
        snapshot=snapshot,
        pages=manifest.pages,
        chunks=manifest.chunks,
        strategy=strategy,
        day=settings.today or None,
        models=models,
        sets={asked.name: len(asked.questions) for asked in sets},
        machine=_machine(),
        writes=asker.writes,
    )


def _machine() -> str:
    """The processor, how many of it and how busy, without the machine's name."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.machine()
    return f"{max(1, len(names))} × {name}, at a load of {os.getloadavg()[1]:.0f}"
