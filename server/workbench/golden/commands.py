"""What `lodge golden` does: golden questions from a questions file and to one, and asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.evaluate.questions import EvalQuestion
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.settings import Settings
from server.storage.audit import COMMAND_LINE
from server.storage.curation import is_id, name_of
from server.storage.golden import checked_golden
from server.wiring.flow import build_asker, build_embedder
from server.wiring.measuring import Tell, read_question_set
from server.wiring.opened import build_live
from server.wiring.opening import build_records, build_site_config, build_sites
from server.workbench.golden.service import GoldenRuns
from server.workbench.jobs import Progress


def import_golden(settings: Settings, path: Path, site: str, warn: Tell) -> list[str]:
    """Keeps the questions of a questions file as golden ones of a site, and returns their ids.

    Each stands in place of what had its id. What cannot be kept is named by `warn` and left out: broken
    lines, follow-ups (a golden question is asked by itself), addresses that are none. A file of nothing else
    is a `BadInputError`.
    """
    kept: dict[str, GoldenQuestion] = {}
    for question in read_question_set(path, warn).questions:
        try:
            golden = checked_golden(_golden(question, site))
            if golden.id in kept:
                raise BadInputError("another question of the file has the same id.")
        except BadInputError as error:
            warn(f"{path.name}, {question.id}: {error.message}")
        else:
            kept[golden.id] = golden
    if not kept:
        raise BadInputError(f"{path} has no question that can be kept.")
    with closing(build_records(settings)) as records:
        for golden in kept.values():
            records.golden.put(golden)
    return list(kept)


def list_golden(settings: Settings, site: str | None = None) -> list[dict[str, Any]]:
    """The golden questions as lines of a questions file, each with its `site` and `record`, if it has one."""
    with closing(build_records(settings)) as records:
        known = records.golden.record_of()
        return [
            golden.as_question() | {"site": golden.site, "record": known.get(golden.id)}
            for golden in records.golden.all(site)
        ]


def export_golden(settings: Settings, site: str | None = None) -> list[dict[str, Any]]:
    """The golden questions as lines of a questions file."""
    with closing(build_records(settings)) as records:
        return [golden.as_question() for golden in records.golden.all(site)]


def run_golden(
    settings: Settings, site: str, strategy: str | None, on_progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], tuple[GoldenOutcome, ...]]:
    """Asks all golden questions of a site, keeps the run, and returns it with what became of each."""
    embedder = build_embedder(settings)
    with ExitStack() as opened:
        live = opened.enter_context(closing(build_live(settings, settings.current_snapshot, embedder)))
        records = opened.enter_context(closing(build_records(settings)))
        sites = build_sites(settings)
        site_config = build_site_config(settings, sites, records, embedder)
        asker = opened.enter_context(closing(build_asker(settings, live, embedder, None, site_config)))
        runs = GoldenRuns(asker, live, sites, records.golden)
        runs.check(site, strategy)
        run = runs.run(site, strategy, COMMAND_LINE, Progress(lambda **now: _tell(on_progress, now)))
        return run, records.golden.outcomes(run["number"])


def _tell(on_progress: Callable[[int, int], None], now: dict[str, Any]) -> None:
    on_progress(now["done"], now["total"])


def _golden(question: EvalQuestion, site: str) -> GoldenQuestion:
    if question.history:
        raise BadInputError("it follows on others; a golden question is asked by itself.")
    refuse = question.answerable is False
    return GoldenQuestion(
        question.id if is_id(question.id) else name_of(question.id) or name_of(question.question),
        site,
        question.question,
        () if refuse else question.gold_urls,
        () if refuse else question.answers,
        refuse,
        question.topic,
    )
