"""DOCX and PPTX as HTML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from html import escape
from typing import Any

import mammoth  # type: ignore[import-untyped]  # it ships no types
from pptx import Presentation
from pptx.exc import PackageNotFoundError

from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.read import OLE

MAX_UNPACKED = 300_000_000  # a small archive can unpack to much more


def docx_as_html(body: bytes) -> str:
    """The document's headings, paragraphs, lists and tables; pictures are left out."""
    _look_inside(body)
    try:
        found = mammoth.convert_to_html(
            io.BytesIO(body),
            convert_image=mammoth.images.img_element(lambda _: {}),
            external_file_access=False,
        )
    except (KeyError, ValueError, zipfile.BadZipFile, SyntaxError) as error:
        raise UnreadableDocumentError("damaged") from error
    return f"<body>{found.value}</body>"


def pptx_as_html(body: bytes) -> str:
    """Each slide as a section below its title: texts, lists, tables and the speaker's notes."""
    _look_inside(body)
    try:
        slides = list(Presentation(io.BytesIO(body)).slides)
    except (KeyError, ValueError, PackageNotFoundError, zipfile.BadZipFile, SyntaxError) as error:
        raise UnreadableDocumentError("damaged") from error
    return f"<body>{''.join(part for slide in slides for part in _slide(slide))}</body>"


def _look_inside(body: bytes) -> None:
    if body.startswith(OLE):
        raise UnreadableDocumentError("encrypted")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise UnreadableDocumentError("damaged") from error
    if size > MAX_UNPACKED:
        raise UnreadableDocumentError("too_large")


def _slide(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        yield f"<h2>{_on_one_line(title.text_frame.text)}</h2>"
    shapes = sorted(slide.shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            yield from _texts(shape.text_frame)
        elif getattr(shape, "has_table", False):
            yield _table(shape.table)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from _texts(slide.notes_slide.notes_text_frame)


def _texts(frame: Any) -> Iterator[str]:
    """One paragraph as such, several as a list."""
    texts = [text for paragraph in frame.paragraphs if (text := _on_one_line(paragraph.text))]
    if len(texts) == 1:
        yield f"<p>{texts[0]}</p>"
    elif texts:
        yield f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>"


def _table(table: Any) -> str:
    rows = []
    for number, row in enumerate(table.rows):
        tag = "th" if number == 0 and table.first_row else "td"
        rows.append("".join(f"<{tag}>{_on_one_line(cell.text)}</{tag}>" for cell in row.cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _on_one_line(text: str) -> str:
    return escape(" ".join(text.split()))
