"""Real exports of both architectures, small and with random weights, held against PyTorch.

Tolerances are the measured figures, behind them in the comments, with room for another machine's arithmetic.
What int8 costs small random weights says nothing of a trained model, whose activations are far tamer.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.exporting.comparing import exported_logits, exported_vectors
from scripts.exporting.export import Order, export
from scripts.exporting.findings import Given, find
from scripts.exporting.graph import Form
from scripts.exporting.reference import PAIRS, TEXTS, reference_logits, reference_vectors
from scripts.make_small_models import (
    EMBEDDER,
    MOST_TOKENS,
    RERANKER,
    make_bert_reranker,
    make_embedder,
    make_reranker,
)
from server.errors import ModelError
from server.inference.session import hash_of
from tests.scripts.exporting.exporting_needs import needs_exporting

pytestmark = [
    needs_exporting,
    pytest.mark.filterwarnings("default"),  # the libraries' own deprecations are not ours to mend
]

FORMS = [Form(precision, optimize) for precision in ("fp32", "fp16", "int8") for optimize in (False, True)]

# Measured, plain and fused: 1 - 1e-7 and 1 - 1e-7, 1 - 6e-7 and 1 - 5e-7, 0.9890 and 0.9902.
LEAST_COSINE = {"fp32": 0.99999, "fp16": 0.9999, "int8": 0.98}

# Measured on logits that spread over 0.956: 8e-7 and 7e-7, 6e-4 and 17e-4, 0.247 and 0.247.
MOST_SHIFT = {"fp32": 1e-4, "fp16": 1e-2, "int8": 0.3}


def form_name(form: Form) -> str:
    return f"{form.precision}{'-optimized' if form.optimize else ''}"


every_form = pytest.mark.parametrize("form", FORMS, ids=form_name)


@pytest.fixture(scope="module")
def embedder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_embedder(tmp_path_factory.mktemp("hub") / EMBEDDER)


@pytest.fixture(scope="module")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reranker(tmp_path_factory.mktemp("hub") / RERANKER)


@pytest.fixture(scope="module")
def vectors(embedder_folder: Path) -> Any:
    return np.array(reference_vectors(embedder_folder, find(embedder_folder, [EMBEDDER], Given()), TEXTS))


@pytest.fixture(scope="module")
def logits(reranker_folder: Path) -> Any:
    return np.array(reference_logits(reranker_folder, find(reranker_folder, [RERANKER], Given()), PAIRS))


@every_form
def test_an_embedder_says_what_pytorch_says(
    embedder_folder: Path, vectors: Any, form: Form, tmp_path: Path
) -> None:
    made = export(Order(str(embedder_folder), tmp_path, form)).folder
    cosines = np.sum(exported_vectors(made, TEXTS) * vectors, axis=1)
    assert cosines.min() >= LEAST_COSINE[form.precision]


@every_form
@pytest.mark.parametrize("pad_id", [0, 1])
def test_a_reranker_says_what_pytorch_says_whatever_fills_its_rows(
    reranker_folder: Path, logits: Any, form: Form, pad_id: int, tmp_path: Path
) -> None:
    """XLM-RoBERTa counts places by the ids that are not padding; on the right, any id leaves them right."""
    made = export(Order(str(reranker_folder), tmp_path, form)).folder
    ours = exported_logits(made, MOST_TOKENS, PAIRS, pad_id)
    assert ours.shape == (len(PAIRS),)
    assert np.abs(ours - logits).max() <= MOST_SHIFT[form.precision]


def test_the_comparisons_can_fail(vectors: Any, logits: Any) -> None:
    """Another text's vector, another pair's logit, are farther than any tolerance."""
    others = (vectors @ vectors.T)[np.triu_indices(len(TEXTS), k=1)]
    assert np.median(others) < LEAST_COSINE["int8"]
    assert np.ptp(logits) > 2 * MOST_SHIFT["int8"]


def test_the_reference_is_sentence_transformers(
    embedder_folder: Path, vectors: Any, reranker_folder: Path, logits: Any
) -> None:
    library = pytest.importorskip("sentence_transformers")
    theirs = library.SentenceTransformer(str(embedder_folder), device="cpu").encode(TEXTS)
    assert np.abs(theirs - vectors).max() < 1e-5
    reranker = library.CrossEncoder(str(reranker_folder), device="cpu")
    probabilities = reranker.predict(PAIRS)  # of one label, by its sigmoid
    assert np.abs(probabilities - 1 / (1 + np.exp(-logits))).max() < 1e-5


@pytest.mark.parametrize("form", [FORMS[0], FORMS[-1]], ids=form_name)
def test_an_embedder_without_modules_is_exported_too(vectors: Any, form: Form, tmp_path: Path) -> None:
    folder = make_embedder(tmp_path / "hub" / EMBEDDER)
    (folder / "modules.json").unlink()
    made = export(Order(str(folder), tmp_path, form)).folder
    assert np.sum(exported_vectors(made, TEXTS) * vectors, axis=1).min() >= LEAST_COSINE[form.precision]


@pytest.mark.parametrize("form", [FORMS[1], FORMS[3]], ids=form_name)
def test_a_bert_reranker_tells_question_from_passage_by_type(form: Form, tmp_path: Path) -> None:
    folder = make_bert_reranker(tmp_path / "hub" / "reranker")
    made = export(Order(str(folder), tmp_path, form)).folder
    logits = np.array(reference_logits(folder, find(folder, [], Given()), PAIRS))
    ours = exported_logits(made, MOST_TOKENS, PAIRS)
    assert np.abs(ours - logits).max() <= MOST_SHIFT[form.precision]


def test_all_is_found_and_the_folder_is_finished(embedder_folder: Path, tmp_path: Path) -> None:
    made = export(Order(str(embedder_folder), tmp_path, FORMS[0])).folder
    assert made == tmp_path / f"{EMBEDDER}-fp32"
    assert sorted(path.name for path in made.iterdir()) == ["model.onnx", "model.toml", "tokenizer.json"]
    assert list(tmp_path.iterdir()) == [made]
    card = tomllib.loads((made / "model.toml").read_text(encoding="utf-8"))
    assert card == {
        "kind": "embedder",
        "source": EMBEDDER,
        "licence": "Apache-2.0",
        "precision": "fp32",
        "sha256": hash_of(made),
        "dims": 64,
        "pooling": "cls",
        "normalize": True,
        "max_tokens": MOST_TOKENS,
        "query_prefix": "Represent this sentence for searching relevant passages: ",
        "passage_prefix": "",
    }


def test_the_same_input_gives_the_same_bytes(reranker_folder: Path, tmp_path: Path) -> None:
    orders = [Order(str(reranker_folder), tmp_path, FORMS[-1], name=name) for name in ("one", "two")]
    first, second = [export(order).folder for order in orders]
    for name in ("model.onnx", "model.toml", "tokenizer.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_golden_rows_are_written_on_demand(embedder_folder: Path, vectors: Any, tmp_path: Path) -> None:
    export(Order(str(embedder_folder), tmp_path, FORMS[0], golden=tmp_path / "golden.json"))
    rows = json.loads((tmp_path / "golden.json").read_text(encoding="utf-8"))
    assert [row["text"] for row in rows] == TEXTS
    assert np.array([row["vector"] for row in rows]) == pytest.approx(vectors, abs=1e-6)


def test_a_finished_model_is_replaced_by_a_whole_one_only(reranker_folder: Path, tmp_path: Path) -> None:
    order = Order(str(reranker_folder), tmp_path, FORMS[0], name="model")
    before = hash_of(export(order).folder)
    broken = make_reranker(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"these are no weights")
    with pytest.raises(ModelError, match="cannot be exported"):
        export(replace(order, model=str(broken)))
    assert hash_of(tmp_path / "model") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "model"]
    assert hash_of(export(replace(order, form=FORMS[-1])).folder) != before


def test_weights_without_the_head_are_refused(embedder_folder: Path, tmp_path: Path) -> None:
    """transformers would make one up, another each time."""
    headless = make_bert_reranker(tmp_path / "headless")
    (headless / "model.safetensors").write_bytes((embedder_folder / "model.safetensors").read_bytes())
    with pytest.raises(ModelError, match="weights lack 4 tensors"):
        export(Order(str(headless), tmp_path, FORMS[0]))


def test_a_broken_tokenizer_is_named(tmp_path: Path) -> None:
    folder = make_reranker(tmp_path / "model")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"cannot be (exported|loaded)"):
        export(Order(str(folder), tmp_path, FORMS[0]))
