"""One conversation for whoever asks what is kept of them: exported, erased, or held."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from litestar import Response, delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from server.http.protocols import AdminRecords
from server.workbench.access.auth import Caller, requires
from server.workbench.exporting import file_of
from server.workbench.faults import faults
from server.workbench.masking import masked_conversation, masked_trace, sees_personal_data


class Retention(Protocol):
    """What the admin API needs of `records_db/retention.py`."""

    def hold(self, conversation_id: str, reason: str, *, by: str) -> None:
        """Keep a conversation; `NotFoundError`, `BadInputError` for a missing reason."""
        ...

    def release(self, conversation_id: str, *, by: str) -> None:
        """It may go again; `NotFoundError` when it is not on hold."""
        ...

    def erase(self, conversation_id: str, *, by: str) -> None:
        """Remove it with all that belongs to it; `NotFoundError`, `ConflictError` for one on hold."""
        ...


class HasRetention(AdminRecords, Protocol):
    """The records store with its shelf for this."""

    @property
    def retention(self) -> Retention:
        """Holds and erases."""
        ...


@dataclass(frozen=True, slots=True)
class HoldBody:
    """Why a conversation has to be kept: a case, an order, who asked."""

    reason: str


def retention_handlers(records: HasRetention) -> list[HTTPRouteHandler]:
    """Under `/conversations/{id}`: `export`, `hold`, and its end."""

    @get(
        "/conversations/{conversation_id:str}/export",
        sync_to_thread=True,
        guards=[requires("editor")],
        responses=file_of("application/json", dict[str, Any], "The file."),
    )
    def export(request: Caller, conversation_id: FromPath[str]) -> Response[str]:
        """All that is kept of one conversation, as a JSON file: `conversation` and `traces`."""
        conversation = records.conversation(conversation_id)
        traces = [
            records.trace(message["trace_id"])
            for message in conversation["messages"]
            if message["trace_id"] is not None
        ]
        if not sees_personal_data(request.auth):
            conversation, traces = masked_conversation(conversation), [masked_trace(one) for one in traces]
        body: dict[str, Any] = {"conversation": conversation, "traces": traces}
        return Response(
            json.dumps(body, ensure_ascii=False, indent=2),
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="conversation.json"'},
        )

    @delete(
        "/conversations/{conversation_id:str}",
        sync_to_thread=True,
        guards=[requires("developer")],
        responses=faults(409, told={409: "The conversation is on hold."}),
    )
    def erase(request: Caller, conversation_id: FromPath[str]) -> None:
        """Erase it with messages, traces and feedback; 409 while it is on hold."""
        records.retention.erase(conversation_id, by=request.user)

    @put("/conversations/{conversation_id:str}/hold", sync_to_thread=True, guards=[requires("developer")])
    def hold(request: Caller, conversation_id: FromPath[str], data: JSONBody[HoldBody]) -> HoldBody:
        """Keep it: no purge and no visitor removes it any more."""
        records.retention.hold(conversation_id, data.reason, by=request.user)
        return data

    @delete("/conversations/{conversation_id:str}/hold", sync_to_thread=True, guards=[requires("developer")])
    def release(request: Caller, conversation_id: FromPath[str]) -> None:
        """It may go again."""
        records.retention.release(conversation_id, by=request.user)

    return [export, erase, hold, release]
