"""Judging by a language model: `lodge eval judge` and `lodge eval head-to-head`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from server.ask.trace import citation_of
from server.errors import BadInputError
from server.evaluate.evaluate import ask_once
from server.evaluate.judging.audit import (
    HandLabel,
    JudgeAudit,
    audit,
    judged_figures,
    read_labels,
    require_passed,
)
from server.evaluate.judging.evaluators import CRITERIA, Criterion, JudgedItem, names_of, prompt_version
from server.evaluate.judging.head_to_head import head_to_head, pairs_of
from server.evaluate.judging.sheet import (
    ScoredSheetAnswer,
    read_sheet,
    sampled,
    sheet_answer,
    sheet_csv,
    sheet_figures,
)
from server.evaluate.questions import EvalQuestion
from server.evaluate.runs import write_whole
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.wire import ChatMessage
from server.models import Final
from server.sentences import without_marks
from server.settings import Settings
from server.wiring.flow import default_strategy, require_strategies
from server.wiring.measuring import Tell, open_ground, read_question_set, runs_of

# A judge writes a word, and nobody waits for it.
ANSWER_TOKENS = 16
PATIENCE_S = 120.0
MAX_SOURCE_CHARS = 6000

OnProgress = Callable[[int, int], None]


class ChatJudge:
    """A judge behind an OpenAI-compatible server. Whoever builds it closes it."""

    def __init__(self, options: ChatOptions) -> None:
        self._client = ChatClient(options)
        self.name = options.model or options.root_url

    def complete(self, system: str, user: str) -> str:
        """What it writes; an `LlmUnavailableError` where it is away."""
        messages = (ChatMessage("system", system), ChatMessage("user", user))
        return self._client.complete(messages, answer_tokens=ANSWER_TOKENS)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What to have judged, by which criteria, each so often; `labels` is the file of hand labels."""

    labels: Path
    criteria: Sequence[Criterion] = CRITERIA
    repeats: int = 3


@contextmanager
def open_judge(settings: Settings) -> Iterator[ChatJudge]:
    """The judge of `LODGE_JUDGE_URL`, or else of `LODGE_LLM_URL`; `BadInputError` where there is neither."""
    url = settings.judge_url or settings.llm_url
    if not url:
        raise BadInputError("There is no judge: LODGE_JUDGE_URL or LODGE_LLM_URL takes its address.")
    own = replace(
        settings,
        llm_url=url,
        llm_model=settings.judge_model or settings.llm_model,
        llm_key=settings.judge_key or settings.llm_key,
        llm_tokens="",
    )
    patient = replace(
        ChatOptions.of(own), first_token_s=PATIENCE_S, stall_s=PATIENCE_S, total_s=PATIENCE_S, count_url=""
    )
    model = ChatJudge(patient)
    try:
        yield model
    finally:
        model.close()


def criteria_of(text: str) -> tuple[Criterion, ...]:
    """`"correctness, relevancy"` → both; `BadInputError` for one that is none, or for none at all."""
    named = [one.strip() for one in text.split(",") if one.strip()]
    found = names_of(named)
    if not found or len(found) != len(named):
        raise BadInputError(f"{text!r} is not some of {', '.join(CRITERIA)}.")
    return found


def run_judge(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    plan: JudgePlan,
    *,
    strategy: str | None = None,
    warn: Tell,
    note: Tell,
    on_progress: OnProgress,
) -> dict[str, Any]:
    """Audit the judge, ask the questions, and have the answers judged; a JSON object.

    A judge that fails its audit is a `BadInputError`, before a question is asked.
    """
    labels = read_labels(plan.labels)
    questions = read_question_set(questions_file, warn).questions
    with open_judge(settings) as model:
        audits = _audits(model, labels, plan.criteria, plan, on_progress)
        items, refused = _answers(settings, questions, pages_file, strategy, warn, note)
        total = len(items) * len(audits)
        step = _steps(total, on_progress)
        figures = [one.as_json() for one in judged_figures(model, items, audits, plan.repeats, step)]
        return _told(model, plan) | {"answers": len(items), "refused": refused, "figures": figures}


def run_head_to_head(
    settings: Settings, a: str, b: str, plan: JudgePlan, *, on_progress: OnProgress
) -> dict[str, Any]:
    """Two kept runs' first strategies, pair by pair, by a judge that has passed its audit; a JSON object."""
    runs = runs_of(settings)
    one, other = (runs.load(name) for name in (a, b))
    pairs, refused = pairs_of(one.evaluation.strategies[0], other.evaluation.strategies[0])
    if not pairs:
        raise BadInputError(f"{one.name} and {other.name} answered no question both: there is no pair.")
    with open_judge(settings) as model:
        audits = _audits(model, read_labels(plan.labels), ("correctness",), plan, on_progress)
        require_passed(audits)
        result = head_to_head(model, pairs, refused, _steps(len(pairs), on_progress))
        told = _told(model, plan) | {"a": one.name, "b": other.name, **result.as_json()}
        return told | {"audit": [own.as_json() for own in audits]}


def _audits(
    model: ChatJudge,
    labels: Sequence[HandLabel],
    criteria: Sequence[Criterion],
    plan: JudgePlan,
    on_progress: OnProgress,
) -> list[JudgeAudit]:
    step = _steps(sum(one in label.labels for label in labels for one in criteria), on_progress)
    audits = [audit(model, labels, one, plan.repeats, step) for one in criteria]
    require_passed(audits)
    return audits


def _answers(  # noqa: PLR0913, PLR0917  (what asking takes)
    settings: Settings,
    questions: Sequence[EvalQuestion],
    pages_file: Path | None,
    strategy: str | None,
    warn: Tell,
    note: Tell,
) -> tuple[list[JudgedItem], int]:
    """What was answered, confidently or not, with its sources; and how many were refused."""
    finals = _finals(settings, questions, pages_file, strategy, warn, note)
    items = [_item(question, final) for question, final in finals if not final.answer.refused]
    return items, len(finals) - len(items)


def _finals(  # noqa: PLR0913, PLR0917  (what asking takes)
    settings: Settings,
    questions: Sequence[EvalQuestion],
    pages_file: Path | None,
    strategy: str | None,
    warn: Tell,
    note: Tell,
) -> list[tuple[EvalQuestion, Final]]:
    name = strategy or default_strategy(settings)
    with open_ground(settings, pages_file) as ground:
        asker = ground.asker(settings)
        require_strategies(asker, [name])
        ground.prepare(warn, note)
        return [(one, ask_once(asker, one.question, name, one.history)) for one in questions]


def _item(question: EvalQuestion, final: Final) -> JudgedItem:
    """The sources are the passages of the pages that the answer cites, each below its page and section."""
    cited = {citation.url for citation in final.answer.citations}
    read = (citation_of(one, 0, one.text) for one in final.trace.passages.values() if one.url in cited)
    sources = "\n\n".join(f"{one.place}\n{one.quote}" for one in read)[:MAX_SOURCE_CHARS]
    reference = "; ".join(question.answers)
    return JudgedItem(question.id, question.question, without_marks(final.answer.answer), reference, sources)


def _steps(total: int, on_progress: OnProgress) -> Callable[[], None]:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        on_progress(done, total)

    return step


def _told(model: ChatJudge, plan: JudgePlan) -> dict[str, Any]:
    return {"judge": model.name, "prompts": prompt_version(), "repeats": plan.repeats}


def run_sheet(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    most: int,
    *,
    strategy: str | None = None,
    warn: Tell,
    note: Tell,
) -> tuple[str, int]:
    """An expert's sheet of at most so many answers, as CSV, and how many they are."""
    questions = read_question_set(questions_file, warn).questions
    finals = _finals(settings, questions, pages_file, strategy, warn, note)
    given = [
        sheet_answer(question.id, question.question, question.topic or "", final.answer)
        for question, final in finals
        if not final.answer.refused
    ]
    chosen = sampled(given, most)
    return sheet_csv(chosen), len(chosen)


def write_file(file: Path, text: str) -> None:
    """A text, there whole or not at all."""
    write_whole(file, text)


def read_scored(file: Path) -> tuple[ScoredSheetAnswer, ...]:
    """The answers of a filled-in sheet; `BadInputError` when it cannot be read."""
    try:
        return read_sheet(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"The sheet {file} cannot be read: {error}.") from error


def scored_report(answers: Sequence[ScoredSheetAnswer]) -> list[dict[str, Any]]:
    """A row for all, and one a topic: how many answers, and their mean score (0 to 100) with its interval."""
    return [
        {"topic": name, "n": n, "value": mean.value, "low": mean.low, "high": mean.high}
        for name, n, mean in sheet_figures(answers)
    ]


def golden_lines(answers: Sequence[ScoredSheetAnswer]) -> str:
    """A questions file of those with a right page, for `lodge golden import`: no answer's words in it."""
    lines = [json.dumps(one.as_golden(), ensure_ascii=False) for one in answers if one.right_pages]
    return "".join(f"{line}\n" for line in lines)
