"""A small asker that plays set pieces, the parts around it, and a real server on loopback to put them in."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import uvicorn
from litestar import Litestar

from server import app
from server.app import WebOptions
from server.errors import BadInputError, NotReadyError, SnapshotError
from server.http.middleware import SchemeMiddleware
from server.models import (
    Answer,
    Caution,
    Citation,
    Cited,
    ClosestPage,
    Event,
    Exchange,
    Final,
    Narrowing,
    NarrowingChoice,
    Placement,
    Question,
    Status,
    Token,
    Trace,
    TraceStep,
    TurnFilter,
    Vitals,
)
from server.models.curation import RuleSet
from server.models.golden import outcome_of
from server.models.quoted_table import QuotedTable
from server.sites.site import SiteDefaults, read_site
from server.sites.table import SiteTable
from server.wiring.serving import Serving
from server.workbench.answering import Answering
from server.workbench.coverage.service import CoverageService
from server.workbench.curation.trial import DraftPreviews
from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.gaps.service import GapService
from server.workbench.golden.service import GoldenRuns
from server.workbench.golden.store import RunRow
from server.workbench.job_store import JobStore
from server.workbench.jobs import JobProgress, Jobs
from server.workbench.records import Records, open_records
from server.workbench.traces.service import Changes, TraceService
from tests.storage.empty import put_empty_store

DEADLINE = "The deadline for fall transfer applications is March 1."
FEE = "The application fee is $40, and it can be waived."
CITATIONS = (
    Citation(
        1,
        "https://www.larkmoor.example/admissions/transfer",
        "Transfer Students",
        "Deadlines",
        f"Transfer students may start in either term. {DEADLINE} Spring applications close on October 15.",
        "2025-03-03T08:00:00-05:00",
        "2025-10-01T00:00:00+00:00",
    ),
    Citation(
        2,
        "https://www.larkmoor.example/admissions/fees",
        "Fees and Waivers",
        "",
        f"{FEE} Ask your counselor for the waiver form.",
        None,
        "2025-10-01T00:00:00+00:00",
    ),
)
CLOSEST = (
    ClosestPage("https://www.larkmoor.example/academics/programs", "Programs of Study"),
    ClosestPage("https://www.larkmoor.example/academics/physics", "Physics"),
    ClosestPage("javascript:alert(1)", "A page with a bad address"),
)
CONTACT_URL = "https://www.larkmoor.example/contact"
SITES: dict[str, dict[str, Any]] = {
    "main": {
        "origins": ["https://www.larkmoor.example"],
        "contact_url": CONTACT_URL,
        "limits": {"max_question_chars": 200},
        "questions": [
            {"en": "When do classes begin?", "es": "¿Cuándo empiezan las clases?"},
            {"en": "How much is tuition?"},
        ],
        "contacts": [{"label": {"en": "Switchboard", "es": "Centralita"}, "phone": "(802) 555-0100"}],
        "topics": {
            "admissions": {
                "title": {"en": "Admissions", "es": "Admisión"},
                "questions": [{"en": "How do I apply?", "es": "¿Cómo me inscribo?"}],
                "contacts": [
                    {
                        "label": {"en": "Admissions Office", "es": "Oficina de Admisión"},
                        "email": "admissions@larkmoor.example",
                        "phone": "(802) 555-0110",
                        "url": "https://www.larkmoor.example/admissions",
                        "hours": {"en": "Weekdays 9 to 5", "es": "De lunes a viernes, de 9:00 a 17:00"},
                    }
                ],
            }
        },
    },
    "library": {
        "name": "Finch Library",
        "origins": ["https://library.larkmoor.example"],
        "strategy": "keyword",
        "limits": {"max_question_chars": 100},
    },
}
WRITTEN = (
    f"**{DEADLINE}** [1]\nSee [the page]({CITATIONS[0].url}), not [this](https://evil.example/).\n"
    "![x](https://evil.example/x.png)<script>alert(1)</script>"
)
CAREFUL: dict[str, Any] = {
    "notices": ("The campus is closed today because of the storm.",),
    "as_of": "2025-03-03",
    "cautions": (Caution("past_term", 1, "2024-fall"), Caution("changed", 2)),
}
ASKED_BACK = Narrowing(
    "transfer students",
    "This is for transfer students. Ask the same for:",
    (NarrowingChoice("Graduate students", "for whom, for graduate students?"),),
    "en",
)
REFUSAL = "I could not find this on the university's pages."
REFUSALS = {"en": REFUSAL, "es": "No he encontrado una respuesta a esto en las páginas de la universidad."}
VITALS = Vitals("2026-03-01T10:00:00+00:00", 12, 340, llm_resting=False, disk_free_bytes=5_000_000_000)


TABLED = (
    "Saturday — Counter: Closed; Phone: (802) 555-0101 [1]\n"
    "Sunday — Counter: <b>Closed</b>; Phone: Closed [1]\n"
    "Bring:\nyour card\na pen [2]\nThen:\n2. Sign.\n3. Wait. [2]\nThat is all. [1]"
)
OFFICES = tuple(f"Office {n} — Room: {n}10; Opens: {n} a.m." for n in range(1, 13))
FOLDED = (
    f"{OFFICES[4]} [1]\nClubs:\n"
    + "\n".join(f"Club {n}" for n in range(1, 15))
    + " [2]\nAdvising Center, Quarry Hall 140, (802) 555-0122, advising@larkmoor.example [2]"
)
HELPED = "You can reach them now:\n• Campus Safety: 555-0100. Day and night."


class ScriptedAsker:
    """Answers everything, but for questions that hold one of its words:

    `nobel` is refused; `crisis` gets help lines; `markdown` is answered in it, by a model; `table` by
    rows, a list and steps; `folded` by a row of a table, a long list and a card; `courtesy`
    is small talk, `perhaps` only seems to be answered, `for whom` asks back, `twice` is answered from one
    page; `simpler` is answered by less than all of the service; `careful` with a notice and with doubts about
    its sources; `transfer` is about admissions; `unready`, `damaged` and `explode` raise before the first
    event, `break` after it; `gate` waits before its answer until `gate` is set.
    `asked` and `closed` tell what became of the questions. Where there are records, answers are recorded.
    """

    def __init__(self, records: Records | None = None) -> None:
        self._records = records
        self.gate = threading.Event()
        self.waiting = threading.Event()
        self.closed = threading.Event()
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Iterator[Event]:
        self.asked.append(question)
        if "unready" in question.text:
            raise NotReadyError("No snapshot has been published yet. Run `lodge index` first.")
        if "damaged" in question.text:
            raise SnapshotError("The snapshot '20260301-100000' has no readable manifest.json.")
        if "explode" in question.text:
            raise RuntimeError("secret: /var/lib/lodge")
        return self._events(question)

    def _events(self, question: Question) -> Iterator[Event]:
        try:
            yield Status("retrieve")
            if "break" in question.text:
                raise NotReadyError("The snapshot has gone.")
            if "gate" in question.text:
                yield Token("Half an")
                self.waiting.set()
                while not self.gate.wait(0.02):
                    yield Status("retrieve")
            for event in _events_of(question):
                if isinstance(event, Final) and self._records:
                    asked_at = datetime.now(UTC).isoformat()
                    self._records.conversations.record(
                        Exchange(question, event.answer, event.trace, asked_at)
                    )
                yield event
        finally:
            self.closed.set()


def _events_of(question: Question) -> Iterator[Event]:
    plays = {
        "nobel": _refused,
        "crisis": _helped,
        "table": _tabled,
        "courtesy": _polite,
        "twice": _twice,
        "folded": _folded,
        "markdown": _written,
        "perhaps": _seeming,
    }
    return next((play for word, play in plays.items() if word in question.text.lower()), _answered)(question)


def _polite(question: Question) -> Iterator[Event]:
    yield _final(question, "You're welcome!", answerer="courtesy")


def _twice(question: Question) -> Iterator[Event]:
    again = replace(CITATIONS[0], n=2, quote="Spring applications close on October 15.")
    yield _final(question, f"{DEADLINE} [1] {again.quote} [2]", citations=(CITATIONS[0], again))


def _folded(question: Question) -> Iterator[Event]:
    one = replace(CITATIONS[0], table=QuotedTable(OFFICES, "Opening times"))
    yield Token(FOLDED)
    yield _final(question, FOLDED, citations=(one, CITATIONS[1]))


def _tabled(question: Question) -> Iterator[Event]:
    yield Token(TABLED)
    yield _final(question, TABLED, citations=CITATIONS)


def _seeming(question: Question) -> Iterator[Event]:
    rows = "Saturday — Counter: Closed; Phone: Closed\nMonday — Counter: 9–5; Phone: 9–5 [1]"
    told = f"This page seems to answer it:\n\n{CITATIONS[0].place}:\n{rows}"
    final = _final(question, told, citations=CITATIONS[:1])
    yield replace(final, answer=replace(final.answer, tier="seems"))


def _helped(question: Question) -> Iterator[Event]:
    yield Token(HELPED)
    yield _final(question, HELPED, answerer="help", lang=question.lang)


def _written(question: Question) -> Iterator[Event]:
    yield Token(WRITTEN)
    yield Cited(CITATIONS[0])
    yield _final(question, WRITTEN, citations=CITATIONS[:1], answerer="llm")


def _answered(question: Question) -> Iterator[Event]:
    yield Status("answer")
    yield Token(f"{DEADLINE} [1]")
    yield Cited(CITATIONS[0])
    yield Token(f" {FEE} [2]")
    yield Cited(CITATIONS[1])
    yield _final(question, f"{DEADLINE} [1] {FEE} [2]", citations=CITATIONS)


def _refused(question: Question) -> Iterator[Event]:
    lang = question.lang if question.lang in REFUSALS else "en"
    yield Token(REFUSALS[lang])
    yield _final(question, REFUSALS[lang], refused=True, lang=lang)


def _final(
    question: Question,
    text: str,
    *,
    refused: bool = False,
    citations: Any = (),
    answerer: str = "extractive",
    lang: str | None = None,
) -> Final:
    answer = Answer(
        answer=text,
        refused=refused,
        refusal_reason="no_evidence" if refused else None,
        answerer=answerer,
        degraded="llm_down" if "simpler" in question.text else None,
        citations=citations,
        **(CAREFUL if "careful" in question.text else {}),
        closest_pages=CLOSEST if refused else (),
        strategy=question.strategy or "hybrid",
        snapshot="test",
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms={"retrieve": 1.5},
        lang=lang,
        narrow=ASKED_BACK if "for whom" in question.text and not question.narrowed else None,
    )
    allowed: dict[str, list[str]] = {"admissions": []} if "transfer" in question.text.lower() else {}
    steps = (TraceStep("normalize", 0.1), TraceStep("classify", 1.0, notes={"allowed": allowed}))
    return Final(answer, Trace(question.trace_id, question.text, answer.strategy, "test", {}, steps, {}))


@dataclass
class ScriptedReadiness:
    sentences: list[str] = field(default_factory=list)

    doubts: list[str] = field(default_factory=list)
    figures: Vitals = VITALS

    def missing(self) -> list[str]:
        return self.sentences

    def degraded(self) -> list[str]:
        return self.doubts

    def vitals(self) -> Vitals:
        return self.figures


def no_parts() -> Answering:
    """The scripted services ask nothing of a model."""
    raise NotReadyError("There is no model in this test.")


class ScriptedTraces(TraceService):
    """Says what it was asked, in place of doing it."""

    def __init__(self) -> None:
        super().__init__(no_parts, Path(), RuleSet)

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        return {"question": trace["question"], "changes": changes.named()}

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        return {"url": url, "code": "unknown"}


class ScriptedPreviews(DraftPreviews):
    """One page goes and one answer changes; a draft that pins a page breaks a golden question."""

    def __init__(self, records: Records) -> None:
        search, cited = records.search.first_questions, records.coverage.citations
        super().__init__(no_parts, records.curation, records.golden.all, search, cited)

    def pages(self, book: RuleSet) -> dict[str, Any]:
        goes = len(book.leave_out)
        counts = {"left_out_now": 0, "left_out_then": goes, "goes": goes, "comes_back": 0}
        return {"total": 2, **counts, "sample": []}

    def preview(self, book: RuleSet, progress: JobProgress, limit: int = 0) -> dict[str, Any]:
        progress.at(1, 2, "I am ana@example.edu")
        said = {"answer": "Ask ana@example.edu.", "refused": False, "answerer": "extractive", "pages": []}
        change = {"question": "I am ana@example.edu", "before": said, "after": said}
        return {"questions": limit, "changes": [change]}

    def breaks(self, book: RuleSet) -> list[dict[str, Any]]:
        return [{"id": "q", "question": "Q?", "failure": "It is not answered."}] if book.favours else []


class ScriptedGolden(GoldenRuns):
    """Asks the scripted asker, and keeps the run."""

    def __init__(self, records: Records) -> None:
        super().__init__(no_parts, records.golden)

    def check(self, site: str, strategy: str | None = None) -> None:
        if strategy == "guess" or not self.store.all(site):
            raise BadInputError("There is nothing to ask, or no such strategy.")

    def run(self, site: str, strategy: str | None, by: str, progress: JobProgress | None = None) -> RunRow:
        asker = ScriptedAsker()
        questions, outcomes = self.store.all(site), []
        for done, golden in enumerate(questions):
            if progress:
                progress.at(done, len(questions), golden.question)
            *_, final = asker.ask(Question(golden.question, "g", f"g{done}", f"g{done}", site))
            assert isinstance(final, Final)
            outcomes.append(outcome_of(golden, final.answer))
        number = self.store.note_run(
            outcomes, site=site, occasion="asked", snapshot="test", strategy=strategy or "hybrid", by=by
        )
        return self.store.run(number)


class ScriptedGaps(GapService):
    """Puts every question that waits into one gap of its site, and answers nothing again."""

    live = "20260301-100000"

    def __init__(self, records: Records) -> None:
        super().__init__(records.gaps, no_parts)

    def has_work(self) -> bool:
        return self._store.count_waiting() > 0

    def work(self, progress: JobProgress) -> None:
        self.work_off()

    def work_off(self) -> None:
        for one in self._store.waiting(100):
            self._store.place(one.site, [one.key], lambda _known: Placement([(0, 1.0)], {0: b""}))

    def ask_again(self, gap_id: int, by: str) -> None:
        answer = {"refused": False, "snapshot": self.live, "answer": DEADLINE}
        self._store.note_again(gap_id, answer, by=by)


class ScriptedCoverage(CoverageService):
    """Knows two pages, which no answer cites."""

    def __init__(self, records: Records) -> None:
        super().__init__(records.coverage, no_parts)

    def coverage(self, wanted: TurnFilter, months: int) -> dict[str, Any]:
        return {"months": months, "topics": self._store.topics_asked(wanted)}

    def never_cited(self, wanted: TurnFilter, text: str = "") -> list[dict[str, Any]]:
        pages = [page for page in CLOSEST if text in page.title]
        return [{"url": page.url, "title": page.title, "topic": None, "day": None} for page in pages]


class FixedSites(SiteTable):
    """A table without a file behind it."""

    def entry(self, key: str) -> dict[str, Any]:
        return {**SITES[key]}

    def put(self, key: str, values: dict[str, Any]) -> dict[str, Any] | None:
        raise AssertionError("the table of these tests was written to")

    def remove(self, key: str) -> dict[str, Any]:
        raise AssertionError("the table of these tests was written to")


def site_table(**changes: dict[str, Any]) -> FixedSites:
    """The sites of these tests, with other values for some keys, or another site."""
    tables = {key: {**SITES.get(key, {}), **changes.get(key, {})} for key in {**SITES, **changes}}
    defaults = SiteDefaults("Larkmoor University")
    return FixedSites(read_site(key, values, defaults, "these tests") for key, values in tables.items())


class ScriptedParts:
    """An asker that plays set pieces, over real records in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.records = open_records(put_empty_store(folder))
        self.asker = ScriptedAsker(self.records)
        self.readiness = ScriptedReadiness()
        self.sites = site_table()
        self.traces = ScriptedTraces()
        self.previews = ScriptedPreviews(self.records)
        self.gaps = ScriptedGaps(self.records)
        self.coverage = ScriptedCoverage(self.records)
        self.jobs = Jobs(JobStore(self.records.transactions))
        self.golden = ScriptedGolden(self.records)
        self.evaluations = KeptEvaluations(folder / "runs")
        self.snapshots = self.crawls = self.mending = self.hours = None
        self.notifications = self.owners = self.labelling = None
        self.closed = False

    def close(self) -> None:
        self.closed = True
        self.jobs.close()
        self.records.close()


def stored(parts: ScriptedParts) -> int:
    """How many conversations are in the records."""
    return len(parts.records.search.conversations(limit=100))


def web_app(options: WebOptions, parts: object) -> SchemeMiddleware:
    """The server over parts of the tests' own."""
    return app.web_app(options, cast("Serving", parts))


@contextmanager
def serving(served: Litestar) -> Iterator[str]:
    """A real uvicorn on a free loopback port; yields its address."""
    # asyncio turns Nagle's delay off only where the socket says that it is TCP.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            served, log_level="warning", ws="none", timeout_graceful_shutdown=2, timeout_keep_alive=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive(), "the server did not start"
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
