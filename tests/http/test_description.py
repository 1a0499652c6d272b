"""The description at `/schema` says what the server does: a few requests an operation, made by Schemathesis.

`scripts/research/fuzzing/fuzz_api.py` is the long form, against a real server and with every role.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from scripts.research.fuzzing import hooks
from server.app import create_app
from server.settings import Settings
from server.wiring.serving import build_serving
from server.workbench.records import open_records
from tests import small_site
from tests.scripted_app import serving

# What begins long work aside has tests of its own.
ASIDE = (
    "/snapshots/build",
    "/snapshots/{name}/publish",
    "/snapshots/compare/golden",
    "/crawl/start",
    "/golden/run",
)
SEMANTIC = "positive_data_acceptance"  # "the question is empty" is a sentence and no schema
CASES = {GenerationMode.POSITIVE: 2, GenerationMode.NEGATIVE: 1}


@pytest.fixture(scope="module")
def desk(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """The description as it is read from the whole server, and a developer's token."""
    own = small_site.settings_for(tmp_path_factory.mktemp("described"))
    shutil.copytree(small_home.snapshots_dir, own.snapshots_dir, symlinks=True)
    records = open_records(own.records_database_url)
    token = records.tokens.create("fuzz", "developer", 1)
    records.close()
    # Each operation is tried with a wrong token, too.
    own = replace(own, reranker="", limit_guesses="")
    app = create_app(own, build_serving(own))
    with serving(app) as url:
        schema = schemathesis.openapi.from_url(f"{url}/schema/openapi.json")
        schema.config.update(base_url=url)
        yield schema, token


def test_every_operation_does_what_its_description_says(desk: tuple[Any, str]) -> None:
    load_all_checks()
    for own in (hooks.no_internals, hooks.turned_away_on_every_route):
        assert own.__name__ in CHECKS.get_all_names()
    schema, token = desk
    chosen = CHECKS.get_by_names([name for name in CHECKS.get_all_names() if name != SEMANTIC])
    headers = {"Authorization": f"Bearer {token}"}
    tried: dict[str, int] = {}
    for operation in (found.ok() for found in schema.get_all_operations()):
        if operation.path.endswith(ASIDE):
            continue
        for mode, most in CASES.items():

            @settings(
                max_examples=most,
                derandomize=True,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def does(case: Any) -> None:
                tried[case.operation.label] = tried.get(case.operation.label, 0) + 1
                case.call_and_validate(checks=chosen, headers=headers)

            try:
                does()
            except Unsatisfiable:  # nothing can be wrong with a request that takes nothing
                assert mode is GenerationMode.NEGATIVE
    assert len(tried) == 119 - len(ASIDE)
    assert sum(tried.values()) > 180
    assert hooks.tried == tried.keys()
