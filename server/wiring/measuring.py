"""What measures by a question set: `lodge eval` and `lodge calibrate`, over the snapshot that is asked."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import Field, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import tomlkit

from server.ask.pipeline import Asker
from server.ask.quoting.confidence import ConfidenceFit
from server.ask.retrieve import adaptive_alpha
from server.ask.strategy.presets import has_step
from server.calibration import checked_constants
from server.errors import BadInputError
from server.evaluate.calibrate.calibrate import CalibrationReport, Present, calibrate
from server.evaluate.calibrate.confidence import ConfidenceCorrection, WeighedAnswer
from server.evaluate.compare_runs import RunComparison, compare_runs
from server.evaluate.evaluate import evaluate, strategy_names
from server.evaluate.questions import EvalQuestion, read_questions, unknown_gold_urls
from server.evaluate.retrieval_metrics import unknown_gold_chunks
from server.evaluate.runs import Circumstances, Run, RunStore, write_whole
from server.index.manager import SnapshotManager
from server.index.snapshot import MANIFEST_FILE, Manifest, Snapshot
from server.inference.encoders import Embedder
from server.ingest.pages_file import read_pages_file
from server.ingest.publish import SnapshotStore
from server.models import Passage
from server.settings import PROJECT, Settings
from server.storage.ratings import RatedAnswer, rated_answers
from server.variables import PREFIX
from server.wiring.examples import AnsweredExample, GoldenExamples, kept_examples
from server.wiring.flow import build_asker, build_embedder, default_strategy, require_strategies
from server.wiring.indexing import build_indexer
from server.wiring.opened import OpenedSnapshot, build_live
from server.wiring.opening import build_records, site_name

Tell = Callable[[str], None]

# Questions of a set are answered whatever their length.
ANY_LENGTH = 100_000
PASSAGES_AT_ONCE = 1000
WITHOUT_EXAMPLES = (
    "+fewshot has no examples here: they are golden questions that were answered rightly in the last "
    "`lodge golden run` over the live snapshot."
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A questions file as it was read; `broken_lines` are those that could not be used."""

    file: Path
    questions: tuple[EvalQuestion, ...]
    broken_lines: int


def read_question_set(file: Path, warn: Tell) -> QuestionSet:
    """The questions of a file; each broken line is named, all are counted, and the rest is kept."""
    broken: list[int] = []

    def on_broken(line: int, why: str) -> None:
        broken.append(line)
        warn(f"{file.name}, line {line}: {why}")

    questions = read_questions(file, on_broken)
    if broken:
        warn(
            f"{file.name}: {_count(len(broken), 'line')} left out, {_count(len(questions), 'question')} kept."
        )
    return QuestionSet(file, questions, len(broken))


@dataclass(frozen=True, slots=True)
class Ground:
    """The snapshot that questions are asked over, which `prepare` makes where it is one of a pages file."""

    settings: Settings
    pages_file: Path | None
    embedder: Embedder
    current: Path
    live: SnapshotManager[OpenedSnapshot]
    examples: GoldenExamples

    def asker(self, settings: Settings) -> Asker:
        """The flow by these settings over the same snapshot; nothing is recorded."""
        name = site_name(settings, self.current)
        settings = replace(settings, max_question_chars=ANY_LENGTH, site_name=name)
        return build_asker(settings, self.live, self.embedder, None, examples=self.examples)

    def prepare(self, warn: Tell, note: Tell) -> None:
        """Index the pages file, unless a snapshot made just so is at hand."""
        if self.pages_file is not None:
            if SnapshotStore(self.current.parent).current_name is None:
                note(f"Indexing {self.pages_file.name}, once; this may take minutes.")
            cached_snapshot(self.settings, self.pages_file, self.embedder, warn)


@contextmanager
def open_ground(settings: Settings, pages_file: Path | None) -> Iterator[Ground]:
    """The live snapshot with the golden questions that are its examples, or a cached one of a pages file."""
    embedder = build_embedder(settings)
    read: Callable[[], list[AnsweredExample]] = list
    if pages_file is None:
        current, read = settings.current_snapshot, partial(kept_examples, settings.records_database_url)
    else:
        current = _cache(settings, pages_file, embedder).current
    examples = GoldenExamples(read, embedder.embed_questions)
    live = build_live(settings, current, embedder)
    try:
        yield Ground(settings, pages_file, embedder, current, live, examples)
    finally:
        live.close()


def cached_snapshot(settings: Settings, pages_file: Path, embedder: Embedder, warn: Tell) -> Path:
    """The `current` link of a snapshot of these pages, built unless one made just so is at hand."""
    into = _cache(settings, pages_file, embedder)
    if into.current_name is None:
        pages = read_pages_file(pages_file, lambda line, why: warn(f"{pages_file.name}, line {line}: {why}"))
        built = build_indexer(settings, into, embedder).index(pages)
        into.publish(built.snapshot)
    return into.current


def warn_of_unknown_gold(
    questions: Sequence[EvalQuestion], live: SnapshotManager[OpenedSnapshot], warn: Tell
) -> None:
    """Count the gold that the snapshot does not have; the questions stay, and count as missed."""
    with live.lease() as index:
        urls = unknown_gold_urls(questions, index.snapshot.urls())
        golds = {gold for question in questions for gold in question.gold_chunks}
        chunks = unknown_gold_chunks(golds, _passages(index.snapshot)) if golds else 0
    for count, noun in ((urls, "gold URL"), (chunks, "gold chunk")):
        if count:
            verb = "is" if count == 1 else "are"
            warn(f"{_count(count, noun)} {verb} not in the snapshot; what they belong to counts as missed.")


def _passages(snapshot: Snapshot) -> Iterator[Passage]:
    """Every passage."""
    for start in range(0, snapshot.manifest.chunks + 1, PASSAGES_AT_ONCE):
        yield from snapshot.passages(range(start, start + PASSAGES_AT_ONCE)).values()


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _cache(settings: Settings, pages_file: Path, embedder: Embedder) -> SnapshotStore:
    if not pages_file.is_file():
        raise BadInputError(f"There is no pages file {pages_file}.")
    return SnapshotStore(settings.home / "eval" / _cache_key(settings, pages_file, embedder))


def _cache_key(settings: Settings, pages_file: Path, embedder: Embedder) -> str:
    """What a snapshot of a pages file depends on: the pages, the settings, the model, our own code but the
    crawler's."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(pages_file.read_bytes())
    for file in (
        settings.filters_file,
        settings.topics_file,
        settings.general_questions_file,
        settings.usual_questions_file,
    ):
        digest.update(file.read_bytes() if file.is_file() else b"")
    made_with = (
        settings.chunk_chars,
        settings.chunk_overlap_chars,
        settings.min_chunk_words,
        settings.min_page_chars,
        settings.near_duplicate_jaccard,
        settings.max_page_passages,
        settings.max_site_passages,
        embedder.sha256,
        embedder.projection_sha256,
    )
    digest.update(repr(made_with).encode())
    server = PROJECT / "server"
    rooms = (path for room in ("ingest", "index") for path in sorted((server / room).rglob("*.py")))
    makers = (path for path in rooms if not path.relative_to(server).as_posix().startswith("ingest/crawl"))
    lexicons = sorted((PROJECT / "corpus" / "lexicons").glob("*.toml"))
    for path in (
        *makers,
        *lexicons,
        server / "ingest" / "crawl" / "urls.py",
        server / "sentences.py",
        server / "academic_terms.py",
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()


# A setting with one of these words in its name may hold a secret, though it is not declared one.
SECRET_WORDS = frozenset({"key", "keys", "password", "secret", "secrets", "token", "tokens", "url", "urls"})


def runs_of(settings: Settings) -> RunStore:
    """The folder of all kept runs."""
    return RunStore(settings.home / "eval" / "runs")


def run_eval(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    strategies: Sequence[str],
    *,
    name: str | None = None,
    warn: Tell,
    note: Tell,
    on_progress: Callable[[int, int], None],
) -> Run:
    """Score strategies on a questions file, over the live snapshot or a cached one of a pages file.

    The run is not kept yet: `runs_of(settings).save(run)` does that, once its figures have been shown.
    """
    names = strategy_names(strategies)
    run_name = runs_of(settings).new_name(name)
    warnings: list[str] = []

    def tell(message: str) -> None:
        warnings.append(message)
        warn(message)

    asked = read_question_set(questions_file, tell)
    with open_ground(settings, pages_file) as ground:
        asker = ground.asker(settings)
        require_strategies(asker, names)
        if any(has_step(one, "fewshot") for one in names) and not ground.examples.are_there:
            tell(WITHOUT_EXAMPLES)
        ground.prepare(tell, note)
        warn_of_unknown_gold(asked.questions, ground.live, tell)
        evaluation = evaluate(asker, asked.questions, names, on_progress)
        snapshot = ground.current.parent / evaluation.snapshot
        made = _circumstances(settings, asked, pages_file, snapshot, evaluation.versions, warnings)
    return Run(run_name, made, evaluation)


def compare(settings: Settings, a: str, b: str) -> RunComparison:
    """Two kept runs, each by its name, the beginning of it, or "latest"."""
    shelf = runs_of(settings)
    return compare_runs(shelf.load(a), shelf.load(b))


def write_report(settings: Settings, run: Run, file: Path) -> None:
    """The run's HTML report, there whole or not at all."""
    from server.evaluate.page.page import report_page  # noqa: PLC0415 - Altair; others do without

    write_whole(file, report_page(run))


def require_folder(file: Path) -> None:
    """`BadInputError` when a file could not be written there, before the work that it is to hold."""
    if file.is_dir() or not file.resolve().parent.is_dir():
        raise BadInputError(f"{file} cannot be written: it is a folder, or in one that is not there.")


def kept_settings(settings: Settings) -> dict[str, Any]:
    """Every setting but those that are secrets or may hold one."""
    values = {
        field.name: getattr(settings, field.name) for field in fields(settings) if not _may_be_secret(field)
    }
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def _may_be_secret(field: Field[Any]) -> bool:
    return not field.repr or not SECRET_WORDS.isdisjoint(field.name.split("_"))


def _circumstances(  # noqa: PLR0913, PLR0917  (a run's figures depend on so many things)
    settings: Settings,
    asked: QuestionSet,
    pages_file: Path | None,
    snapshot: Path,
    models: Mapping[str, str],
    warnings: Sequence[str],
) -> Circumstances:
    return Circumstances(
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        lodge=lodge_version(),
        questions_file=asked.file.name,
        questions_sha256=_sha256(asked.file),
        broken_lines=asked.broken_lines,
        pages_file=pages_file.name if pages_file else None,
        pages_sha256=_sha256(pages_file) if pages_file else None,
        manifest_sha256=_sha256(snapshot / MANIFEST_FILE),
        manifest=Manifest.read(snapshot).as_json(),
        models=models,
        settings=kept_settings(settings),
        warnings=tuple(warnings),
    )


def lodge_version() -> str:
    """The installed version, or "unknown"."""
    try:
        return importlib.metadata.version("lodge")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Askers:
    """The flow over one ground, by other values of its settings."""

    ground: Ground

    def asker(self, *, alpha: float, depth: int, threshold: float) -> Asker:
        """The flow with these, its confidence as it is before any correction."""
        settings = self.ground.settings
        return self.ground.asker(
            replace(
                settings,
                fusion_alpha=alpha,
                rerank_candidates=depth,
                refusal_threshold=threshold,
                confidence_shift=0.0,
                confidence_scale=1.0,
            )
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
    ratings: bool = False,
) -> CalibrationReport:
    """Choose the settings that bear on a strategy, over the live snapshot or a cached one of a pages file.

    `ratings`: the confidence is refitted to visitors' ratings in the records, too.
    """
    strategy = strategy or default_strategy(settings)
    asked = read_question_set(questions_file, warn)
    present = Present(
        alpha=settings.fusion_alpha,
        depth=settings.rerank_candidates,
        threshold=settings.refusal_threshold,
        confidence=ConfidenceCorrection(settings.confidence_shift, settings.confidence_scale),
    )
    with open_ground(settings, pages_file) as ground:
        require_strategies(ground.asker(settings), [strategy])
        ground.prepare(warn, note)
        warn_of_unknown_gold(asked.questions, ground.live, warn)
        askers = _Askers(ground)
        return calibrate(
            askers,
            asked.questions,
            strategy,
            present,
            wrong_costs=wrong_costs,
            on_progress=on_progress,
            rated=_rated(settings) if ratings else (),
        )


def _rated(settings: Settings) -> list[WeighedAnswer]:
    with closing(build_records(settings)) as records, records.transactions.reading() as connection:
        return [_as_shipped(one) for one in rated_answers(connection)]


def _as_shipped(rated: RatedAnswer) -> WeighedAnswer:
    """With the confidence that it would have had without the correction of its day."""
    fit = ConfidenceFit(rated.confidence_shift, rated.confidence_scale)
    return WeighedAnswer(fit.as_shipped(rated.confidence), rated.helpful)


def variables(calibration: CalibrationReport) -> dict[str, str]:
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


def write_calibration(file: Path, calibration: CalibrationReport) -> None:
    """Set what is recommended in a calibration file; what else stands in it stays. Whole or not at all."""
    document = calibration_in(file)
    for one in calibration.parameters:
        document[one.setting] = one.recommended
    write_whole(file, tomlkit.dumps(document))
