"""`lodge eval`: strategies side by side on one set of questions, put through the flow that visitors' take."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Protocol
from uuid import uuid4

from server.errors import BadInputError, LodgeError
from server.evaluate.figures import Evaluation, KeptPassage, compare, result_of
from server.evaluate.outcomes import QuestionOutcome, outcome_of
from server.evaluate.questions import EvalQuestion
from server.models import Event, Final, Passage, Question, Trace


class AnswerFlow(Protocol):
    """The question's way; an unknown strategy is a `BadInputError` that names the known ones."""

    def ask(self, question: Question) -> Iterator[Event]:
        """Events up to one `Final`. Must be thread-safe."""
        ...


def strategy_names(strategies: Sequence[str]) -> tuple[str, ...]:
    """The names as given, each once, blanks left out; none at all is a `BadInputError`."""
    names = tuple(dict.fromkeys(name.strip() for name in strategies if name.strip()))
    if not names:
        raise BadInputError("The list of strategies is empty; name at least one, such as hybrid.")
    return names


def ask_once(asker: AnswerFlow, text: str, strategy: str, history: tuple[tuple[str, str], ...] = ()) -> Final:
    """Ask and wait for the end. A flow that ends without a `Final` is a `LodgeError`."""
    question = Question(
        text=text,
        conversation_id=uuid4().hex,
        message_id=uuid4().hex,
        trace_id=uuid4().hex,
        strategy=strategy,
        history=history,
    )
    final = None
    for event in asker.ask(question):
        if isinstance(event, Final):
            final = event
    if final is None:
        raise LodgeError(f"The question {text!r} came to no answer with the strategy {strategy!r}.")
    return final


SNIPPET_CHARS = 240


def evaluate(
    asker: AnswerFlow,
    questions: Sequence[EvalQuestion],
    strategies: Sequence[str],
    on_progress: Callable[[int, int], None],
) -> Evaluation:
    """Ask every question with every strategy, one at a time, and score what comes back.

    `on_progress` hears how many asks are done, and of how many. No question, no strategy, or one that the
    asker does not know is a `BadInputError` before the work begins; a snapshot that is swapped meanwhile
    is a `LodgeError`, since figures from two snapshots are figures of neither.
    """
    names = strategy_names(strategies)
    if not questions:
        raise BadInputError("There is no question to evaluate with.")
    first = _warm_up(asker, questions[0], names)
    passages: dict[int, KeptPassage] = {}
    outcomes = _ask_all(asker, questions, names, first.snapshot, passages, on_progress)
    results = tuple(result_of(name, outcomes[name]) for name in names)
    comparisons = (comparison for a, b in combinations(results, 2) for comparison in compare(a, b))
    return Evaluation(
        first.snapshot, len(questions), results, tuple(comparisons), dict(first.versions), passages
    )


def _warm_up(asker: AnswerFlow, question: EvalQuestion, names: Sequence[str]) -> Trace:
    """One uncounted ask a strategy: a wrong name fails at once, and what loads late is loaded."""
    return [ask_once(asker, question.question, name, question.history) for name in names][-1].trace


def _ask_all(  # noqa: PLR0913, PLR0917  (an evaluation is made of so many things)
    asker: AnswerFlow,
    questions: Sequence[EvalQuestion],
    names: Sequence[str],
    snapshot: str,
    passages: dict[int, KeptPassage],
    on_progress: Callable[[int, int], None],
) -> Mapping[str, tuple[QuestionOutcome, ...]]:
    """The outcomes by strategy, in the order of the questions; `passages` gains those that they keep.

    Strategies take turns at every question, so that a busy spell of the machine meets them all, and a
    different one goes first each time, so that none always profits from what another left in a cache.
    """
    outcomes: dict[str, list[QuestionOutcome]] = {name: [] for name in names}
    for index, question in enumerate(questions):
        first = index % len(names)
        for turn, name in enumerate((*names[first:], *names[:first]), start=1):
            final = ask_once(asker, question.question, name, question.history)
            _require_snapshot(final, snapshot)
            outcomes[name].append(outcome_of(question, final))
            _keep_passages(outcomes[name][-1], final.trace, passages)
            on_progress(index * len(names) + turn, len(questions) * len(names))
    return {name: tuple(asked) for name, asked in outcomes.items()}


def _require_snapshot(final: Final, snapshot: str) -> None:
    if final.trace.snapshot != snapshot:
        raise LodgeError(
            f"The snapshot changed from {snapshot} to {final.trace.snapshot} meanwhile; evaluate again."
        )


def _keep_passages(outcome: QuestionOutcome, trace: Trace, passages: dict[int, KeptPassage]) -> None:
    for ranked in outcome.passages:
        if ranked.chunk_id not in passages:
            passages[ranked.chunk_id] = _kept(trace.passages[ranked.chunk_id])


def _kept(passage: Passage) -> KeptPassage:
    snippet = " ".join(passage.text.split())
    if len(snippet) > SNIPPET_CHARS:
        snippet = snippet[:SNIPPET_CHARS].rsplit(" ", 1)[0] + " …"
    digest = hashlib.blake2b(passage.text.encode(), digest_size=8).hexdigest()
    return KeptPassage(passage.url, passage.title, passage.heading, snippet, digest)
