"""What can go wrong at a route of the admin API, for its description at `/schema`."""

from __future__ import annotations

from collections.abc import Mapping

from litestar.openapi.datastructures import ResponseSpec

from server.web.api import ErrorBody

SENTENCES = {
    400: "What was given cannot be used; the message says why.",
    401: "A bearer token is needed.",
    403: "The token's role does not reach that far.",
    404: "There is no such thing.",
    409: "The same is at work already.",
    503: "A part is missing for now.",
}


def faults(*statuses: int, told: Mapping[int, str] | None = None) -> dict[int, ResponseSpec]:
    """The error shape for each status; `told` are a room's own sentences."""
    sentences = {**SENTENCES, **(told or {})}
    return {
        status: ResponseSpec(ErrorBody, generate_examples=False, description=sentences[status])
        for status in statuses
    }
