"""What the command line prints: results on standard output, progress and warnings on standard error."""
# ruff: noqa: PLC0415  (rich takes a tenth of a second that `--json` does not need)

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

LINE_EVERY_S = 0.5
Show = Callable[[int, int | None, Sequence[int]], None]


@contextmanager
def progress(what: str, counters: Sequence[str], *, as_lines: bool = False) -> Iterator[Show]:
    """A bar on standard error; call it with how many are done, of how many, and the counters' values.

    `as_lines`: for a program that watches, a JSON object a line, `done`, `total` and the counters.
    """
    if as_lines:
        yield _in_lines(counters)
        return
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


def _in_lines(counters: Sequence[str]) -> Show:
    """A line now and then: whoever watches does not read faster."""
    said_at = -LINE_EVERY_S

    def show(done: int, total: int | None, values: Sequence[int]) -> None:
        nonlocal said_at
        now = time.monotonic()
        if now - said_at >= LINE_EVERY_S:
            said_at = now
            counted = dict(zip(counters, values, strict=True))
            click.echo(json.dumps({"done": done, "total": total, **counted}), err=True)

    return show


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


def print_evaluation(run: Any, *, failures: bool) -> None:
    """A run of `lodge eval`, as tables; with `failures` also the questions that were not answered right."""
    evaluation = run.evaluation.as_json()
    for result in evaluation["strategies"]:
        click.echo(f"\n{result['strategy']}, {_questions(run)}")
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
    _print_comparisons(evaluation["comparisons"])
    if failures:
        for result in run.evaluation.strategies:
            print_failures(result.strategy, result.outcomes)


def _questions(run: Any) -> str:
    broken = run.made_with.broken_lines
    left_out = f" ({broken} line{'' if broken == 1 else 's'} of the file left out)" if broken else ""
    return f"{run.evaluation.questions} questions{left_out}"


def _print_comparisons(comparisons: Sequence[Mapping[str, Any]], *, between: bool = True) -> None:
    """A row a metric; `between` says in each what is compared."""
    print_table(
        [*(["", ""] if between else []), "metric", "difference", "95 % interval", "verdict"],
        [
            [
                *([c["a"], c["b"]] if between else []),
                c["metric"],
                f"{c['delta']:+.3f}",
                f"{c['low']:+.3f} – {c['high']:+.3f}",
                c["verdict"],
            ]
            for c in comparisons
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


def print_sheet(facts: Sequence[tuple[str, str]], tables: Sequence[Any], notes: Sequence[str]) -> None:
    """Facts, tables with a caption, `headers` and `rows`, and sentences below them."""
    for name, value in facts:
        click.echo(f"{name}: {value}")
    for table in tables:
        click.echo(f"\n{table.caption}")
        print_table(table.headers, table.rows)
    for sentence in notes:
        click.echo(f"- {sentence}")


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


def print_run_comparison(comparison: Mapping[str, Any], limit: int) -> None:
    """The JSON object of `lodge eval compare`, with at most so many of the questions that changed."""
    of = comparison["questions"]
    click.echo(f"{comparison['a']} → {comparison['b']}: {of['shared']} questions shared", nl=False)
    click.echo(f", {of['only_a']} only in the first, {of['only_b']} only in the second")
    if comparison["differences"]:
        rows = [[name, str(d["a"]), str(d["b"])] for name, d in comparison["differences"].items()]
        print_table(["made with", comparison["a"], comparison["b"]], rows)
    for strategy, comparisons in comparison["comparisons"].items():
        click.echo(f"\n{strategy}")
        _print_comparisons(comparisons, between=False)
    changes = comparison["changes"]
    click.echo(f"\n{len(changes)} came out differently{_shown(len(changes), limit)}")
    for change in changes[:limit]:
        _print_change(change)


def _shown(changes: int, limit: int) -> str:
    return f"; the first {limit} of them (--limit shows more, --json all)" if changes > limit else ""


def _print_change(change: Mapping[str, Any]) -> None:
    a, b = change["a"], change["b"]
    click.echo(f"\n[{change['direction']}] {change['strategy']} · {change['id']} · {change['question']}")
    click.echo(f"  gold at {a['gold_rank'] or '–'} → {b['gold_rank'] or '–'}", nl=False)
    click.echo(f"; {a['verdict'].replace('_', ' ')} → {b['verdict'].replace('_', ' ')}")
    if a["answer"] != b["answer"]:
        click.echo(f"  was: {a['answer']}\n  now: {b['answer']}")
    rows = [
        [
            str(p["rank_a"] or "–"),
            str(p["rank_b"] or "–"),
            "gold" if p["gold"] else "",
            p["url"],
            p["snippet"],
        ]
        for p in change["passages"]
    ]
    print_table(["was", "now", "", "page", "passage"], rows)


def print_calibration(calibration: Mapping[str, Any]) -> None:
    """The JSON object of `lodge calibrate`: what to do about each setting, why, and the lines to set."""
    click.echo(f"{calibration['strategy']}, {calibration['questions']} questions", nl=False)
    click.echo(f", {calibration['folds']} folds, snapshot {calibration['snapshot']}")
    for one in calibration["parameters"]:
        folds = ", ".join(f"{choice:g}" for choice in one["folds"])
        click.echo(f"\n{one['setting']}: {one['reason']}")
        click.echo(f"  {one['objective']} of {one['questions']} questions")
        click.echo(f"  now         {one['present']:<6g}  {_interval(one['present_figure'])}")
        click.echo(
            f"  chosen      {one['chosen']:<6g}  {_interval(one['held_out'])} held out; by fold: {folds}"
        )
        click.echo(f"  difference          {_interval(one['delta'], '+')}: {one['verdict']}")
    for sentence in calibration["left_out"]:
        click.echo(f"\n{sentence}")
    click.echo()
    for one in calibration["parameters"]:
        click.echo(f"{one['setting']} = {one['recommended']:g}")


def _interval(figure: Mapping[str, float], sign: str = "") -> str:
    return f"{figure['value']:{sign}.3f} ({figure['low']:{sign}.3f} – {figure['high']:{sign}.3f})"


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as the terminal; what stands in it is text, whatever brackets it has.

    Into a file or a pipe it goes as Markdown, a line a row: nobody can make that wider, so nothing is cut.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table

    console = Console(markup=False, emoji=False, highlight=False)
    if console.is_terminal:
        table = Table(*(Column(head, overflow="fold") for head in headers))
    else:
        rows = [[" ".join(cell.split()) for cell in row] for row in rows]
        widest = (max(map(len, column)) for column in zip(headers, *rows, strict=True))
        console.width = 2 * sum(widest) + 4 * len(headers)  # some characters are two columns wide
        table = Table(*(Column(head, no_wrap=True) for head in headers), box=box.MARKDOWN)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def print_either(document: Any, as_json: bool, text: str) -> None:
    """The JSON document, or the lines for a person."""
    print_json(document) if as_json else click.echo(text)


def print_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, none: str) -> None:
    """Rows as JSON, or as a table of their keys; for no rows, a sentence."""
    if as_json or not rows:
        print_either(rows, as_json, none)
        return
    cells = [["" if value is None else str(value) for value in row.values()] for row in rows]
    print_table(list(rows[0]), cells)


def warn(message: str) -> None:
    """Something was left out; the work goes on."""
    click.echo(f"Warning: {message}", err=True)


def note(message: str) -> None:
    """What is being done now."""
    click.echo(message, err=True)
