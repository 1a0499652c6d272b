"""What commands have in common: options, and how an error is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from server.settings import Settings
from server.variables import SettingError
from server.wiring import LodgeError

if TYPE_CHECKING:
    from server.workbench.records import Records

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
pass_settings = click.pass_obj
preset_option = click.option("--preset", metavar="NAME", help="Cut pages as brockport, cmu or princeton did.")

# A library → the extra of pyproject.toml that brings it.
EXTRAS = {
    "scrapy": "crawl",
    "twisted": "crawl",
    "zope": "crawl",
    "protego": "crawl",
    "lxml": "crawl",
    "ftfy": "crawl",
    "py3langid": "crawl",
    "datasketch": "crawl",
    "onnx": "crawl",
    "streamlit": "console",
    "pandas": "console",
    "ir_measures": "evaluate",
    "altair": "evaluate",
    "vl_convert": "evaluate",
    "typesense": "typesense",
    "psycopg": "postgres",
    "redis": "redis",
    "playwright": "render",
}


class LodgeGroup(click.Group):
    """Turns what we raise on purpose into a sentence and exit status 1."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except (LodgeError, SettingError) as error:
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as error:
            library = (error.name or "").partition(".")[0]
            if library not in EXTRAS:
                raise
            raise click.ClickException(
                f"{library} is not installed; it comes with Lodge's extra {EXTRAS[library]!r}: "
                f'pip install -e ".[{EXTRAS[library]}]" in Lodge\'s folder.'
            ) from error
        except OSError as error:
            raise click.ClickException(
                f"{error.filename or 'The system'}: {error.strerror or error}."
            ) from error
        except KeyboardInterrupt:
            raise click.ClickException("Stopped.") from None


@contextmanager
def open_records(settings: Settings) -> Iterator[Records]:
    """The records, open for one command."""
    from server.wiring.opening import build_records  # noqa: PLC0415  (see server/cli/__init__.py)

    with closing(build_records(settings)) as records:
        yield records


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
