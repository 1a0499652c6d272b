"""What the command line prints: results on standard output, progress and warnings on standard error."""
# ruff: noqa: PLC0415  (rich takes a tenth of a second that `--json` does not need)

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click


@contextmanager
def progress(
    what: str, counters: Sequence[str]
) -> Iterator[Callable[[int, int | None, Sequence[int]], None]]:
    """A bar on standard error; call it with how many are done, of how many, and the counters' values."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, counts="")

        def show(done: int, total: int | None, values: Sequence[int]) -> None:
            counts = ", ".join(f"{value:,} {name}" for name, value in zip(counters, values, strict=True))
            bar.update(task, completed=done, total=total, counts=counts)

        yield show


def print_json(document: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def print_report(report: Mapping[str, Any], as_json: bool, title: str) -> None:
    """A report as JSON, or as a table of its fields, a table within it as its own rows."""
    if as_json:
        print_json(report)
        return
    rows: list[list[str]] = []
    for key, value in report.items():
        if isinstance(value, Mapping):
            rows += [[f"{key}: {name}", str(inner)] for name, inner in value.items()]
        else:
            rows.append([key, ", ".join(value) if isinstance(value, (list, tuple)) else str(value)])
    print_table([title, ""], rows)


def print_evaluation(evaluation: Mapping[str, Any]) -> None:
    """The contract's JSON object of `lodge eval`, as tables."""
    for result in evaluation["strategies"]:
        click.echo(f"\n{result['strategy']}, {evaluation['questions']} questions")
        print_table(
            ["metric", "value", "95 % interval"],
            [
                [name, f"{m['value']:.3f}", f"{m['low']:.3f} – {m['high']:.3f}"]
                for name, m in result["metrics"].items()
            ],
        )
        print_table(
            ["step", "p50 ms", "p95 ms"],
            [[name, f"{m['p50']:.1f}", f"{m['p95']:.1f}"] for name, m in result["latency_ms"].items()],
        )
    print_table(
        ["", "", "metric", "difference", "95 % interval", "verdict"],
        [
            [
                c["a"],
                c["b"],
                c["metric"],
                f"{c['delta']:+.3f}",
                f"{c['low']:+.3f} – {c['high']:+.3f}",
                c["verdict"],
            ]
            for c in evaluation["comparisons"]
        ],
    )


def print_bench(report: Mapping[str, Any]) -> None:
    """The contract's JSON object of `lodge bench`, as tables with a row or more for each size."""
    sizes = [report, *report.get("growth", ())]
    visitors = list(report["throughput_per_s"])
    print_table(
        ["chunks", "cold start s", "resident MB", *(f"answers/s, {n} at a time" for n in visitors)],
        [
            [
                *(str(size[key]) for key in ("chunks", "cold_start_s", "rss_mb")),
                *(f"{rate:.1f}" for rate in size["throughput_per_s"].values()),
            ]
            for size in sizes
        ],
    )
    print_table(
        ["chunks", "strategy", "p50 ms", "p95 ms", "p99 ms", "before the answer: p50", "p95", "p99"],
        [
            [str(size["chunks"]), name, *_milliseconds(whole), *_milliseconds(size["before_answer_ms"][name])]
            for size in sizes
            for name, whole in size["latency_ms"].items()
        ],
    )


def _milliseconds(latency: Mapping[str, float]) -> list[str]:
    return [f"{value:.1f}" for value in latency.values()]


def print_failures(strategy: str, outcomes: Sequence[Any]) -> None:
    """The questions that were not answered right, with what was answered."""
    rows = [
        [outcome.question.id, outcome.verdict, outcome.question.question, outcome.answer]
        for outcome in outcomes
        if outcome.verdict in ("wrong", "wrongly_refused", "wrongly_answered")
    ]
    click.echo(f"\n{strategy}: {len(rows)} not right")
    print_table(["id", "verdict", "question", "answer"], rows)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*headers)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def warn(message: str) -> None:
    """Something was left out; the work goes on."""
    click.echo(f"Warning: {message}", err=True)


def note(message: str) -> None:
    """What is being done now."""
    click.echo(message, err=True)
