"""The admin API of a real server, as people of every role call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from httpx import Response
from litestar.testing import TestClient

from server.wiring.serving import Serving

API = "/admin/api/v1"


@dataclass(frozen=True)
class ServedDesk:
    """A client of the server, the parts behind it, and a token for each role."""

    client: TestClient[Any]
    serving: Serving
    tokens: dict[str, str]

    def send(self, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, API + path, headers=headers, json=body)
