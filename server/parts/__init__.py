"""Wires the real parts together, once: the only place that knows which class stands behind which Protocol.

`answering` makes a server's parts, `flow` the question's way among them, of `models` on this machine and a
language model on another (`writing`); `indexing` makes those of a crawl and of a snapshot, `question_sets`,
`evaluating` and `calibrating` those that measure by questions, `benching` and `growing` those of the bench,
`typesense` those that speak with a cluster; `publishing` is the gate before visitors, `snapshots` and
`crawls` are the console's desks, which run long work as commands (`running`) and by the `clock`; `curating`
does what the commands for editors say. They are apart so that asking one question does not load the crawler.
"""

from server.errors import LodgeError

__all__ = ["LodgeError"]
