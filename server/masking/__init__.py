"""Masking of personal data in visitors' words.

`masker.py` folds a text to plain characters and masks a conversation, `patterns.py` has the patterns,
`checks.py` the check digits of numbers, `offices.py` the site's own numbers and addresses, which stay.
"""

from server.masking.masker import Masker, in_every_text, masker_for, without_masks
from server.masking.patterns import PATTERNS, Pattern, own_patterns

__all__ = ["PATTERNS", "Masker", "Pattern", "in_every_text", "masker_for", "own_patterns", "without_masks"]
