"""The tables of the records store, typed; whoever imports `Base` from here has them all in its metadata.

A change here needs a revision in `migrations/versions`; a test compares the two.
"""

from server.storage.engine import Base
from server.storage.tables import editors, labelling, notifying, running, visitors

__all__ = ["Base", "editors", "labelling", "notifying", "running", "visitors"]
