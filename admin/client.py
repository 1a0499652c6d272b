"""The admin API, as the console calls it. Everything that can go wrong is an `ApiError` with a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx

Json = dict[str, Any]

TIMEOUT_S = 4.0  # what a page reads; whoever waits longer is told so, and can try again
EXPORT_TIMEOUT_S = 300.0
LONG_TIMEOUT_S = 120.0  # a language model may write the answer of a replay
IDLE_S = 0.5  # how long an idle connection is kept; a server keeps it longer (uvicorn: 5)
NO_CONTENT = 204
_TOKEN = re.compile(r"[!-~]+")  # what an Authorization header can carry


class ApiError(Exception):
    """The server did not give what was asked for; the message is for a person."""


class UnreachableError(ApiError):
    """Nothing answers at the server's address."""


class SlowError(ApiError):
    """The server is there, and did not answer in time."""


class RefusedError(ApiError):
    """The token is missing, wrong, revoked, expired, or its role does not reach that far."""


class ConflictError(ApiError):
    """Something is in the way: somebody else's change, or golden questions that would break."""


class MissingError(ApiError):
    """The named thing is not there."""


def connect(api_url: str) -> httpx.Client:
    """A connection pool to a server's admin API, safe to share between sessions.

    The server is a neighbour, so the proxy of the environment, which is there for the outside, is left out.
    A call on a connection that the server is just closing would fail, and nobody could say whether it was
    done: so an idle one is closed here first.
    """
    return httpx.Client(
        base_url=f"{api_url.rstrip('/')}/admin/api/v1",
        timeout=TIMEOUT_S,
        limits=httpx.Limits(keepalive_expiry=IDLE_S),
        trust_env=False,
    )


class AdminApi:
    """The admin API with one person's token.

    A call names its address by segments, each of which is quoted: `get("golden", golden_id, "history")` asks
    for `/golden/{id}/history`; a parameter that is None is left out. Which addresses there are, and what they
    take and give, is defined once, by the server (its OpenAPI document): `tests/admin/test_calls.py` holds
    every call of the console against it.
    """

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client = client
        self._token = token

    def get(self, *segments: object, **params: str | int | None) -> Json:
        """The JSON of a GET."""
        return _body(self._send("GET", segments, params=_given(params)))

    def slowly(self, *segments: object, **params: str | int | None) -> Json:
        """The JSON of a GET that opens files or asks a model, and may take longer than others."""
        return _body(self._send("GET", segments, params=_given(params), timeout=LONG_TIMEOUT_S))

    def post(self, *segments: object, body: Mapping[str, Any] | None = None) -> Json:
        """The JSON of a POST."""
        return _body(self._send("POST", segments, json=dict(body or {}), timeout=LONG_TIMEOUT_S))

    def put(self, *segments: object, body: Mapping[str, Any]) -> Json:
        """The JSON of a PUT; empty where the server gives none."""
        return _body(self._send("PUT", segments, json=dict(body), timeout=LONG_TIMEOUT_S))

    def delete(self, *segments: object) -> Json:
        """The JSON of a DELETE; empty where the server gives none."""
        return _body(self._send("DELETE", segments))

    def file(self, *segments: object, **params: str | int | None) -> bytes:
        """The content of a GET, to save."""
        response = self._send("GET", segments, params=_given(params), timeout=EXPORT_TIMEOUT_S)
        if not response.is_success:
            _body(response)
        return response.content

    def _send(self, method: str, segments: Sequence[object], **given: Any) -> httpx.Response:
        if not _TOKEN.fullmatch(self._token):
            raise RefusedError("This is no token: a token is one word of plain letters, digits and signs.")
        path = "".join(f"/{quote(str(segment), safe='')}" for segment in segments)
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            return self._client.request(method, path, headers=headers, **{"timeout": TIMEOUT_S, **given})
        except httpx.TimeoutException as error:
            waited = given.get("timeout", TIMEOUT_S)
            raise SlowError(f"The server did not answer within {waited:.0f} seconds.") from error
        except httpx.HTTPError as error:
            address = self._client.base_url.copy_with(path="/")
            raise UnreachableError(f"No server answers at {address}.") from error


def _given(params: Mapping[str, str | int | None]) -> dict[str, str | int]:
    return {name: value for name, value in params.items() if value is not None}


def _body(response: httpx.Response) -> Json:
    """The JSON of a good response, or the server's own sentence as an error."""
    if response.status_code == NO_CONTENT:
        return {}
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
