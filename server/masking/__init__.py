"""Personal data in visitors' words, put out of sight.

`masker.py` puts a text in plain characters and masks a conversation, `patterns.py` says what counts in it,
one row a kind, `checks.py` looks twice at numbers, `offices.py` at what stands around them.
"""

from server.masking.masker import Masker, in_every_text, without_masks
from server.masking.patterns import PATTERNS, Pattern, own_patterns

__all__ = ["PATTERNS", "Masker", "Pattern", "in_every_text", "own_patterns", "without_masks"]
