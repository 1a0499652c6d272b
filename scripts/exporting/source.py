"""From what `--model` says to a folder on this machine, whole enough to be exported."""

from __future__ import annotations

import importlib.util
import re
from functools import partial
from pathlib import Path

from server.errors import ModelError

PACKAGE = "package:"
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")

# What an export reads. Hubs also hold other frameworks' weights and finished ONNX files, many times the size.
DESCRIPTIONS = ["*.json", "*.txt", "*.model", "README.md"]
SAFE_WEIGHTS = "*.safetensors"
PICKLED_WEIGHTS = "pytorch_model*.bin"
NOT_READ = ["onnx/*", "openvino/*"]


def find_folder(model: str) -> Path:
    """The folder of a local path, a `package:NAME` or a hub name; a `ModelError` says why there is none."""
    if model.startswith(PACKAGE):
        folder = _package_folder(model)
    elif model and Path(model).expanduser().is_dir():
        folder = Path(model).expanduser()
    elif HUB_NAME.fullmatch(model) and not model.startswith("."):
        folder = fetch(model)
    else:
        raise ModelError(f"There is no folder {model!r}, and it is no hub name either.")
    _check_whole(model, folder)
    return folder


def source_name(model: str) -> str:
    """How a model card names the source: a folder by its last part, for its path is one machine's own."""
    path = Path(model).expanduser()
    return path.resolve().name if path.is_dir() else model


def _package_folder(model: str) -> Path:
    name = model.removeprefix(PACKAGE)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise ModelError(f"The package {name!r} is not installed; see scripts/export-requirements.txt.")
    return Path(spec.origin).parent / "model"


def fetch(model: str, endpoint: str | None = None, cache: Path | None = None) -> Path:
    """The hub's snapshot of `model`; hub and cache are huggingface_hub's own unless given."""
    check_libraries("huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError

    download = partial(snapshot_download, model, endpoint=endpoint, cache_dir=cache, ignore_patterns=NOT_READ)
    try:
        folder = Path(download(allow_patterns=[*DESCRIPTIONS, SAFE_WEIGHTS]))
        if not any(folder.glob(SAFE_WEIGHTS)):
            download(allow_patterns=[PICKLED_WEIGHTS])
    except RepositoryNotFoundError as error:
        raise ModelError(f"The hub has no model {model!r} that can be read without a token.") from error
    except LocalEntryNotFoundError as error:
        raise ModelError(
            f"{model!r} is no folder here, and the hub cannot be reached; "
            "where the model is on this machine, name its folder."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{model!r} could not be fetched from the hub ({type(error).__name__}).") from error
    return folder


def _check_whole(model: str, folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{model!r} has no config.json; is it a model's folder?")
    if not any(path for pattern in (SAFE_WEIGHTS, PICKLED_WEIGHTS) for path in folder.glob(pattern)):
        raise ModelError(f"{model!r} has no weights: neither {SAFE_WEIGHTS} nor {PICKLED_WEIGHTS} is there.")
    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt")):
        raise ModelError(f"{model!r} has no tokenizer: neither tokenizer.json nor vocab.txt is there.")


def check_libraries(*names: str) -> None:
    """A `ModelError` where a library that exporting needs is not installed."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise ModelError(
            f"Exporting needs {', '.join(missing)}: make .venv-export by scripts/export-requirements.txt."
        )
