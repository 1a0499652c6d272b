"""Write docs/settings.md from the table in server/settings.py; a test holds the two together.

.venv/bin/python -m scripts.write_settings_doc
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

from server.calibration import FITTED
from server.settings import PROJECT, Settings
from server.variables import MOST, PREFIX, Takes

PAGE = PROJECT / "docs" / "settings.md"

HEAD = """# Settings

Every setting is an environment variable, read once when a program starts. A name or value that is wrong ends
the program with a sentence that says what would be right. This page is written by
`python -m scripts.write_settings_doc` from the tables in `server/settings.py` and `server/calibration.py`.
"""

FITTED_HEAD = """
## Fitted constants

Nobody has to choose these: they were found by measuring. A site that has measured for itself
([evaluation.md](evaluation.md#calibrating)) has a file with what it found, which `LODGE_CALIBRATION` names;
its keys are these names without `LODGE_`, in lower case. A variable wins over the file.

| variable | takes | default | |
|---|---|---|---|
"""


def settings_page() -> str:
    """The page as Markdown: a table for each group of settings, in the order of the code."""
    types = get_type_hints(Settings)
    groups = _groups()
    parts, fitted = [HEAD], [FITTED_HEAD]
    for field in dataclasses.fields(Settings):
        row = _row(field, types[field.name])
        if field.name in FITTED:
            fitted.append(row)
            continue
        if title := groups.get(field.name):
            parts.append(f"\n## {title}\n\n| variable | takes | default | |\n|---|---|---|---|\n")
        parts.append(row)
    return "".join(parts + fitted)


def _groups() -> dict[str, str]:
    """The comment that opens each group in the code, as a title, by the group's first setting."""
    found = re.findall(r"^    # (.+)\n    (\w+):", inspect.getsource(Settings), re.MULTILINE)
    return {name: comment.capitalize() for comment, name in found}


def _row(field: dataclasses.Field[Any], kind: type) -> str:
    cells = (f"`{PREFIX}{field.name.upper()}`", _takes(field, kind), _default(field.default))
    sentence = field.metadata["sentence"].replace("|", "\\|")
    return f"| {' | '.join(cells)} | {sentence} |\n"


def _takes(field: dataclasses.Field[Any], kind: type) -> str:
    takes: Takes = field.metadata["takes"]
    if takes.told:
        return takes.told
    if takes.allowed:
        return " or ".join(f"`{value}`" for value in takes.allowed)
    noun = {int: "whole number", float: "number", Path: "path", str: "text"}[kind]
    if takes.at_least is None:
        return noun
    least = f"{noun}, {takes.at_least:g}"
    return f"{least} or more" if takes.at_most == MOST else f"{least} to {takes.at_most}"


def _default(value: object) -> str:
    """A path inside the project is written relative to it, as it is another on every machine."""
    if isinstance(value, Path):
        return f"`{value.relative_to(PROJECT)}`"
    return f"`{value}`" if value != "" else "empty"


def main() -> None:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(settings_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
