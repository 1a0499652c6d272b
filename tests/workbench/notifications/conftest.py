"""Receivers of messages, each for one test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.workbench.notifications.receivers import Hook, Mailbox, mail_server, web_server


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as running:
        yield running


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running
