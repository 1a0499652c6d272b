"""The command line: `lodge crawl`, `index`, `ask`, `serve` and the rest.

Results go to standard output, progress and warnings to standard error; `--json` prints one JSON document.
What a command alone needs is imported by it: `lodge --help` and `lodge ask` should not wait for the rest.
"""

from __future__ import annotations

import os

import click

from server.cli import editing, judging, measuring, pages, records, scoring, serving, training
from server.cli.options import LodgeGroup
from server.settings import Settings


@click.group(cls=LodgeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lodge")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers a university's visitors from the university's own pages."""
    context.obj = Settings.read(os.environ)


for command in (
    pages.crawl,
    pages.index,
    pages.snapshots,
    pages.publish,
    pages.rollback,
    pages.typesense,
    serving.ask,
    serving.serve,
    serving.sites,
    serving.admin,
    editing.curated,
    editing.notice,
    editing.golden,
    records.token,
    records.purge,
    measuring.evaluate,
    measuring.calibrate,
    measuring.bench,
    scoring.scorecard,
    training.train,
):
    main.add_command(command)

measuring.evaluate.add_command(judging.judge_answers)
measuring.evaluate.add_command(judging.head_to_head)
measuring.evaluate.add_command(judging.expert_sheet)
measuring.evaluate.add_command(judging.scored_sheet)
