"""What PyTorch says, with the weights as they came: the reference every exported model is held against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.exporting.findings import Findings
from server.errors import ModelError

TEXTS = [
    "When does add/drop end?",
    "Undergraduate tuition for Vermont residents is $9,240 a year.",
    "library hours",
    "The Registrar's office is in Quarry Hall 204, (802) 555-0120.",
    "¿Dónde pido una visa de estudiante?",
    "Registration for spring 2027 opens November 9 and runs by class year until November 20, 2026. "
    "Students with a hold must clear it first, with the office that placed it.",
    "x",
    "Is there an engineering major?",
]
PAIRS = [
    (question, passage)
    for question in (TEXTS[0], TEXTS[2], TEXTS[7])
    for passage in (TEXTS[1], TEXTS[5], TEXTS[6])
]


def reference_rows(folder: Path, found: Findings) -> list[dict[str, Any]]:
    """Rows {text, vector} of an embedder, the texts taken as passages, or {question, passage, logit} of a
    cross-encoder; to six decimals.
    """
    if found.kind == "cross-encoder":
        logits = reference_logits(folder, found, PAIRS)
        return [
            {"question": question, "passage": passage, "logit": round(logit, 6)}
            for (question, passage), logit in zip(PAIRS, logits, strict=True)
        ]
    vectors = reference_vectors(folder, found, [found.passage_prefix + text for text in TEXTS])
    return [
        {"text": text, "vector": [round(x, 6) for x in vector]}
        for text, vector in zip(TEXTS, vectors, strict=True)
    ]


def reference_vectors(folder: Path, found: Findings, texts: Sequence[str]) -> list[list[float]]:
    """Pooled vectors of the texts as they stand, without a prefix."""
    import torch
    from transformers import AutoModel

    model, tokenizer = _load(AutoModel, folder)
    vectors = []
    for text in texts:
        batch = tokenizer([text], return_tensors="pt", truncation=True, max_length=found.max_tokens)
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state
        pooled = hidden[:, 0] if found.pooling == "cls" else hidden.mean(dim=1)
        if found.normalize:
            pooled = torch.nn.functional.normalize(pooled, dim=1)
        vectors.append([float(x) for x in pooled[0]])
    return vectors


def reference_logits(folder: Path, found: Findings, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The one logit of each pair of question and passage."""
    import torch
    from transformers import AutoModelForSequenceClassification

    model, tokenizer = _load(AutoModelForSequenceClassification, folder)
    logits = []
    for question, passage in pairs:
        batch = tokenizer(
            [question], [passage], return_tensors="pt", truncation=True, max_length=found.max_tokens
        )
        with torch.inference_mode():
            logits.append(float(model(**batch).logits[0, 0]))
    return logits


def _load(auto_class: Any, folder: Path) -> tuple[Any, Any]:
    """Model and tokenizer; weights that lack would be random, and no two loadings alike."""
    from transformers import AutoTokenizer

    model, report = auto_class.from_pretrained(folder, output_loading_info=True)
    missing = [key for key in report["missing_keys"] if not key.startswith("pooler.")]
    if missing:
        raise ModelError(f"The model's weights lack {len(missing)} tensors, {missing[0]} among them.")
    return model.float().eval(), AutoTokenizer.from_pretrained(folder)
