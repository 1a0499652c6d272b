from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.evaluate.asking import ask_once
from server.evaluate.calibrate.calibrate import Calibration
from server.evaluate.calibrate.depth import ranking_at
from server.evaluate.outcomes import last_ranking
from server.models import Trace
from server.settings import Settings
from server.wiring.calibrating import run_calibrate, variables, write_env
from server.wiring.measuring import open_ground
from tests.wiring.question_files import rows, write_questions


def calibrated(settings: Settings, questions: Path, strategy: str | None = None) -> Calibration:
    return run_calibrate(
        settings,
        questions,
        None,
        strategy=strategy,
        warn=lambda _: None,
        note=lambda _: None,
        on_progress=lambda *_: None,
    )


def test_every_setting_of_a_reranking_strategy_is_chosen_on_the_real_flow(
    small_home: Settings, tmp_path: Path
) -> None:
    calibration = calibrated(small_home, write_questions(tmp_path / "q.jsonl"), "hybrid+rerank")
    found = {one.setting: one for one in calibration.parameters}
    assert list(found) == ["fusion_alpha", "rerank_candidates", "refusal_threshold"]
    assert found["fusion_alpha"].present == small_home.fusion_alpha
    assert found["rerank_candidates"].present == small_home.rerank_candidates
    assert found["fusion_alpha"].questions == 10
    assert found["refusal_threshold"].questions == 13
    assert all(one.held_out.low <= one.held_out.value <= one.held_out.high for one in found.values())
    assert found["fusion_alpha"].held_out.value > 0.5
    assert calibration.snapshot == small_home.current_snapshot.readlink().name


def test_one_deep_reading_tells_what_the_real_flow_does_at_smaller_depths(small_home: Settings) -> None:
    with open_ground(small_home, None) as ground:

        def trace_at(depth: int, question: str) -> Trace:
            asker = ground.asker(replace(small_home, rerank_candidates=depth))
            return ask_once(asker, question, "hybrid+rerank").trace

        for row in rows()[:3]:
            deepest = trace_at(50, row["question"])
            for depth in (5, 10):
                asked = trace_at(depth, row["question"])
                assert ranking_at(deepest, depth) == [hit.chunk_id for hit in last_ranking(asked)]


def test_the_real_flow_leans_as_it_is_foretold(small_home: Settings, tmp_path: Path) -> None:
    """Names that the embedder does not know; a wrong foretelling would end the calibration."""
    lines = [{**row, "question": f"Xqzvra Wkjpld {row['question']}"} for row in rows()]
    calibration = calibrated(small_home, write_questions(tmp_path / "q.jsonl", lines=lines), "hybrid")
    assert [one.setting for one in calibration.parameters] == ["fusion_alpha", "refusal_threshold"]


def test_the_default_strategy_is_the_settings(small_home: Settings, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    assert calibrated(small_home, questions).strategy == small_home.strategy == "hybrid+rerank"
    without = calibrated(replace(small_home, reranker=""), questions)
    assert without.strategy == "hybrid"
    assert variables(without).keys() == {"LODGE_FUSION_ALPHA", "LODGE_REFUSAL_THRESHOLD"}


def test_variables_are_read_back_as_the_settings_recommended(small_home: Settings, tmp_path: Path) -> None:
    calibration = calibrated(small_home, write_questions(tmp_path / "q.jsonl"), "hybrid+rerank")
    settings = Settings.read(variables(calibration))
    for one in calibration.parameters:
        assert getattr(settings, one.setting) == one.recommended


def test_too_few_questions_or_an_unknown_strategy_are_bad_input(small_home: Settings, tmp_path: Path) -> None:
    few = write_questions(tmp_path / "few.jsonl", lines=rows()[:9])
    with pytest.raises(BadInputError, match="at least 10 questions"):
        calibrated(small_home, few)
    with pytest.raises(BadInputError, match="'magic'"):
        calibrated(small_home, few, "magic")


def test_an_env_file_is_made_with_a_line_each(tmp_path: Path) -> None:
    write_env(tmp_path / "lodge.env", {"LODGE_FUSION_ALPHA": "0.4", "LODGE_REFUSAL_THRESHOLD": "0.55"})
    text = (tmp_path / "lodge.env").read_text(encoding="utf-8")
    assert text == "LODGE_FUSION_ALPHA=0.4\nLODGE_REFUSAL_THRESHOLD=0.55\n"


def test_what_else_stands_in_an_env_file_stays_and_so_do_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "lodge.env"
    file.write_text(
        "# ours\nexport LODGE_FUSION_ALPHA = 0.3\nLODGE_FUSION_ALPHA_OLD=1\nKEY='s p'\n#LODGE_FUSION_ALPHA=9",
        encoding="utf-8",
    )
    file.chmod(0o600)
    write_env(file, {"LODGE_FUSION_ALPHA": "0.4", "LODGE_REFUSAL_THRESHOLD": "0.55"})
    assert file.read_text(encoding="utf-8").splitlines() == [
        "# ours",
        "export LODGE_FUSION_ALPHA=0.4",
        "LODGE_FUSION_ALPHA_OLD=1",
        "KEY='s p'",
        "#LODGE_FUSION_ALPHA=9",
        "LODGE_REFUSAL_THRESHOLD=0.55",
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_no_text_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInputError, match="nothing was written"):
        write_env(tmp_path / "binary", {"A": "1"})
    assert (tmp_path / "binary").read_bytes() == b"\xff\xfe\x00"
