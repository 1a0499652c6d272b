"""A writer of small PDFs (ISO 32000-1): text where it is put, rules, a title, a form."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 612, 792
BODY = 11.0
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"


@dataclass(frozen=True)
class Text:
    """A line of text; `x` and `y` in points from the upper left corner."""

    x: float
    y: float
    words: str
    size: float = BODY
    bold: bool = False


@dataclass(frozen=True)
class Rule:
    """A straight line from one place to another."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class Picture:
    """A grey picture, a byte a pixel, that fills the page."""

    width: int
    height: int
    pixels: bytes


def paragraph(x: float, y: float, *lines: str, size: float = BODY, bold: bool = False) -> list[Text]:
    """Lines below each other."""
    return [Text(x, y + 1.2 * size * place, line, size, bold) for place, line in enumerate(lines)]


def grid(x: float, y: float, widths: Sequence[float], rows: Sequence[Sequence[str]]) -> list[Text | Rule]:
    """A ruled table."""
    edges = [x + sum(widths[:place]) for place in range(len(widths) + 1)]
    heights = [y + 20 * place for place in range(len(rows) + 1)]
    drawn: list[Text | Rule] = [Rule(edge, heights[0], edge, heights[-1]) for edge in edges]
    drawn += [Rule(edges[0], height, edges[-1], height) for height in heights]
    for place, row in enumerate(rows):
        drawn += [Text(edges[column] + 4, heights[place] + 14, cell) for column, cell in enumerate(row)]
    return drawn


def pdf_of(
    *pages: Sequence[Text | Rule | Picture], title: str = "", form: bool = False, locked: bool = False
) -> bytes:
    """The file's bytes; `locked` asks for a security handler that nobody has."""
    objects: list[bytes] = [b"", b""]

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    fonts = b" ".join(
        b"/F%d %d 0 R" % (place, add(_FONT % name))
        for place, name in enumerate((b"Helvetica", b"Helvetica-Bold"))
    )
    kids = []
    for page in pages:
        pictures = b" ".join(
            b"/I%d %d 0 R" % (place, add(_image(one)))
            for place, one in enumerate(page)
            if isinstance(one, Picture)
        )
        content = add(_stream(b"\n".join(_drawn(place, one) for place, one in enumerate(page))))
        kids.append(
            add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources "
                b"<< /Font << %s >> /XObject << %s >> >> >>" % (WIDTH, HEIGHT, content, fonts, pictures)
            )
        )
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % (b"/AcroForm << /Fields [] >>" if form else b"")
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    info = add(b"<< /Title %s >>" % _string(title))
    extra = b"/Encrypt << /Filter /Nobody /V 1 >> /ID [(a) (a)]" if locked else b""
    return _file(objects, b"/Root 1 0 R /Info %d 0 R %s" % (info, extra))


def _drawn(place: int, one: Text | Rule | Picture) -> bytes:
    match one:
        case Text():
            at = b"/F%d %.1f Tf %.1f %.1f Td" % (one.bold, one.size, one.x, HEIGHT - one.y)
            return b"BT %s %s Tj ET" % (at, _string(one.words))
        case Rule():
            return b"%.1f %.1f m %.1f %.1f l S" % (one.x0, HEIGHT - one.y0, one.x1, HEIGHT - one.y1)
        case Picture():
            return b"q %d 0 0 %d 0 0 cm /I%d Do Q" % (WIDTH, HEIGHT, place)


def _string(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def _image(picture: Picture) -> bytes:
    packed = zlib.compress(picture.pixels)
    about = b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    size = b"/Width %d /Height %d /Length %d" % (picture.width, picture.height, len(packed))
    return b"<< %s %s >>\nstream\n%s\nendstream" % (about, size, packed)


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return data + b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
