from __future__ import annotations

import pytest

from server.errors import BadInputError
from server.web.options import WebOptions


@pytest.mark.parametrize(
    "origin", ["https://a.example", "http://127.0.0.1:8000", "https://a-b.c.example:8443"]
)
def test_exact_origins_are_taken(origin: str) -> None:
    assert WebOptions("U", frame_origins=(origin,)).frame_origins == (origin,)


@pytest.mark.parametrize(
    "wrong", ["*", "https://*.example", "https://A.example", "a.example", "https://a/;x", "'self'"]
)
def test_anything_that_would_widen_the_policy_is_refused(wrong: str) -> None:
    with pytest.raises(BadInputError, match="is not an origin"):
        WebOptions("U", frame_origins=(wrong,))
