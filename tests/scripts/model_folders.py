"""Model folders without weights that mean anything: for what is read from the files beside the weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BERT = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_size": 384,
    "num_attention_heads": 12,
    "max_position_embeddings": 512,
}
XLM_ROBERTA = {
    **BERT,
    "architectures": ["XLMRobertaForSequenceClassification"],
    "model_type": "xlm-roberta",
    "max_position_embeddings": 514,
    "pad_token_id": 1,
    "id2label": {"0": "LABEL_0"},
}
MODULES = ["Transformer", "Pooling", "Normalize"]


def write(folder: Path, name: str, content: Any) -> None:
    """`content` as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def write_modules(folder: Path, kinds: list[str], pooling: dict[str, Any]) -> None:
    """modules.json and the pooling's own file, as sentence-transformers writes them."""
    rows = [
        {"path": f"{i}_{kind}", "type": f"sentence_transformers.models.{kind}"}
        for i, kind in enumerate(kinds)
    ]
    write(folder, "modules.json", rows)
    write(folder, "1_Pooling/config.json", pooling)


def model_folder(folder: Path, config: dict[str, Any], licence: str | None = "mit") -> Path:
    """A folder with a config, empty weights and an empty tokenizer."""
    write(folder, "config.json", config)
    (folder / "model.safetensors").touch()
    (folder / "tokenizer.json").touch()
    if licence:
        (folder / "README.md").write_text(
            f"---\nlanguage: en\nlicense: {licence}\n---\n# A model\n", encoding="utf-8"
        )
    return folder
