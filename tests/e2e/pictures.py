"""Screenshots as arrays, and where two of them differ."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Error, FloatRect, Page

Picture = NDArray[np.int16]


def picture(page: Page) -> Picture:
    """What the window shows: height × width × red, green, blue."""
    try:
        png = _taken(page)
    except Error as error:
        # On a busy machine Chromium now and then has no frame to give, and has one a moment later.
        if "Unable to capture screenshot" not in error.message:
            raise
        png = _taken(page)
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=np.int16)


def _taken(page: Page) -> bytes:
    # Hiding the caret would need a style that our own policy forbids.
    return page.screenshot(caret="initial")


def inside(whole: Picture, box: FloatRect, inset: int = 0) -> Picture:
    """The part within a box, so many pixels in from its edge."""
    left, top = round(box["x"]) + inset, round(box["y"]) + inset
    right, bottom = round(box["x"] + box["width"]) - inset, round(box["y"] + box["height"]) - inset
    return whole[top:bottom, left:right]


def differing_outside(one: Picture, other: Picture, boxes: list[FloatRect], margin: int) -> int:
    """How many pixels differ outside the boxes and so many pixels around them."""
    differs = (one != other).any(axis=2)
    for box in boxes:
        left, top = max(0, round(box["x"]) - margin), max(0, round(box["y"]) - margin)
        right, bottom = (
            round(box["x"] + box["width"]) + margin,
            round(box["y"] + box["height"]) + margin,
        )
        differs[top:bottom, left:right] = False
    return int(differs.sum())


def differing(one: Picture, other: Picture) -> int:
    """How many pixels differ; all of them where the sizes do."""
    return int((one != other).any(axis=2).sum()) if one.shape == other.shape else one.size
