from __future__ import annotations

import io

import pytest

pytest.importorskip("playwright")
from PIL import Image

from scripts.take_screenshots import FOLDER, MOST_BYTES, SHOTS, small


def test_a_picture_is_made_narrow_and_kept_sharp_in_few_colours() -> None:
    image = Image.new("RGB", (400, 300), "#17626b")
    made = Image.open(io.BytesIO(small(image, 200)))
    assert (made.size, made.mode) == ((200, 150), "P")


def test_a_picture_that_stays_too_large_is_not_written() -> None:
    noise = Image.effect_noise((2000, 2000), 100).convert("RGB")
    with pytest.raises(SystemExit, match="Even in 32 colours"):
        small(noise, 2000)


@pytest.mark.parametrize("name", SHOTS)
def test_every_picture_is_in_the_docs_and_small(name: str) -> None:
    assert (FOLDER / f"{name}.png").stat().st_size < MOST_BYTES
    assert f"(screenshots/{name}.png)" in (FOLDER.parent / "widget.md").read_text(encoding="utf-8")
