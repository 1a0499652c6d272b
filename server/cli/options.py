"""What commands have in common: options, and how an error is told."""

from __future__ import annotations

from typing import Any

import click

from server.parts import LodgeError
from server.variables import SettingError

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
pass_settings = click.pass_obj
preset_option = click.option("--preset", metavar="NAME", help="Cut pages as brockport, cmu or princeton did.")


class LodgeGroup(click.Group):
    """Turns what we raise on purpose into a sentence and exit status 1."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except (LodgeError, SettingError) as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'The system'}: {error.strerror or error}."
            ) from error
        except KeyboardInterrupt:
            raise click.ClickException("Stopped.") from None


def _split(_context: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    """`"semantic, hybrid"` → `["semantic", "hybrid"]`."""
    return [name.strip() for name in text.split(",") if name.strip()]


strategies_option = click.option(
    "--strategies",
    default="semantic,keyword,hybrid,hybrid+rerank",
    show_default=True,
    callback=_split,
    help="Separated by commas.",
)
