"""`make check`: do known advisories name what we run? Python by pip-audit (OSV), the widget's scripts by npm.

Where the advisories cannot be reached it says so and is no failure; an advisory is one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
PYTHON = [
    sys.executable,
    *("-m", "pip_audit", "--requirement", "requirements/run.lock", "--require-hashes", "--disable-pip"),
    *("--vulnerability-service", "osv", "--timeout", "5", "--progress-spinner", "off", "--format", "json"),
]
NPM = [
    "npm",
    "--prefix",
    "widget",
    "audit",
    "--omit=dev",
    "--json",
    "--fetch-retries=0",
    "--fetch-timeout=5000",
]


def python_findings(report: Any) -> list[str]:
    """Of pip-audit's report, `package version: advisory` for each; `KeyError` where it is none."""
    return [
        f"{package['name']} {package['version']}: {one['id']}"
        for package in report["dependencies"]
        for one in package.get("vulns", ())
    ]


def not_looked_up(report: Any) -> list[str]:
    """The packages of pip-audit's report of which nobody could say whether there is an advisory."""
    return [package["name"] for package in report.get("dependencies", ()) if "skip_reason" in package]


def npm_findings(report: Any) -> list[str]:
    """Of npm's report, `package: severity` for each; `KeyError` where it is none."""
    return [f"{name}: {one['severity']}" for name, one in report["vulnerabilities"].items()]


def audit(name: str, command: Sequence[str]) -> list[str] | None:
    """What was found; None where nothing could be looked up, with a line that says so."""
    findings_of = python_findings if name == "Python" else npm_findings
    done: subprocess.CompletedProcess[str] | None = None
    try:
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=180)
        report = json.loads(done.stdout)
        found = findings_of(report)
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
        said = done.stderr.splitlines() if done else []
        why = [line for line in said if line.strip() and "complete log" not in line] or ["no answer"]
        print(f"{name} audit skipped: the advisories cannot be reached here ({why[-1][:120]}).")
        return None
    if left_out := not_looked_up(report):
        print(f"{name} audit: {len(left_out)} could not be looked up ({', '.join(left_out)[:120]}).")
    return None if left_out and len(left_out) == len(report["dependencies"]) else found


def main() -> int:
    """1 where an advisory names something, else 0."""
    status = 0
    for name, command in (("Python", PYTHON), ("npm", NPM)):
        found = audit(name, command)
        if found is None:
            continue
        print(f"{name} audit: {len(found)} advisories." if found else f"{name} audit: no advisory.")
        for line in found:
            print(f"  {line}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
