"""Observability: `/metrics`, `/healthz` and `/readyz`, and a line in the log for each question.

No label of a metric has a value that a visitor chooses: sites are the table's, the rest are words of ours. A
line of the log has the trace's id, by which the console finds the rest; it never has the question, the
address that it came from or the conversation.
"""

from __future__ import annotations

import hmac
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from litestar import Request, Response, Router, get
from litestar.concurrency import sync_to_thread
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import Message, Scope
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from server.errors import LodgeError, ModelError, NotAllowedError, SnapshotError, StorageError
from server.http.errors import RETRY_AFTER_S, ErrorBody
from server.http.limits import AuthThrottle, bearer_token
from server.http.protocols import Readiness
from server.models import Answer, Question

MEDIA_TYPE = "text/plain; version=0.0.4"
_SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
_STEP_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Prometheus metrics of one server. Thread-safe."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._questions = Counter(
            "lodge_questions",
            "Questions answered or refused, by who answered and why not.",
            ["site", "answerer", "tier", "refused", "degraded"],
            registry=self.registry,
        )
        self._failed = Counter(
            "lodge_questions_failed",
            "Questions that got neither answer nor refusal, by the error's code.",
            ["code"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "lodge_answer_seconds",
            "From a question's coming in to its whole answer, waiting included.",
            ["site"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._steps = Histogram(
            "lodge_step_seconds",
            "What each step of an answer took.",
            ["step"],
            buckets=_STEP_SECONDS,
            registry=self.registry,
        )
        self._responses = Counter(
            "lodge_responses",
            "HTTP responses, by door and status.",
            ["door", "status"],
            registry=self.registry,
        )
        self._llm = Counter(
            "lodge_llm_trouble", "Answers the language model failed at.", ["trouble"], registry=self.registry
        )
        self._quoted = Counter(
            "lodge_llm_quoted",
            "Answers that were quoted because what the language model wrote was no better.",
            ["reason"],
            registry=self.registry,
        )
        self._load_shed = Counter(
            "lodge_hurried", "Answers by words alone, because others waited.", registry=self.registry
        )

    def answered(self, site: str, answer: Answer, seconds: float) -> None:
        """Count an answer and its times."""
        self._questions.labels(
            site=site,
            answerer=answer.answerer,
            tier=answer.tier,
            refused=(answer.refusal_reason or "yes") if answer.refused else "no",
            degraded="yes" if answer.degraded else "no",
        ).inc()
        if answer.degraded == "busy":
            self._load_shed.inc()
        elif answer.degraded:
            self._llm.labels(trouble=answer.degraded).inc()
        if answer.quote_reason:
            self._quoted.labels(reason=answer.quote_reason).inc()
        self._seconds.labels(site=site).observe(seconds)
        for step, ms in answer.timings_ms.items():
            if step != "total":
                self._steps.labels(step=step).observe(ms / 1000)

    def failed(self, code: str) -> None:
        """Count a question without an answer."""
        self._failed.labels(code=code).inc()

    async def count_response(self, message: Message, scope: Scope) -> None:
        """Count a response by part and status; a hook for Litestar's `before_send`."""
        if message["type"] == "http.response.start":
            self._responses.labels(door=_door(scope["path"]), status=str(message["status"])).inc()

    def watch(self, readiness: Readiness, gauges: Mapping[str, tuple[str, Callable[[], float]]]) -> None:
        """Register gauges that are read at every scrape: by name, a sentence and what gives the value."""
        for name, (sentence, value) in gauges.items():
            Gauge(name, sentence, registry=self.registry).set_function(value)
        self.registry.register(_Health(readiness))


class _Health(Collector):
    """Collector of the gauges of readiness and vitals, read at every scrape."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    def collect(self) -> Iterator[Metric]:
        """A gauge each."""
        vitals, missing = self._readiness.vitals(), self._readiness.missing()
        yield _gauge("lodge_ready", "1: questions can be answered.", 0 if missing else 1)
        yield _gauge("lodge_disk_free_bytes", "Free where Lodge writes.", vitals.disk_free_bytes)
        if vitals.snapshot_created_at:
            age = datetime.now(UTC) - datetime.fromisoformat(vitals.snapshot_created_at)
            yield _gauge(
                "lodge_snapshot_age_seconds", "Since the live snapshot was made.", age.total_seconds()
            )
            standing_in = "1: an earlier snapshot stands in for the published one."
            yield _gauge("lodge_snapshot_standing_in", standing_in, bool(vitals.snapshot_trouble))
            yield _gauge("lodge_snapshot_chunks", "Passages in the live snapshot.", vitals.chunks)
            yield _gauge("lodge_snapshot_pages", "Pages in the live snapshot.", vitals.pages)
        if vitals.llm_resting is not None:
            resting = "1: the language model is left in peace after failures."
            yield _gauge("lodge_llm_resting", resting, vitals.llm_resting)

    def describe(self) -> Iterator[Metric]:
        """No descriptions, for which the registry would otherwise collect when this is registered."""
        return iter(())


def _gauge(name: str, sentence: str, value: float) -> Metric:
    return GaugeMetricFamily(name, sentence, value=float(value))


def _door(path: str) -> str:
    """The part of the server that a path belongs to; never the path itself, which callers can make up."""
    first = path.removeprefix("/").partition("/")[0]  # "*" has no slash at all
    return first if first in ("admin", "api", "chat", "metrics", "static") else "other"


def metrics_router(metrics: Metrics, token: str, guesses: AuthThrottle) -> Router:
    """`/metrics`, for callers with the token, from this machine too; without a token nobody may read it."""

    @get("/metrics", include_in_schema=False)
    async def scrape(request: Request[Any, Any, Any]) -> Response[bytes]:
        """All metrics, in the text format of Prometheus."""
        await _require_token(request, token, guesses)
        body = await sync_to_thread(generate_latest, metrics.registry)
        headers = {"Cache-Control": "no-store"}
        return Response(body, media_type=MEDIA_TYPE, headers=headers)

    return Router("/", route_handlers=[scrape])


async def _require_token(request: Request[Any, Any, Any], token: str, guesses: AuthThrottle) -> None:
    address = guesses.address_of(request)
    await guesses.require_open(address)
    given = bearer_token(request.headers.get("authorization", ""))
    if not given:
        raise NotAllowedError("Metrics take LODGE_METRICS_TOKEN, sent as a bearer token.", code="no_token")
    if not token or not hmac.compare_digest(given.encode(), token.encode()):
        await guesses.note_wrong(address)
        raise NotAllowedError("This token does not open the metrics.", code="no_token")


def code_of(error: Exception) -> str:
    """An error's code in metrics and log: that of a `LodgeError`, else `internal`."""
    return error.code if isinstance(error, LodgeError) else "internal"


logger = logging.getLogger("lodge.access")

OURS = (StorageError, SnapshotError, ModelError)


class Outcomes:
    """Outcomes of visitors' questions: counts each, and logs a line for it. Thread-safe."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        self._metrics = metrics or Metrics()

    def answered(self, question: Question, answer: Answer, seconds: float) -> None:
        """Record a question that was answered or refused."""
        self._metrics.answered(question.site, answer, seconds)
        shown = "seems" if answer.tier == "seems" else "answered"
        status = f"refused:{answer.refusal_reason}" if answer.refused else shown
        more = {"degraded": answer.degraded} if answer.degraded else {}
        _log(question, status, seconds, answerer=answer.answerer, **more)

    def failed(self, question: Question, error: Exception, seconds: float) -> None:
        """Record a question that ended in an error."""
        self._metrics.failed(code_of(error))
        # Sentences about what a visitor gave may quote it; those about our own parts do not.
        more = {"why": error.message} if isinstance(error, OURS) else {}
        _log(question, f"failed:{code_of(error)}", seconds, **more)

    def turned_away(self, site: str, error: Exception) -> None:
        """Record a question that was rejected by a limit, before it had a trace."""
        self._metrics.failed(code_of(error))
        logger.info("question", extra={"fields": {"site": site, "status": f"failed:{code_of(error)}"}})


def _log(question: Question, status: str, seconds: float, **more: str) -> None:
    known = {"trace_id": question.trace_id, "site": question.site, "status": status}
    logger.info("question", extra={"fields": {**known, "ms": round(seconds * 1000, 1), **more}})


_REPEATED = ResponseSpec(ErrorBody, generate_examples=False, description="A parameter is given twice.")


@get("/healthz", sync_to_thread=False, responses={400: _REPEATED})
def healthz() -> dict[str, bool]:
    """Liveness: 200 as long as the process answers."""
    return {"alive": True}


LEAVING = "The server is about to stop."


def health_router(readiness: Readiness, leaving: threading.Event) -> Router:
    """`/healthz` and `/readyz`; a server that is `leaving` is not ready for more."""

    @get(
        "/readyz",
        sync_to_thread=True,
        responses={
            400: _REPEATED,
            503: ResponseSpec(dict[str, Any], generate_examples=False, description="Not ready."),
        },
    )
    def readyz() -> Response[dict[str, Any]]:
        """200 when questions can be answered; otherwise 503, with a sentence for each missing part.

        `degraded` has a sentence for each part without which answers are simpler, or soon will not be kept.
        """
        missing = [LEAVING] if leaving.is_set() else readiness.missing()
        body = {"ready": not missing, "missing": missing, "degraded": readiness.degraded()}
        if not missing:
            return Response(body)
        return Response(body, status_code=503, headers={"Retry-After": str(RETRY_AFTER_S)})

    return Router("/", route_handlers=[healthz, readyz], tags=["health"])
