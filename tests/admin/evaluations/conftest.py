"""The same office as the pages on golden questions have."""

from tests.admin.golden.conftest import jobs, office, store

__all__ = ["jobs", "office", "store"]
