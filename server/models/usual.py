"""Questions that any university is asked, and what is meant by them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsualQuestion:
    """How visitors ask (`says`), and the question spelled out (`asks`; "" where they say it all).

    `language` is that of `says`; of another than English, `asks` is how visitors ask it in English.
    """

    says: tuple[str, ...]
    asks: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class NearestUsual:
    """The usual question that a visitor's comes closest to, and the cosine of their vectors."""

    says: str
    asks: str
    closeness: float
