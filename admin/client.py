"""The admin API, as the console calls it. Everything that can go wrong is an `ApiError` with a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from admin.crawls.calls import CrawlCalls
from admin.golden.calls import EvaluationCalls, GoldenCalls
from admin.snapshots.calls import SnapshotCalls

TIMEOUT_S = 10.0
EXPORT_TIMEOUT_S = 300.0
LONG_TIMEOUT_S = 120.0  # a language model may write the answer of a replay
NO_CONTENT = 204
_TOKEN = re.compile(r"[!-~]+")  # what an Authorization header can carry


class ApiError(Exception):
    """The server did not give what was asked for; the message is for a person."""


class UnreachableError(ApiError):
    """Nothing answers at the server's address."""


class RefusedError(ApiError):
    """The token is missing, wrong, revoked, expired, or its role does not reach that far."""


class ConflictError(ApiError):
    """Something is in the way: somebody else's change, or golden questions that would break."""


class MissingError(ApiError):
    """The named thing is not there."""


def connect(api_url: str) -> httpx.Client:
    """A connection pool to a server's admin API, safe to share between sessions.

    The server is a neighbour, so the proxy of the environment, which is there for the outside, is left out.
    """
    return httpx.Client(base_url=f"{api_url.rstrip('/')}/admin/api/v1", timeout=TIMEOUT_S, trust_env=False)


class AdminApi:
    """The admin API with one person's token; `golden`, `evaluations`, `snapshots` and `crawls` have calls of
    their own."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client = client
        self._token = token
        self.golden = GoldenCalls(self._call)
        self.evaluations = EvaluationCalls(self._call)
        self.snapshots = SnapshotCalls(self._call)
        self.crawls = CrawlCalls(self._call)

    def role(self) -> str:
        """What the token allows: viewer, editor or developer."""
        return str(self._get("/me")["role"])

    def conversations(self, limit: int, before: str | None, **wanted: str) -> dict[str, Any]:
        """A page of conversations, newest first: `conversations`, and `next` for the page after it.

        `wanted` is a filter by the API's names for its parts: `site`, `since`, `text` and so on.
        """
        return self._get("/conversations", limit=limit, before=before, **wanted)

    def conversation_choices(self) -> dict[str, Any]:
        """The `sites`, `topics` and `answerers` there are among the conversations."""
        return self._get("/conversations/choices")

    def export(self, form: str, **wanted: str) -> bytes:
        """A file (csv, jsonl or parquet) of all that a filter finds."""
        return self._file("/conversations/export", format=form, **wanted)

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation with its `messages`, oldest first."""
        return self._get("/conversations/" + _segment(conversation_id))

    def conversation_file(self, conversation_id: str) -> bytes:
        """All that is kept of it, as JSON."""
        return self._file(f"/conversations/{_segment(conversation_id)}/export")

    def erase_conversation(self, conversation_id: str) -> None:
        """Remove it for good; `ConflictError` while it is on hold."""
        self._done(self._send("DELETE", "/conversations/" + _segment(conversation_id)))

    def hold(self, conversation_id: str, reason: str) -> None:
        """Keep it, whatever else says that it goes."""
        self._put(f"/conversations/{_segment(conversation_id)}/hold", {"reason": reason})

    def release(self, conversation_id: str) -> None:
        """It may go again."""
        self._done(self._send("DELETE", f"/conversations/{_segment(conversation_id)}/hold"))

    def trace(self, trace_id: str) -> dict[str, Any]:
        """What every step of one answer saw."""
        return self._get("/traces/" + _segment(trace_id))

    def passages(self, trace_id: str) -> list[dict[str, Any]]:
        """The passages of one answer: a table for each question of the line."""
        tables: list[dict[str, Any]] = self._get(f"/traces/{_segment(trace_id)}/passages")["tables"]
        return tables

    def page_in_trace(self, trace_id: str, url: str) -> dict[str, Any]:
        """Where a page stood in one answer, or why it is not in the index."""
        return self._get(f"/traces/{_segment(trace_id)}/page", url=url)

    def replay(self, trace_id: str, changes: dict[str, Any]) -> dict[str, Any]:
        """The same question asked again, with changes or without."""
        return self._post(f"/traces/{_segment(trace_id)}/replay", changes)

    def sites(self) -> dict[str, Any]:
        """The table of sites: `sites`, the default one first."""
        return self._get("/sites")

    def changes(self, limit: int, before: str | None, kind: str | None, who: str | None) -> dict[str, Any]:
        """A page of the audit log, newest first: `changes`, and `next` for the page after it."""
        return self._get("/audit", limit=limit, before=before, kind=kind, who=who)

    def rules(self, site: str) -> dict[str, Any]:
        """What editors have set for a site: `live`, `number` and the `draft`, if there is one."""
        return self._get("/rules/" + _segment(site))

    def put_draft(self, site: str, book: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a draft; nothing of it is live."""
        return _body(self._send("PUT", f"/rules/{_segment(site)}/draft", json=dict(book)))

    def drop_draft(self, site: str) -> None:
        """Forget the draft."""
        self._done(self._send("DELETE", f"/rules/{_segment(site)}/draft"))

    def draft_pages(self, site: str) -> dict[str, Any]:
        """Which pages the draft leaves out."""
        return self._get(f"/rules/{_segment(site)}/draft/pages")

    def preview(self, site: str, questions: int) -> dict[str, Any]:
        """Try the draft on past and golden questions: a job."""
        return self._post(f"/rules/{_segment(site)}/draft/preview", {"questions": questions})

    def preview_job(self, job_id: str) -> dict[str, Any]:
        """How far a preview is, and its `result` once it is done."""
        return self._get("/previews/" + _segment(job_id))

    def publish(self, site: str, note: str, override: str = "") -> dict[str, Any]:
        """Make the draft live; `ConflictError` where golden questions break."""
        return self._post(f"/rules/{_segment(site)}/publish", {"note": note, "override": override})

    def go_back(self, site: str) -> dict[str, Any]:
        """Undo what was published last."""
        return self._post(f"/rules/{_segment(site)}/back", {})

    def rules_history(self, site: str) -> list[dict[str, Any]]:
        """What was published for a site, newest first."""
        versions: list[dict[str, Any]] = self._get(f"/rules/{_segment(site)}/history")["versions"]
        return versions

    def job(self, job_id: str) -> dict[str, Any]:
        """Work that is done aside: how far it is, and its `result` once it is done."""
        return self._get("/jobs/" + _segment(job_id))

    def jobs(self, kind: str, about: str | None = None) -> list[dict[str, Any]]:
        """The jobs of a kind, about one thing such as a site or anything, newest first."""
        jobs: list[dict[str, Any]] = self._get("/jobs", kind=kind, about=about)["jobs"]
        return jobs

    def cancel_job(self, job_id: str) -> dict[str, Any]:
        """End it at its next step."""
        return _body(self._send("DELETE", "/jobs/" + _segment(job_id)))

    def start_job_again(self, job_id: str) -> dict[str, Any]:
        """A new job like one that was lost, failed or cancelled."""
        return _body(self._send("POST", f"/jobs/{_segment(job_id)}/again", json={}))

    def overview(self, **asked: str) -> dict[str, Any]:
        """`total`, and rows for `days`, `sites` and `topics`; `asked`: since, until, site, topic."""
        return self._get("/overview", **asked)

    def gaps(self, offset: int, limit: int, **wanted: str) -> dict[str, Any]:
        """A page of gaps, the largest first; `wanted`: kind, state, and as of `overview`."""
        return self._get("/gaps", offset=offset, limit=limit, **wanted)

    def gap(self, gap_id: str) -> dict[str, Any]:
        """One gap."""
        return self._get(f"/gaps/{_segment(gap_id)}")

    def change_gap(self, gap_id: int, state: str, note: str) -> dict[str, Any]:
        """Marks it as mended, ignored or reopened."""
        return self._put(f"/gaps/{gap_id}", {"state": state, "note": note})

    def ask_gap_again(self, gap_id: int) -> dict[str, Any]:
        """Asks its question now; the gap with the answer as `again`."""
        return self._post(f"/gaps/{gap_id}/ask", {})

    def feedback(self, limit: int, before: str | None, **wanted: str) -> dict[str, Any]:
        """A page of the queue, newest first; `wanted`: state, helpful, since, until, site."""
        return self._get("/feedback", limit=limit, before=before, **wanted)

    def handle_feedback(self, message_id: str, state: str, note: str) -> None:
        """Notes what became of the feedback on an answer."""
        self._put(f"/feedback/{_segment(message_id)}", {"state": state, "note": note})

    def coverage(self, months: int, **asked: str) -> dict[str, Any]:
        """Topics asked against topics written, and lists of pages; `asked` as of `overview`."""
        return self._get("/coverage", months=months, **asked)

    def never_cited(self, text: str, offset: int, limit: int, **asked: str) -> dict[str, Any]:
        """Pages that no answer cites: `count`, `pages`, and `next` for the offset of the rest."""
        return self._get("/coverage/never-cited", text=text, offset=offset, limit=limit, **asked)

    def never_cited_csv(self, text: str, **asked: str) -> bytes:
        """All of them as a file."""
        return self._file("/coverage/never-cited/export", text=text, **asked)

    @staticmethod
    def _done(response: httpx.Response) -> None:
        """A good response without a body."""
        if not response.is_success:
            _body(response)

    def _get(self, path: str, **params: str | int | None) -> dict[str, Any]:
        given = {name: value for name, value in params.items() if value is not None}
        return _body(self._send("GET", path, params=given))

    def _file(self, path: str, **params: str) -> bytes:
        response = self._send("GET", path, params=params, timeout=EXPORT_TIMEOUT_S)
        if not response.is_success:
            _body(response)
        return response.content

    def _put(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return _body(self._send("PUT", path, json=body))

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return _body(self._send("POST", path, json=body, timeout=LONG_TIMEOUT_S))

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None = None, **params: str | int | None
    ) -> dict[str, Any]:
        given = {name: value for name, value in params.items() if value is not None}
        response = self._send(method, path, json=body, params=given, timeout=LONG_TIMEOUT_S)
        return {} if response.status_code == NO_CONTENT else _body(response)

    def _send(self, method: str, path: str, **given: Any) -> httpx.Response:
        if not _TOKEN.fullmatch(self._token):
            raise RefusedError("This is no token: a token is one word of plain letters, digits and signs.")
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            return self._client.request(method, path, headers=headers, **{"timeout": TIMEOUT_S, **given})
        except httpx.TimeoutException as error:
            raise ApiError("The server took too long to answer.") from error
        except httpx.HTTPError as error:
            address = self._client.base_url.copy_with(path="/")
            raise UnreachableError(f"No server answers at {address}.") from error


def _segment(text: str) -> str:
    """An id as one segment of a path."""
    return quote(text, safe="")


def _body(response: httpx.Response) -> dict[str, Any]:
    """The JSON of a good response, or the server's own sentence as an error."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if response.is_success and isinstance(body, dict):
        return body
    kinds = {401: RefusedError, 403: RefusedError, 404: MissingError, 409: ConflictError}
    raise kinds.get(response.status_code, ApiError)(_sentence(body, response.status_code))


def _sentence(body: Any, status: int) -> str:
    try:
        return str(body["error"]["message"])
    except (TypeError, KeyError):
        return f"What answers there is no Lodge server, or one of another version (status {status})."
