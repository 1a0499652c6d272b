"""The tables of the records store, typed; whoever imports `Base` from here has them all in its metadata.

A change here needs a revision in `migrations/versions`; a test compares the two.
"""

from server.storage.tables import editors, running, visitors
from server.storage.tables.base import Base

__all__ = ["Base", "editors", "running", "visitors"]
