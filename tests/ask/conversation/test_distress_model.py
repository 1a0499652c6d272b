from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from corpus.visitors.sets import read_crisis_lines
from server.ask.normalize import written_out
from server.ask.triage import DistressModel, detect_crisis, distress_features
from server.errors import BadInputError
from server.inference.encoders import Embedder
from server.settings import PROJECT, Settings
from server.wiring.flow import build_distress

FILE = PROJECT / "corpus/distress_model.json"


@pytest.fixture(scope="module")
def model() -> DistressModel:
    return DistressModel.load(FILE)


def is_heard(text: str, model: DistressModel, embedder: Embedder) -> bool:
    heard = written_out(text).text
    if detect_crisis(heard, weak=False):
        return True
    return model.detect_crisis(heard, embedder.embed_question(heard)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "im failing everything and i cant stop crying",
        "im failing everything and i can not stop crying",
        "im so stressed i cant sleep or eat",
        "I am so stressed that I can't sleep or eat.",
        "nobody would notice if I was gone",
        "my daughter hasn't left her room in ten days and won't eat",
        "i have not eaten since monday and there is no money left",
        "suicide",
        "no puedo dejar de llorar y no duermo",
    ],
)
def test_distress_is_heard_with_and_without_apostrophes(
    text: str, model: DistressModel, embedder: Embedder
) -> None:
    assert is_heard(text, model, embedder)


@pytest.mark.parametrize(
    "text",
    [
        "tuitoin",
        "tuition",
        "this homework is killing me",
        "dying to know when grades are out",
        "my laptop keeps dying",
        "my jobs on the cluster keep dying, who runs that machine",
        "left the lights of my truck on all night, now it will not start",
        "my roommate plays the drums till 3, i want another room",
        "the washer in my hall ate my money",
        "two classes i need meet at the same hour",
        "somebody took my bike from the rack, student card and all",
        "suicide prevention training dates",
        "counseling center hours",
        "what does the health plan cover after an overdose",
        "when does add/drop end?",
        "¿cuándo es el taller de prevención del suicidio?",
    ],
)
def test_what_only_sounds_like_it_is_not(text: str, model: DistressModel, embedder: Embedder) -> None:
    assert not is_heard(text, model, embedder)


def test_the_lines_it_was_fitted_to_are_nearly_all_told_apart(
    model: DistressModel, embedder: Embedder
) -> None:
    """The model's file belongs to the lexicon, the features and the embedder of today."""
    lines = read_crisis_lines("work")
    heard = {line.id for line in lines if is_heard(line.text, model, embedder)}
    in_crisis = {line.id for line in lines if line.crisis}
    assert len(heard & in_crisis) >= 0.95 * len(in_crisis)
    assert len(heard - in_crisis) <= 0.01 * (len(lines) - len(in_crisis))


def test_one_spelling_of_what_can_be_written_out() -> None:
    assert distress_features("I cannot do it") == distress_features("i can't do it")
    assert distress_features("i am not ok, he is not") == distress_features("i’m not ok he's not")


def test_what_is_heard_is_never_an_emergency_and_tells_its_words() -> None:
    small = DistressModel("", -1.0, np.array([1.0, 0.0], dtype=np.float32), {"lost": 5.0, "so": -0.1})
    found = small.detect_crisis("so lost", np.array([0.0, 1.0], dtype=np.float32))
    assert found is not None
    assert (found.level, found.heard) == ("distress", "lost")
    assert small.detect_crisis("keys", np.array([0.0, 1.0], dtype=np.float32)) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"embedder_sha256": "x", "bias": 0, "words": {}}', "x = 1"])
def test_a_file_that_is_no_model_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    with pytest.raises(BadInputError, match=r"model\.json cannot be read"):
        DistressModel.load(path)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=r"model\.json cannot be read"):
        DistressModel.load(path)


def test_another_embedders_model_is_not_used(
    embedder: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert build_distress(Settings.read({}), embedder) is not None
    other = json.loads(FILE.read_text(encoding="utf-8")) | {"embedder_sha256": "another"}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(other), encoding="utf-8")
    assert build_distress(Settings.read({"LODGE_DISTRESS_FILE": str(path)}), embedder) is None
    assert "distress_model_of_other_embedder" in caplog.text
