"""The scripted server, as its own tests have it, and a records store on SQLite and on PostgreSQL."""

from tests.http.conftest import client, parts
from tests.storage.conftest import store, url

__all__ = ["client", "parts", "store", "url"]
