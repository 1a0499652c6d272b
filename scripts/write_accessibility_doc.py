"""Write docs/accessibility.md from the tests that carry a success criterion; a test holds the two together.

.venv/bin/python -m scripts.write_accessibility_doc
"""

from __future__ import annotations

import ast
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.settings import PROJECT

PAGE = PROJECT / "docs" / "accessibility.md"
CRITERIA = PROJECT / "scripts" / "wcag.toml"
TESTS = PROJECT / "tests"
MARK = "pytest.mark.wcag"
SUPPORTS, PARTLY, NOT_APPLICABLE, NOT_SHOWN = "supports", "partly supports", "not applicable", "not shown"

HEAD = """# Accessibility: a conformance report

WCAG 2.2, levels A and AA, for the widget (the button and the panel on a host page) and the chat page in it,
with and without JavaScript. The host pages themselves, and the university's pages that answers quote and link
to, are not part of it.

This page is written by `python -m scripts.write_accessibility_doc` from the tests that carry a criterion
(`@pytest.mark.wcag("2.1.1")`), and a test fails when it is not what the script would write. *Supports* stands
only where at least one test shows it; *partly supports* where tests show it but for what the line says is
missing; *not applicable* where the line says why; *not shown* where there is no test.

What these tests are: a real Chromium, its accessibility tree, its keyboard and mouse, and axe-core {axe},
over the real server and pages. What they are not: nobody has judged the page with a screen reader or a switch
for this report, and no other browser engine has been tried.
"""


@dataclass(frozen=True)
class Evidence:
    """A test that shows a criterion."""

    path: str
    name: str

    @property
    def sentence(self) -> str:
        """Its name in words."""
        return self.name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Criterion:
    """A success criterion, and what can be said of it."""

    number: str
    name: str
    level: str
    evidence: tuple[Evidence, ...]
    not_applicable: str = ""
    partly: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        if self.not_applicable and (self.evidence or self.partly):
            raise ValueError(f"{self.number} is said not to apply, and is tested.")
        if self.partly and not self.evidence:
            raise ValueError(f"{self.number} is said to be met partly, and no test shows it.")

    @property
    def verdict(self) -> str:
        """In the four words of the report."""
        if self.not_applicable:
            return NOT_APPLICABLE
        if not self.evidence:
            return NOT_SHOWN
        return PARTLY if self.partly else SUPPORTS


def criteria(tests: Path = TESTS, table: Path = CRITERIA) -> list[Criterion]:
    """All of them in the standard's order, each with its tests. A test of an unknown one is an error."""
    shown = evidence(tests)
    known = tomllib.loads(table.read_text(encoding="utf-8"))
    if unknown := sorted(set(shown) - set(known)):
        raise ValueError(f"No such success criterion: {', '.join(unknown)}.")
    return [
        Criterion(number, evidence=tuple(shown.get(number, ())), **known[number])
        for number in sorted(known, key=_in_order)
    ]


def evidence(tests: Path) -> dict[str, list[Evidence]]:
    """The marked tests, by criterion."""
    found: dict[str, list[Evidence]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for test in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            for number in _marks(test):
                shown = Evidence(path.relative_to(tests.parent).as_posix(), test.name)
                found.setdefault(number, []).append(shown)
    return found


def _marks(test: ast.FunctionDef) -> Iterator[str]:
    """The criteria of a test; none of one that may be left out or fail."""
    if any(word in ast.unparse(decorator) for decorator in test.decorator_list for word in ("skip", "xfail")):
        return
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == MARK:
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def _in_order(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


def page(all_criteria: list[Criterion], states: Mapping[str, Any], views: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    parts = [HEAD.format(axe=_axe_version()), _summary(all_criteria)]
    parts.append("\n## Criterion by criterion\n\n| criterion | level | | because |\n|---|---|---|---|\n")
    parts += [_row(criterion) for criterion in all_criteria]
    parts.append(_states(states, views))
    return "".join(parts)


def _summary(all_criteria: list[Criterion]) -> str:
    rows = []
    for level in ("A", "AA"):
        count = Counter(criterion.verdict for criterion in all_criteria if criterion.level == level)
        cells = (count[verdict] for verdict in (SUPPORTS, PARTLY, NOT_APPLICABLE, NOT_SHOWN))
        rows.append(f"| {level} | {' | '.join(map(str, cells))} |\n")
    head = f"| level | {SUPPORTS} | {PARTLY} | {NOT_APPLICABLE} | {NOT_SHOWN} |\n|---|---|---|---|---|\n"
    return f"\n## In short\n\n{head}{''.join(rows)}"


def _row(criterion: Criterion) -> str:
    reasons = [criterion.not_applicable, criterion.partly, criterion.remark, _links(criterion.evidence)]
    because = "<br>".join(filter(None, reasons))
    return f"| {criterion.number} {criterion.name} | {criterion.level} | {criterion.verdict} | {because} |\n"


def _links(tests: tuple[Evidence, ...]) -> str:
    by_file: dict[str, list[str]] = {}
    for test in tests:
        by_file.setdefault(test.path, []).append(test.sentence)
    return "<br>".join(
        f"[{Path(path).name}](../{path}): {'; '.join(sentences)}" for path, sentences in by_file.items()
    )


def _states(states: Mapping[str, Any], views: Mapping[str, Any]) -> str:
    lines = "".join(f"- {name}\n" for name in states)
    return f"""
## What axe-core looks at

Each of these states of the chat page, in light and in dark; one conversation with all of it also in each of
these views: {", ".join(views)}; with the text spaced as 1.4.12 has it; in Spanish and from right to left; and
where our script does not arrive. On a host page: the closed button, the open panel, and the link that the
button becomes when the server is down. Every finding fails the test, best practices included: there are none.

{lines}"""


def _axe_version() -> str:
    package = json.loads((PROJECT / "widget" / "package.json").read_text(encoding="utf-8"))
    return str(package["devDependencies"]["axe-core"])


def report() -> str:
    """The page for this checkout."""
    from tests.e2e.states import STATES
    from tests.e2e.views import VIEWS

    return page(criteria(), STATES, VIEWS)


def main() -> None:
    """Write the page."""
    PAGE.write_text(report(), encoding="utf-8")


if __name__ == "__main__":
    main()
