"""What is kept too long: `lodge purge`."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import click

from server.cli.options import json_option, pass_settings
from server.settings import Settings
from server.terminal import print_json, print_table
from server.wiring.opening import build_records
from server.workbench.conversations.retention_store import keep_of


@click.command()
@click.option("--dry-run", is_flag=True, help="Only count.")
@json_option
@pass_settings
def purge(settings: Settings, dry_run: bool, as_json: bool) -> None:
    """Remove what is older than the `LODGE_KEEP_…` settings say; a running server does it daily."""
    keep = keep_of(settings)
    with closing(build_records(settings)) as records:
        counts = records.retention.purge(keep, datetime.now(UTC), dry_run=dry_run)
    if as_json:
        print_json({"dry_run": dry_run, "removed": counts})
        return
    days = {name: getattr(keep, name) for name in counts}
    rows = [[name, f"{days[name]} days" if days[name] else "for ever", str(n)] for name, n in counts.items()]
    print_table(["records", "kept", "to be removed" if dry_run else "removed"], rows)
