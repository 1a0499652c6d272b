"""Writes files/campus-map-guide.pdf, the same bytes each time: python -m corpus.demo_site.make_pdf."""

from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "files" / "campus-map-guide.pdf"
TITLE = "Larkmoor University: campus map guide 2026-27"

PAGES = (
    """\
Larkmoor University
Campus map guide, 2026-27

Numbers are those on the signboards. A step-free entrance is one without
stairs or a slope steeper than one in twelve.

 1  Gatehouse          Campus Safety and Parking. Step-free: front.
 2  Founders House     President, Alumni Relations, Honors. Step-free: side
                       door on the green; ring the bell. Second floor has
                       no elevator: ask for a meeting downstairs.
 3  Quarry Hall        Registrar 204, Student Accounts 110, Financial Aid
                       118, Advising 140, Graduate School 310. Step-free:
                       north door. Elevator to all floors.
 4  Birch Hall         Admissions, Accessibility Services 12, International
                       Office 22. Step-free: front, automatic doors.
 5  Finch Library      Library and IT Help Desk. Step-free: ground floor.
 6  Tannery Building   Career Center, Computer Science, Research 305.
                       Step-free: river side. Elevator.
 7  Weld Science Hall  Biology, Chemistry, Environmental Science,
                       Psychology. Step-free: west door. Elevator.
 8  Miller Commons     Housing 101, dining hall, Dean of Students 210.
                       Step-free: all doors.
 9  Larch Hall         English, Education, languages. Step-free: east door.
10  Sutter Hall        Business. Step-free: front.
11  Hartwell Building  Nursing and health sciences. Step-free: all doors.
12  Alder House        Counseling Center and Health Center. Step-free: ramp.
13  Heron Center       Athletics and recreation. Step-free: front.""",
    """\
Finding your way

Lactation rooms: Quarry Hall 216, Miller Commons 120, Hartwell 018.
Ask at the front desk of the building for the code.

Prayer and quiet room: Miller Commons 305, open 7 a.m. to 11 p.m.

All-gender restrooms: every building except Founders House. In Weld, only
on the first floor.

Defibrillators: Gatehouse, Finch Library lobby, Miller Commons servery,
Heron Center desk and pool, Weld lobby, Hartwell second floor.

Showing visitors round: groups of more than ten should tell Admissions a
week ahead, (802) 555-0110.

Winter: the steps between Finch Library and Larch Hall are closed from the
first snow until the end of March. Use the ramp behind Quarry Hall. Paths
marked in green are cleared by 6:30 a.m., all others by 9 a.m.

Dogs are welcome on paths, on a lead. Only service animals may come into
buildings.

Bicycles: covered racks stand at Miller Commons, Weld and the Tannery. A
pump and tools hang on the wall of the Gatehouse.

Lots A and B  commuters and staff    Lot C  visitors and staff
Lots D and E  residents              Lot F  any permit, by Tamarack

Printed August 2026. Corrections to web@larkmoor.example.""",
)


def _text(page: str) -> bytes:
    lines = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in page.split("\n"))
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 10.5 Tf 15 TL 72 720 Td\n{shown}\nET".encode("ascii")


def _objects() -> list[bytes]:
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(PAGES)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(PAGES)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({TITLE}) /CreationDate (D:20260803090000Z) >>".encode(),
    ]
    for index, page in enumerate(PAGES):
        content = _text(page)
        where = f"/Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * index} 0 R"
        objects.append(f"<< /Type /Page {where} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return objects


def pdf() -> bytes:
    """The whole file."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(_objects(), start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, count = len(out), len(offsets) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % count
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, start)
    return bytes(out)


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(pdf())
