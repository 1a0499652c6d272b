"""Tables on standard output: whole where they go into a file, and no cell loses its end on a terminal."""

from __future__ import annotations

import pytest

from server.terminal import print_table

NAME = "hybrid+rerank+topics+multiquery+llmrerank"
TEXT = "A sentence of an answer that is longer than any terminal is wide, " * 3


def test_into_a_file_a_table_is_markdown_a_line_a_row_with_nothing_cut(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(["strategy", "metric", "answer"], [[NAME, "f1", TEXT + "\nend"], ["日本", "x" * 90, "[1]"]])
    head, rule, first, second = [line.strip() for line in capsys.readouterr().out.strip().splitlines()]
    assert [cell.strip() for cell in head.strip("|").split("|")] == ["strategy", "metric", "answer"]
    assert set(rule) == {"|", "-"}
    assert [cell.strip() for cell in first.strip("|").split("|")] == [NAME, "f1", f"{TEXT}end"]
    assert [cell.strip() for cell in second.strip("|").split("|")] == ["日本", "x" * 90, "[1]"]


def test_on_a_narrow_terminal_a_long_cell_is_broken_and_not_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    print_table(["strategy", "metric"], [[NAME, "refusal_auroc"]])
    out = capsys.readouterr().out
    assert "…" not in out
    cells = [line.split("│")[1].strip() for line in out.splitlines() if line.count("│") == 3]
    assert "".join(cells) == NAME
