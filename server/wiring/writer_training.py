"""A writer's training: its environment, base and data, the trainer in a process of its own, export."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from server.academic_terms import current_term
from server.errors import BadInputError
from server.llm.options import ChatOptions
from server.llm.prompts import Scene
from server.settings import PROJECT, Settings
from server.training.examples import WriterExample, read_examples
from server.training.keeping import Search
from server.training.writer_data import examples_of, write_chats
from server.wiring.measuring import read_question_set
from server.wiring.opening import site_name
from server.wiring.training import open_site

REQUIREMENTS = "scripts/train-requirements.txt"
NEEDED = ("torch", "transformers", "peft", "gguf", "matplotlib")
SEED = 7

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """What to train on what. `data` are questions files or examples; `python` is the training environment's.

    `more` is handed on to the trainer: `("--minutes", "50")`.
    """

    data: tuple[Path, ...]
    pages: Path | None
    base: Path
    out: Path
    method: str
    python: Path
    more: tuple[str, ...] = ()
    only_data: bool = False


def run_writer(settings: Settings, options: WriterOptions, warn: Tell, note: Tell) -> dict[str, Any]:
    """Build the data, train, and export; returns what came of it. What is there already is not made again."""
    require_environment(options.python)
    base = unpacked_base(options, note)
    note("Building the examples …")
    count = token_count(base)
    files = write_chats(
        _examples(settings, options, warn, note),
        options.out / "chat",
        _scene(settings),
        ChatOptions.of(settings).prompt_tokens,
        count,
        ChatOptions.of(settings).style,
        SEED,
    )
    report = asdict(files)
    if options.only_data:
        return report
    if not files.learnt or not files.aside:
        raise BadInputError("There are too few examples to learn from and to validate on.")
    run = options.out / "run"
    _run(
        options.python,
        "scripts.training.train_writer",
        *("--base", base, "--data", options.out / "chat", "--out", run, "--method", options.method),
        *options.more,
    )
    _run(options.python, "scripts.training.export_writer", "--run", run, "--base", base)
    card: dict[str, Any] = json.loads((run / "card.json").read_text(encoding="utf-8"))
    return {**report, **{key: value for key, value in card.items() if not isinstance(value, dict)}}


def require_environment(python: Path) -> None:
    """`BadInputError` with the commands that make the training environment, where it is not there."""
    try:
        found = subprocess.run(  # noqa: S603  (the interpreter that was named)
            [python, "-c", f"import {', '.join(NEEDED)}"], capture_output=True, text=True, check=False
        )
        missing = found.stderr.strip().splitlines()[-1] if found.returncode else ""
    except OSError as error:
        missing = f"{python}: {error.strerror}"
    if missing:
        raise BadInputError(
            f"The training environment is not there ({missing}). It is made by: python3 -m venv "
            f".venv-train && .venv-train/bin/pip install -r {REQUIREMENTS}"
        )


def unpacked_base(options: WriterOptions, note: Tell) -> Path:
    """The base as a folder in transformers' format; a GGUF file is unpacked once, into `base/`."""
    if options.base.is_dir():
        return options.base
    if not options.base.is_file():
        raise BadInputError(f"There is no base model {options.base}.")
    folder = options.out / "base"
    if not (folder / "tokenizer.json").is_file():
        note("Unpacking the base …")
        _run(options.python, "scripts.training.unpack_base", "--gguf", options.base, "--out", folder)
    return folder


def token_count(base: Path) -> Callable[[str], int]:
    """The base's own count of a text's tokens."""
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _examples(settings: Settings, options: WriterOptions, warn: Tell, note: Tell) -> Iterator[WriterExample]:
    """The examples of all files; the site's search is opened where one of them has questions."""
    ready = [file for file in options.data if _has_passages(file)]
    for file in ready:
        yield from read_examples(file)
    asked = [file for file in options.data if file not in ready]
    if asked:
        with open_site(settings, options.pages, warn, note) as site:
            yield from _asked(asked, site.search, warn)


def _asked(files: Sequence[Path], search: Search, warn: Tell) -> Iterator[WriterExample]:
    for file in files:
        yield from examples_of(read_question_set(file, warn).questions, file.stem, search)


def _has_passages(file: Path) -> bool:
    """Whether a file has examples, not questions."""
    if not file.is_file():
        raise BadInputError(f"There is no file {file}.")
    if file.suffix == ".gz":
        return False
    with file.open(encoding="utf-8") as lines:
        return '"passages"' in next(iter(lines), "")


def _scene(settings: Settings) -> Scene:
    today = settings.day or date.today()
    year, _, season = current_term(today).name.partition("-")
    return Scene(site_name(settings), today, f"{season.title()} {year}")


def _run(python: Path, module: str, *arguments: object) -> None:
    """One of the scripts in the training environment; what it prints goes to standard error."""
    command = [str(python), "-m", module, *map(str, arguments)]
    done = subprocess.run(  # noqa: S603  (our own module)
        command, cwd=PROJECT, stdout=2, check=False
    )
    if done.returncode:
        raise BadInputError(f"{module} ended with status {done.returncode}; its words are above.")
