"""The scripted server, as its own tests have it."""

from tests.http.conftest import client, parts

__all__ = ["client", "parts"]
