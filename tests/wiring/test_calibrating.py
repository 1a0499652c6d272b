from __future__ import annotations

import re
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from server.ask.quoting.confidence import ConfidenceFit
from server.errors import BadInputError
from server.evaluate.calibrate.calibrate import CalibrationReport
from server.evaluate.calibrate.rankings import ranking_at
from server.evaluate.evaluate import ask_once
from server.evaluate.outcomes import last_ranking
from server.models import Feedback, Trace
from server.settings import Settings
from server.wiring.measuring import calibration_in, open_ground, run_calibrate, variables, write_calibration
from server.wiring.opening import build_records
from tests.storage.exchanges import exchange
from tests.wiring.question_files import rows, write_questions


def calibrated(settings: Settings, questions: Path, strategy: str | None = None) -> CalibrationReport:
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


def test_the_flow_tells_the_confidence_as_it_was_refitted(small_home: Settings) -> None:
    with open_ground(small_home, None) as ground:

        def confidence(settings: Settings) -> float:
            told = ask_once(ground.asker(settings), rows()[0]["question"], "hybrid+rerank").answer.confidence
            assert told is not None
            return told

        refitted = replace(small_home, confidence_shift=1.0, confidence_scale=0.5)
        shipped = confidence(small_home)
        assert 0 < shipped < 1
        assert confidence(refitted) == pytest.approx(ConfidenceFit(1.0, 0.5).corrected(shipped), abs=1e-3)


def test_ratings_in_the_records_are_weighed_beside_the_questions(
    small_home: Settings, tmp_path: Path
) -> None:
    home = replace(small_home, records_url=f"sqlite:///{tmp_path / 'records.sqlite'}")
    with closing(build_records(home)) as records:
        records.conversations.record(exchange(1))
        records.conversations.rate(Feedback("c1", "m1", True, "", "", "2026-03-01T11:00:00+00:00"))
    questions = write_questions(tmp_path / "q.jsonl")
    without, beside = (counted_answers(home, questions, ratings=ratings) for ratings in (False, True))
    assert beside == (without[0] + 1, without[1])


def counted_answers(settings: Settings, questions: Path, *, ratings: bool) -> tuple[int, int]:
    """How many right and wrong answers there are to refit the confidence to; these are too few."""
    calibration = run_calibrate(
        settings,
        questions,
        None,
        warn=lambda _: None,
        note=lambda _: None,
        on_progress=lambda *_: None,
        ratings=ratings,
    )
    [(right, wrong)] = re.findall(r"there are (\d+) and (\d+)\.", " ".join(calibration.left_out))
    return int(right), int(wrong)


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


def test_a_calibration_file_is_made_and_read_back(small_home: Settings, tmp_path: Path) -> None:
    calibration = calibrated(small_home, write_questions(tmp_path / "q.jsonl"), "hybrid+rerank")
    file = tmp_path / "calibration.toml"
    write_calibration(file, calibration)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line.partition(" = ")[0] for line in lines] == [one.setting for one in calibration.parameters]
    settings = Settings.read({"LODGE_CALIBRATION": str(file)})
    for one in calibration.parameters:
        assert getattr(settings, one.setting) == one.recommended
    _what_else_stands_in_it_stays(file, calibration)


def _what_else_stands_in_it_stays(file: Path, calibration: CalibrationReport) -> None:
    """Comments, other constants, and the file's rights."""
    file.write_text("# ours\nfusion_alpha = 0.77  # by hand\nterm_weight = 0.2\n", encoding="utf-8")
    file.chmod(0o600)
    write_calibration(file, calibration)
    first, alpha, weight, *_ = file.read_text(encoding="utf-8").splitlines()
    assert (first, weight) == ("# ours", "term_weight = 0.2")
    assert alpha.endswith("# by hand")
    assert "0.77" not in alpha
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"LODGE_FUSION_ALPHA=0.4\n", b"fusion_alpha = 3\n"])
def test_a_file_that_is_no_calibration_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lodge.env").write_bytes(content)
    with pytest.raises(BadInputError, match="nothing was written"):
        calibration_in(tmp_path / "lodge.env")
    assert (tmp_path / "lodge.env").read_bytes() == content
