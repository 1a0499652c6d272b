"""A real admin API on loopback, over a real store, for the console to speak to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
import uvicorn
from litestar import Litestar
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.manifest_scanner import scan_component_manifests

from server.http.errors import problem_handlers
from server.workbench.access.auth import Role
from server.workbench.curation.trial import DraftPreviews
from server.workbench.records import Records, open_records
from server.workbench.router import Tools, admin_router
from server.workbench.traces.service import TraceService
from tests.scripted_app import site_table
from tests.storage.empty import put_empty_store


@dataclass(frozen=True)
class Office:
    """Where the admin API is, a viewer's token for it, and the store behind it."""

    url: str
    token: str
    store: Records


class _Server(uvicorn.Server):
    """Tells when it is ready, and the port it was given."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: object = None) -> None:
        await super().startup()
        self.ready.set()

    @property
    def port(self) -> int:
        port: int = self.servers[0].sockets[0].getsockname()[1]
        return port


@pytest.fixture(scope="package", autouse=True)
def _components_are_looked_for_once() -> Iterator[None]:
    """Streamlit reads what every installed package says of itself for each `AppTest`; it stays the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(scan_component_manifests))
        yield


@contextmanager
def running(
    store: Records,
    role: Role = "viewer",
    traces: TraceService | None = None,
    previews: DraftPreviews | None = None,
    **tools: Any,
) -> Iterator[Office]:
    """The admin API over a store, on a port of its own, with a token of that role; `tools` are of `Tools`."""
    app = Litestar(
        [admin_router(store, site_table(), Tools(traces, previews, **tools))],
        exception_handlers=problem_handlers(),
        openapi_config=None,
    )
    server = _Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    assert server.ready.wait(20)
    yield Office(f"http://127.0.0.1:{server.port}", store.tokens.create("reader", role, 1), store)
    st.cache_resource.clear()
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """Running, and named in the environment as `lodge admin` would name it."""
    store = open_records(put_empty_store(tmp_path))
    with running(store) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
    store.close()
