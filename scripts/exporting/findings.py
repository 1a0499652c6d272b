"""What a model folder says of itself: what it is for, how it pools, how much it reads, under which licence.

Everything comes from the files that transformers and sentence-transformers write beside the weights, so it
needs neither library. What a folder does not say is found by its family's name, or must be given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from server.errors import ModelError

ARCHITECTURES = ("bert", "xlm-roberta")
POOLINGS = ("cls", "mean")
SPDX = {"mit": "MIT", "apache-2.0": "Apache-2.0", "bsd-3-clause": "BSD-3-Clause", "cc-by-4.0": "CC-BY-4.0"}

# Query prefixes that a family's authors ask for in prose, and no file of the folder says.
QUERY_PREFIXES = (
    ("bge-*-en*", "Represent this sentence for searching relevant passages: "),
    ("bge-*-zh*", "为这个句子生成表示以用于检索相关文章："),
)


@dataclass(frozen=True, slots=True)
class Given:
    """What a person says of a model; None where the folder's own word counts."""

    licence: str | None = None
    pooling: str | None = None
    normalize: bool | None = None
    max_tokens: int | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a model before it is exported."""

    kind: str  # "embedder" or "cross-encoder"
    model_type: str
    dims: int
    heads: int
    positions: int  # the longest input that the weights have places for
    has_modules: bool  # sentence-transformers' modules.json is there
    max_tokens: int
    licence: str | None = None
    pooling: str | None = None
    normalize: bool = True
    query_prefix: str = ""
    passage_prefix: str = ""


def find(folder: Path, names: Iterable[str], given: Given) -> Findings:
    """All that is known of the model in `folder`, called `names`; a `ModelError` says what lacks."""
    config = _object(folder / "config.json")
    modules = _modules(folder)
    positions = _positions(config)
    found = Findings(
        kind=_kind(config, bool(modules)),
        model_type=config["model_type"],
        dims=_number(config, "hidden_size"),
        heads=_number(config, "num_attention_heads"),
        positions=positions,
        has_modules=bool(modules),
        max_tokens=min([positions, *_length_limits(folder)]),
        licence=_licence(folder),
    )
    if found.kind == "embedder":
        found = _with_embedding(found, folder, modules, [name.rsplit("/", 1)[-1].lower() for name in names])
    return _checked(_with_given(found, given))


def _with_embedding(found: Findings, folder: Path, modules: Sequence[Any], names: Sequence[str]) -> Findings:
    prompts = _object(folder / "config_sentence_transformers.json").get("prompts") or {}
    return replace(
        found,
        pooling=_pooling(folder, modules, names),
        normalize=not modules or any(_type(module) == "Normalize" for module in modules),
        query_prefix=prompts.get("query") or _family_prefix(names),
        passage_prefix=prompts.get("document") or prompts.get("passage") or "",
    )


def _with_given(found: Findings, given: Given) -> Findings:
    said = {field.name: getattr(given, field.name) for field in fields(given)}
    return replace(found, **{name: value for name, value in said.items() if value is not None})


def _checked(found: Findings) -> Findings:
    if found.licence is None:
        raise ModelError("The model's README.md names no licence; give it with --licence.")
    if found.kind == "embedder" and found.pooling not in POOLINGS:
        said = f"pools by {found.pooling!r}" if found.pooling else "does not say how it pools"
        raise ModelError(f"The model {said}; Lodge knows {' and '.join(POOLINGS)}: give one with --pooling.")
    if not 8 <= found.max_tokens <= found.positions:
        raise ModelError(f"--max-tokens is {found.max_tokens}; this model takes 8 to {found.positions}.")
    return found


def _kind(config: dict[str, Any], has_modules: bool) -> str:
    if config.get("model_type") not in ARCHITECTURES:
        raise ModelError(
            f"The architecture {config.get('model_type')!r} is not supported; "
            f"{' and '.join(ARCHITECTURES)} are."
        )
    architecture = str((config.get("architectures") or [None])[0])
    if architecture.endswith("ForSequenceClassification"):
        labels = len(config.get("id2label") or ()) or config.get("num_labels", 2)
        if labels != 1:
            raise ModelError(f"The model sorts into {labels} classes; a cross-encoder has one label.")
        return "cross-encoder"
    if has_modules or architecture.endswith("Model"):
        return "embedder"
    raise ModelError(f"{architecture} is neither an embedder nor a cross-encoder.")


def _positions(config: dict[str, Any]) -> int:
    """How many tokens have a place: RoBERTa's family counts places from the padding token's id + 1."""
    positions = _number(config, "max_position_embeddings")
    if config.get("model_type") == "xlm-roberta":
        positions -= int(config.get("pad_token_id", 1)) + 1
    return positions


def _length_limits(folder: Path) -> list[int]:
    """What sentence-transformers and the tokenizer say; a tokenizer without a limit says 10³⁰."""
    said = [
        _object(folder / "sentence_bert_config.json").get("max_seq_length"),
        _object(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    return [int(value) for value in said if value]


def _modules(folder: Path) -> list[Any]:
    """The steps after the transformer, as sentence-transformers lists them; none where it does not."""
    modules = _read(folder / "modules.json", [])
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise ModelError("modules.json cannot be used: it is no list of modules.")
    unknown = {_type(module) for module in modules} - {"Transformer", "Pooling", "Normalize"}
    if unknown:
        raise ModelError(f"The model has steps that the server does not know: {', '.join(sorted(unknown))}.")
    return modules


def _type(module: dict[str, Any]) -> str:
    return str(module.get("type")).rsplit(".", 1)[-1]


def _pooling(folder: Path, modules: Sequence[Any], names: Sequence[str]) -> str | None:
    """The pooling's name; older folders say it with one truth value a way."""
    paths = [str(module.get("path")) for module in modules if _type(module) == "Pooling"]
    if not paths:
        return "cls" if any(fnmatch(name, "bge-*") for name in names) else None
    config = _object(folder / paths[0] / "config.json")
    modes = config.get("pooling_mode") or [
        re.sub(r"^pooling_mode_|_tokens?$", "", key)
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ]
    return modes if isinstance(modes, str) else " and ".join(modes)


def _family_prefix(names: Sequence[str]) -> str:
    for pattern, prefix in QUERY_PREFIXES:
        if any(fnmatch(name, pattern) for name in names):
            return prefix
    return ""


def _licence(folder: Path) -> str | None:
    """The licence in the front matter of the hub's README.md, by its SPDX name."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
    front = re.match(r"---\s*\n(.*?)\n---", text, re.DOTALL)
    said = re.search(r"^license:[ \t]*[\"']?([\w.+-]+)", front[1], re.MULTILINE) if front else None
    if said is None or said[1] in ("other", "unknown"):
        return None
    return SPDX.get(said[1].lower(), said[1])


def _number(config: dict[str, Any], key: str) -> int:
    value = config.get(key)
    if not isinstance(value, int):
        raise ModelError(f"config.json does not give {key}.")
    return value


def _object(path: Path) -> dict[str, Any]:
    found = _read(path, {})
    if not isinstance(found, dict):
        raise ModelError(f"{path.name} cannot be used: it is no JSON object.")
    return found


def _read(path: Path, absent: Any) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else absent
    except ValueError as error:
        raise ModelError(f"{path.name} cannot be read: {error}.") from error
