"""What the web layer needs to know of its surroundings: a small part of the settings, checked once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.errors import BadInputError

_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class WebOptions:
    """`frame_origins` are exact origins (`https://www.example.edu`) whose pages may embed the chat page."""

    site_name: str
    contact_url: str = ""
    frame_origins: tuple[str, ...] = ()
    max_question_chars: int = 2000
    max_body_bytes: int = 65_536
    answer_workers: int = 4

    def __post_init__(self) -> None:
        for origin in self.frame_origins:
            if not _ORIGIN.fullmatch(origin):
                raise BadInputError(
                    f"{origin!r} is not an origin that may embed the widget; "
                    "it takes one like https://www.example.edu, in lower case and without a path."
                )
