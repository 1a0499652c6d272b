"""The parts that set α, the rerank depth and the refusal threshold from a question set."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from server.ask.pipeline import Asker
from server.ask.retrieve import adaptive_alpha
from server.errors import BadInputError
from server.evaluate.calibrate.calibrate import Calibration, Present, calibrate
from server.evaluate.durable import write_whole
from server.settings import PREFIX, Settings
from server.wiring.flow import require_strategies
from server.wiring.measuring import Ground, Tell, open_ground, read_question_set, warn_of_unknown_gold


@dataclass(frozen=True, slots=True)
class _Askers:
    """The flow over one ground, by other values of its settings."""

    ground: Ground

    def asker(self, *, alpha: float, depth: int, threshold: float) -> Asker:
        """The flow with these."""
        settings = self.ground.settings
        return self.ground.asker(
            replace(settings, fusion_alpha=alpha, rerank_candidates=depth, refusal_threshold=threshold)
        )

    def given_alpha(self, text: str, alpha: float) -> float:
        """The α that the flow gives a question where this one is set."""
        with self.ground.live.lease() as index:
            words = index.keyword.content_words(text)
        return adaptive_alpha(alpha, words, self.ground.embedder.is_word)


def run_calibrate(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    *,
    strategy: str | None = None,
    wrong_costs: float = 1.0,
    warn: Tell,
    note: Tell,
    on_progress: Callable[[int, int], None],
) -> Calibration:
    """Choose the settings that bear on a strategy, over the live snapshot or a cached one of a pages file."""
    strategy = strategy or _usual(settings)
    asked = read_question_set(questions_file, warn)
    present = Present(
        alpha=settings.fusion_alpha,
        depth=settings.rerank_candidates,
        threshold=settings.refusal_threshold,
    )
    with open_ground(settings, pages_file) as ground:
        require_strategies(ground.asker(settings), [strategy])
        ground.prepare(warn, note)
        warn_of_unknown_gold(asked.questions, ground.live, warn)
        askers = _Askers(ground)
        return calibrate(
            askers, asked.questions, strategy, present, wrong_costs=wrong_costs, on_progress=on_progress
        )


def _usual(settings: Settings) -> str:
    """The strategy of a question that names none."""
    return settings.strategy if settings.reranker else settings.strategy.replace("+rerank", "")


def variables(calibration: Calibration) -> dict[str, str]:
    """The environment variables to set, each with the value recommended."""
    return {PREFIX + one.setting.upper(): f"{one.recommended:g}" for one in calibration.parameters}


def write_env(file: Path, values: Mapping[str, str]) -> None:
    """Set variables in a file of `NAME=value` lines, which is made if it is not there.

    What else stands in it stays. It is written whole or not at all.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    except UnicodeDecodeError as error:
        raise BadInputError(f"{file} is not a text file in UTF-8; nothing was written.") from error
    for name, value in values.items():
        lines = _with(lines, name, value)
    write_whole(file, "".join(line + "\n" for line in lines))


def _with(lines: list[str], name: str, value: str) -> list[str]:
    """The lines with the variable set, where it stood or at the end."""
    own = re.compile(rf"\s*((?:export\s+)?{name})\s*=")
    if not any(own.match(line) for line in lines):
        return [*lines, f"{name}={value}"]
    return [f"{found[1]}={value}" if (found := own.match(line)) else line for line in lines]
