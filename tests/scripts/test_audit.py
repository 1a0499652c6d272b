"""`make check`'s audit: an advisory fails it, a machine without a network does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from scripts import audit
from server.settings import PROJECT

CLOSED = "http://127.0.0.1:9"  # the discard port: nothing listens there


def test_without_a_network_it_says_so_and_is_no_failure() -> None:
    environ = {**os.environ, "HTTPS_PROXY": CLOSED, "https_proxy": CLOSED, "HTTP_PROXY": CLOSED}
    done = subprocess.run(
        [sys.executable, "-m", "scripts.audit"],
        cwd=PROJECT,
        env={**environ, "npm_config_https_proxy": CLOSED, "npm_config_proxy": CLOSED},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        "Python audit skipped",
        "npm audit skipped",
    ]


def told(report: object) -> list[str]:
    """A command that prints this report."""
    return [sys.executable, "-c", f"print({json.dumps(json.dumps(report))})"]


@pytest.mark.parametrize(
    ("looked_up", "said"),
    [
        ([], ["Python audit: 1 could not be looked up (a)."]),
        (["b"], ["Python audit: 1 could not be looked up (a).", "Python audit: no advisory."]),
    ],
)
def test_what_could_not_be_looked_up_does_not_pass_for_sound(
    looked_up: list[str],
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound = [{"name": name, "version": "1", "vulns": []} for name in looked_up]
    report = {"dependencies": [{"name": "a", "skip_reason": "unknown"}, *sound]}
    monkeypatch.setattr(audit, "PYTHON", told(report))
    monkeypatch.setattr(audit, "NPM", told({"vulnerabilities": {}}))
    assert audit.main() == 0
    assert capsys.readouterr().out.splitlines() == [*said, "npm audit: no advisory."]


@pytest.mark.parametrize(
    ("python", "npm", "status"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, {"vulnerabilities": {}}, 0),
        (
            {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}]},
            {"vulnerabilities": {}},
            1,
        ),
        ({"dependencies": []}, {"vulnerabilities": {"htmx.org": {"severity": "high"}}}, 1),
        ({"dependencies": [{"name": "a", "skip_reason": "unknown"}]}, {"error": {"code": "ENOAUDIT"}}, 0),
    ],
)
def test_an_advisory_fails_it(
    python: object, npm: object, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "PYTHON", told(python))
    monkeypatch.setattr(audit, "NPM", told(npm))
    assert audit.main() == status
