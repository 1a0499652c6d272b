from __future__ import annotations

import pytest

from server.errors import BadInputError
from server.settings import Settings
from server.wiring.indexing import cut_as


def test_a_preset_brings_its_own_chunks_and_nothing_else() -> None:
    settings = Settings.read({"LODGE_CANDIDATES": "7"})
    cut = cut_as(settings, "cmu")
    assert (cut.chunk_chars, cut.chunk_overlap_chars, cut.candidates) == (512, 100, 7)
    assert cut_as(settings, None) == settings


def test_an_unknown_preset_is_told_with_those_there_are() -> None:
    with pytest.raises(BadInputError, match=r"no preset 'yale'\. There are: brockport, cmu, princeton"):
        cut_as(Settings.read({}), "yale")
