"""Lines as a file of JSON lines may hold them: sound, half sound, and none at all."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st


def json_lines(keys: Sequence[str]) -> st.SearchStrategy[list[bytes]]:
    """Up to five lines: bytes of any kind, or JSON whose objects have some of `keys`."""
    odd = ["https://a.edu/1", "http://[::1", "ftp://a.edu", "\ud83d", "https://a.edu/\n"]
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=6)
    values = st.recursive(
        plain | st.sampled_from(odd),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(keys), inner, max_size=5),
        max_leaves=8,
    )
    return st.lists(st.binary(max_size=30) | values.map(lambda value: json.dumps(value).encode()), max_size=5)
