"""What stands beside the code for those who run it: the image, the unit, dashboard, rules and their pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from fnmatch import fnmatch
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families

from server.app import WebOptions
from server.settings import PROJECT, Settings
from tests.scripted_app import ScriptedParts, web_app

OPS, DOCS = PROJECT / "ops", PROJECT / "docs"
DASHBOARD: dict[str, Any] = json.loads((OPS / "grafana-dashboard.json").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = yaml.safe_load((OPS / "alerts.yml").read_text(encoding="utf-8"))["groups"][0][
    "rules"
]
DOCKERFILE = (PROJECT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
UNIT = OPS / "lodge.service"
# What Prometheus adds, and PromQL's own words where a label may stand.
OTHER_LABELS = {"instance", "job", "le"}


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The name of each sample that `/metrics` really has → its labels."""
    key = {"Authorization": "Bearer k"}
    parts = ScriptedParts(tmp_path_factory.mktemp("records"))
    with TestClient(web_app(WebOptions(metrics_token="k"), parts)) as client:
        for question in ("When?", "simpler", "unready"):
            client.post("/api/ask", json={"question": question})
        client.get("/healthz")
        text = client.get("/metrics", headers=key).text
    families = text_string_to_metric_families(text)
    return {s.name: set(s.labels) for family in families for s in family.samples}


def expressions() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        yield rule["alert"], rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


@pytest.mark.parametrize(("where", "expression"), list(expressions()))
def test_every_name_that_is_watched_is_exposed(
    exposed: dict[str, set[str]], where: str, expression: str
) -> None:
    names = set(re.findall(r"\blodge_\w+", expression.replace('job="lodge"', "")))
    assert names <= set(exposed), where
    assert names or where == "LodgeDown"
    named = re.findall(r"(\w+)=~?\"|(\w+)!=\"|by \(([\w, ]+)\)|ignoring \((\w+)\)", expression)
    labels = {word for groups in named for group in groups for word in re.findall(r"\w+", group)}
    assert labels <= OTHER_LABELS.union(*(exposed[name] for name in names))


def test_everything_exposed_is_on_the_dashboard(exposed: dict[str, set[str]]) -> None:
    shown = " ".join(expression for _, expression in expressions())
    own = {name for name in exposed if not name.endswith(("_created", "_sum", "_count"))}
    assert {name for name in own if name not in shown} == set()


def test_panels_do_not_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_every_alert_has_its_section_and_every_section_its_alert() -> None:
    page = (DOCS / "alerts.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\w+)\n(.+?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections) == [rule["alert"] for rule in RULES]
    for name, text in sections.items():
        for part in ("**Means:**", "**Look at:**", "**Do:**"):
            assert part in text, name
    assert all(rule["labels"]["severity"] in ("page", "warn") for rule in RULES)


def instructions() -> list[tuple[str, str]]:
    lines = [line for line in DOCKERFILE.splitlines() if line and not line.startswith(("#", " "))]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_copies_what_is_there_and_what_is_not_ignored() -> None:
    lines = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        source.rstrip("/")
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    }
    assert copied == let_in
    assert all((PROJECT / source).exists() for source in copied)
    assert "*" in lines


def test_the_image_runs_as_nobody_in_particular_and_starts_a_server_that_stops() -> None:
    words = instructions()
    last_stage = words[max(i for i, (word, _) in enumerate(words) if word == "FROM") :]
    said = dict(last_stage)
    assert int(said["USER"].partition(":")[0]) > 0
    assert [word for word, _ in last_stage].index("USER") < [word for word, _ in last_stage].index("CMD")
    assert json.loads(said["CMD"]) == ["lodge", "serve"]
    user = said["USER"].partition(":")[0]
    made = next(rest for word, rest in last_stage if word == "RUN")
    assert said["USER"] == f"{user}:{user}"
    assert f"groupadd --gid {user} lodge" in made
    assert "--no-create-home" in made  # what a home folder starts with would be in the volume
    assert f"install -d -m 700 -o lodge -g lodge {said['VOLUME']}" in made
    first = [rest for word, rest in words[: words.index(last_stage[0])] if word == "RUN"]
    assert "--no-compile" in first[1]
    assert "compileall -q --invalidation-mode unchecked-hash" in first[-1]  # a layer rounds files' times
    assert said["STOPSIGNAL"] == "SIGTERM"
    assert said["VOLUME"] in said["ENV"]
    assert all(
        fnmatch(image, "python:3.*-slim-*")
        for word, image in words
        if word == "FROM"
        for image in [image.split()[0]]
    )
    named = set(re.findall(r"LODGE_([A-Z_]+)=", said["ENV"]))
    assert named == {"HOME", "HOST", "LOG"}
    assert f"EXPOSE {Settings().port} {Settings().admin_port}" in DOCKERFILE


@pytest.mark.parametrize(("path", "rc"), [("/healthz", 0), ("/elsewhere", 1)])
def test_the_health_check_asks_the_port_that_is_set(path: str, rc: int) -> None:
    check = json.loads(re.search(r"HEALTHCHECK .*CMD (\[.+\])", DOCKERFILE)[1])  # type: ignore[index]

    class Alone(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(HTTPStatus.OK if self.path == path else HTTPStatus.NOT_FOUND)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Alone) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        environ = {**os.environ, "LODGE_PORT": str(server.server_port)}
        done = subprocess.run([sys.executable, *check[1:]], check=False, env=environ, timeout=60)
    assert check[0] == "python"
    assert done.returncode == rc


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze here")
def test_the_unit_is_one_that_systemd_reads_and_hardens(tmp_path: Path) -> None:
    unit = tmp_path / "lodge.service"
    unit.write_text(
        re.sub(r"/opt/lodge/\S*lodge", "/bin/true", UNIT.read_text(encoding="utf-8")), encoding="utf-8"
    )
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_unit_gives_answers_time_to_finish() -> None:
    found = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    assert int(found[1]) > Settings().stop_wait_s


def test_every_test_that_the_threat_model_names_exists() -> None:
    page = (DOCS / "threat-model.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 20
    for file, name in named:
        assert re.search(rf"^def {name}\(", (PROJECT / file).read_text(encoding="utf-8"), re.MULTILINE), name
    rows = [
        line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| who", "|--"))
    ]
    assert all("`tests/" in row for row in rows if row.count("|") == 5)
