"""What is kept: who may use the admin API (`lodge token`), what is kept too long (`lodge purge`)."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from server.cli.options import json_option, open_records, pass_settings
from server.settings import Settings
from server.terminal import print_json, print_rows, print_table


@click.group()
def token() -> None:
    """Create, list and revoke tokens of the admin API."""


@token.command("create")
@click.argument("name")
@click.option("--role", default="viewer", show_default=True, help="owner, viewer, editor or developer.")
@click.option("--days", default=90, show_default=True, type=click.IntRange(1), help="Valid for so long.")
@pass_settings
def create_token(settings: Settings, name: str, role: str, days: int) -> None:
    """Make a token and print it, this once."""
    with open_records(settings) as records:
        click.echo(records.tokens.create(name, role, days))


@token.command("list")
@json_option
@pass_settings
def list_tokens(settings: Settings, as_json: bool) -> None:
    """List the tokens; what they are is not kept."""
    with open_records(settings) as records:
        rows = [
            {
                "name": t.name,
                "role": t.role,
                "expires_at": t.expires_at.isoformat(),
                "revoked_at": t.revoked_at and t.revoked_at.isoformat(),
                "last_used_at": t.last_used_at and t.last_used_at.isoformat(),
            }
            for t in records.tokens.all()
        ]
    print_rows(rows, as_json, "No tokens yet; `lodge token create NAME` makes one.")


@token.command("revoke")
@click.argument("name")
@pass_settings
def revoke_token(settings: Settings, name: str) -> None:
    """Make a token worthless at once."""
    with open_records(settings) as records:
        records.tokens.revoke(name)
    click.echo(f"{name} is revoked.")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only count.")
@json_option
@pass_settings
def purge(settings: Settings, dry_run: bool, as_json: bool) -> None:
    """Remove what is older than the `LODGE_KEEP_…` settings say; a running server does it daily."""
    from server.workbench.conversations.retention_store import keep_of  # noqa: PLC0415  (see server/cli/__init__.py)

    keep = keep_of(settings)
    with open_records(settings) as records:
        counts = records.retention.purge(keep, datetime.now(UTC), dry_run=dry_run)
    if as_json:
        print_json({"dry_run": dry_run, "removed": counts})
        return
    days = {name: getattr(keep, name) for name in counts}
    rows = [[name, f"{days[name]} days" if days[name] else "for ever", str(n)] for name, n in counts.items()]
    print_table(["records", "kept", "to be removed" if dry_run else "removed"], rows)
