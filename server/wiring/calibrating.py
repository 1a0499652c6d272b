"""The parts that set α, the rerank depth and the refusal threshold from a question set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import tomlkit

from server.ask.pipeline import Asker
from server.ask.rewrite import adaptive_alpha
from server.calibration import checked_constants
from server.errors import BadInputError
from server.evaluate.calibrate.calibrate import Calibration, Present, calibrate
from server.evaluate.runs import write_whole
from server.settings import Settings
from server.variables import PREFIX
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
            words = index.text.content_words(text)
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


def calibration_in(file: Path) -> tomlkit.TOMLDocument:
    """The calibration file as it is, or an empty one; `BadInputError` if it is something else."""
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8")) if file.exists() else tomlkit.document()
        checked_constants(document.unwrap(), str(file))
    except (OSError, ValueError) as error:
        raise BadInputError(f"{file} is no calibration file; nothing was written. {error}") from error
    return document


def write_calibration(file: Path, calibration: Calibration) -> None:
    """Set what is recommended in a calibration file; what else stands in it stays. Whole or not at all."""
    document = calibration_in(file)
    for one in calibration.parameters:
        document[one.setting] = one.recommended
    write_whole(file, tomlkit.dumps(document))
