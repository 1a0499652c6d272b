"""The process that reads one document: its bytes on standard input, HTML on standard output.

    python -m server.ingest.documents.convert application/pdf < handbook.pdf

A feed's items come as JSON, and a calendar takes a day and a time zone besides.

Exit status 3: it cannot be read, and standard output has the reason, one of `failures.WHY`.
"""

from __future__ import annotations

import logging
import resource
import sys
from collections.abc import Callable, Mapping

from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.read import (
    ATOM,
    CALENDAR,
    DOCX,
    MAX_MEMORY,
    MAX_SECONDS,
    PDF,
    PPTX,
    RSS,
    UNREADABLE,
)


def converters() -> Mapping[str, Callable[..., str]]:
    """What reads a media type; a calendar is read with a day and a time zone."""
    from server.ingest.documents.calendar_file import calendar_as_html  # noqa: PLC0415 - within the limits
    from server.ingest.documents.feed_file import feed_as_json  # noqa: PLC0415
    from server.ingest.documents.office import docx_as_html, pptx_as_html  # noqa: PLC0415
    from server.ingest.documents.pdf import pdf_as_html  # noqa: PLC0415

    read = {PDF: pdf_as_html, DOCX: docx_as_html, PPTX: pptx_as_html}
    return {**read, CALENDAR: calendar_as_html, RSS: feed_as_json, ATOM: feed_as_json}


def main() -> None:
    """Read one document, within limits of time and memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable()
    body = sys.stdin.buffer.read()
    try:
        html = converters()[sys.argv[1]](body, *sys.argv[2:])
    except UnreadableDocumentError as error:
        _give_up(error.reason)
    except MemoryError:
        _give_up("too_large")
    except RecursionError:
        _give_up("damaged")
    else:
        sys.stdout.buffer.write(html.encode("utf-8", "replace"))


def _give_up(reason: str) -> None:
    sys.stdout.write(reason)
    sys.exit(UNREADABLE)


if __name__ == "__main__":
    main()
