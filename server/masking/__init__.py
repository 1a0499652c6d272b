"""Personal data in visitors' words, put out of sight.

`folding.py` puts a text in plain characters, `patterns.py` says what counts in it, one row a kind,
`checks.py` looks twice at numbers, `masker.py` masks a conversation, `own.py` reads what an installation
adds or switches off.
"""

from server.masking.masker import Masker, in_every_text, without_masks
from server.masking.own import own_patterns
from server.masking.patterns import PATTERNS, Pattern

__all__ = ["PATTERNS", "Masker", "Pattern", "in_every_text", "own_patterns", "without_masks"]
