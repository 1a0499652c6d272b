"""Wiring: settings → parts, once; the only place that knows which class stands behind which Protocol.

`serving` makes a server's parts, `flow` the pipeline among them with the models of this machine, `generation`
a language model on another; `opening` opens records and sites, `opened` snapshots; `indexing` makes the parts
of a crawl and of a snapshot; `measuring`, `benching` and `growing` those that measure; `typesense` those that
speak with a cluster. They are apart so that asking one question does not load the crawler.
"""

from server.errors import LodgeError

__all__ = ["LodgeError"]
