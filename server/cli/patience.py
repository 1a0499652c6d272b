"""How long the server waits for a request to come in whole: a client that trickles holds no place."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

COMING = (h11.IDLE, h11.SEND_BODY)  # of the client: nothing yet or part of the head; part of the body


def patient(request_s: float) -> type[H11Protocol]:
    """uvicorn's protocol, closing a connection whose request is not there `request_s` seconds after it began.

    Between two requests uvicorn's own `timeout_keep_alive` holds. Answering may take as long as it takes. A
    head of more than 16 KB is turned away by h11 itself.
    """

    class Patient(H11Protocol):
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state in COMING:
                self._wait()
            else:
                self._rest()

        def connection_lost(self, exc: Exception | None) -> None:
            self._rest()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._patience is None:
                self._patience = self.loop.call_later(request_s, self.transport.abort)

        def _rest(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Patient
