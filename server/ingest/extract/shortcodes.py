"""Marks of WordPress that a page shows as they are, as their plug-in is gone: "[one_third]…[/one_third]"."""

from __future__ import annotations

import re

# A mark that is closed further down; one without "_" may be a writer's own bracket, unless plug-ins use it.
_CLOSED = re.compile(
    r"\[/([a-z]+(?:_[a-z0-9]+)+|accordion|box|button|caption|columns?|gallery|row|spoiler|tabs?|toggle)\]",
    re.IGNORECASE,
)


def without_shortcodes(html: str) -> str:
    """The page without the marks that are closed on it; what stands between them stays."""
    names = {name.casefold() for name in _CLOSED.findall(html)}
    if not names:
        return html
    return re.sub(rf"\[/?(?:{'|'.join(sorted(names))})(?:\s[^\[\]<>]*)?\]", "", html, flags=re.IGNORECASE)
