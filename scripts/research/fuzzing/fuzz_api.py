"""Schemathesis over every operation of the OpenAPI description, with a token of each role, on a real server.

    .venv/bin/python -m scripts.research.fuzzing.fuzz_api [--examples N] [--seed N] [--records URL]

Prints a row a role: operations, cases, and what was found. Checked is that nothing is a 5xx, that statuses,
media types, headers and bodies are as described, that what the description forbids is refused, that other
methods are a 405, that no operation can be had without a token, and that no body tells of the inside. That
every body the description allows is taken is not checked: "the question is empty" is a sentence, no schema.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.research.fuzzing.server import Running, running
from server.settings import PROJECT
from server.terminal import print_table

HOOKS = "scripts.research.fuzzing.hooks"
LENIENT = "AcceptedNegativeData"
EXCLUDED = "positive_data_acceptance"
BUILD = (
    "/admin/api/v1/snapshots/build"  # takes minutes each time; tests/workbench/snapshots/test_api.py has it
)


def main() -> None:
    """Run, print, and end with 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--examples", type=int, default=30, help="at most so many a phase and operation")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--records", default="", help="where records are kept; without it SQLite")
    given = parser.parse_args()
    rows, found = [], 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with running(home, given.records) as server:
            for role in reversed(list(server.tokens)):
                report = _run(server, role, given.examples, given.seed, home / f"{role}.json")
                rows.append(_row(role, report))
                found += len(_real(report)) + len(report["errors"])
            before = len(server.errors())
            print_table(
                ["role", "operations", "cases", "failures", "taken for its kind", "errors", "seconds"], rows
            )
            print(f"Unforeseen errors in the server's log: {before}.")
            print("Open files, threads, MB at the end:", *server.figures())
            found += before
    sys.exit(bool(found))


def _run(server: Running, role: str, examples: int, seed: int, path: Path) -> dict[str, Any]:
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{server.url}/schema/openapi.json",
    ]
    command += [
        "-H",
        f"Authorization: Bearer {server.tokens[role]}",
        "-n",
        str(examples),
        "--seed",
        str(seed),
    ]
    command += ["--checks", "all", "--exclude-checks", EXCLUDED, "--exclude-path", BUILD]
    command += ["--continue-on-failure", "--no-color", "--request-timeout", "30"]
    command += ["--report", "json", "--report-json-path", str(path)]
    environ = {**os.environ, "SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": str(PROJECT)}
    told = subprocess.run(command, cwd=path.parent, env=environ, capture_output=True, text=True, check=False)
    if not path.is_file():
        raise SystemExit(told.stdout + told.stderr)
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for failure in report["failures"]:
        print(f"{role}: {failure['title']}: {', '.join(failure['operations'])}")
    if _real(report) or report["errors"]:
        print(told.stdout)
    return report


def _real(report: dict[str, Any]) -> list[Any]:
    """All but those where 0 was taken for false, or "5" for 5: more is understood than is described."""
    return [failure for failure in report["failures"] if failure["type"] != LENIENT]


def _row(role: str, report: dict[str, Any]) -> list[str]:
    cases = report["test_cases"]
    return [
        role,
        str(report["operations"]["tested"]),
        str(cases["generated"]),
        str(len(_real(report))),
        str(len(report["failures"]) - len(_real(report))),
        str(len(report["errors"])),
        str(round(report["running_time"])),
    ]


if __name__ == "__main__":
    main()
