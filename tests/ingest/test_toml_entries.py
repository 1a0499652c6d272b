from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.toml_files import read_entries


def read(folder: Path, content: bytes) -> list[tuple[str, dict[str, str]]]:
    path = folder / "pets.toml"
    path.write_bytes(content)
    return list(read_entries(path, "pet", {"name", "kind"}, "The list of pets"))


def test_entries_come_in_the_files_order_each_with_its_name(tmp_path: Path) -> None:
    first, second = read(tmp_path, b'[[pet]]\nname = "Ida"\nkind = "cat"\n[[pet]]\nname = "Bo"')
    assert first == (f"Pet 1 of {tmp_path / 'pets.toml'}", {"name": "Ida", "kind": "cat"})
    assert second == (f"Pet 2 of {tmp_path / 'pets.toml'}", {"name": "Bo"})


def test_an_empty_file_has_no_entries(tmp_path: Path) -> None:
    assert read(tmp_path, b"") == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[[pet]", "The list of pets is not TOML: "),
        (b'[[pet]]\nname = "\xff"', "The list of pets is not TOML: "),
        (b"count = 1", r"The list of pets may hold nothing but \[\[pet\]\] entries\.$"),
        (b'pet = "Ida"', "may hold nothing but"),
        (b"pet = [1]", r"Pet 1 of .*pets\.toml is not a table of strings\.$"),
        (b'[[pet]]\nname = "Ida"\n[[pet]]\nname = 2', r"Pet 2 of .* is not a table of strings\.$"),
        (b'[[pet]]\nsize = "L"\nage = "3"', r"Pet 1 of .* has age, size; it takes: kind, name\.$"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read(tmp_path, content)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"^The list of pets cannot be read\.$"):
        list(read_entries(tmp_path / "none.toml", "pet", {"name"}, "The list of pets"))
