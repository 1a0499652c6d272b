"""Other spellings of a path, each of which some proxy or server would take for the same address."""

from __future__ import annotations

from collections.abc import Iterator


def spellings(path: bytes) -> Iterator[bytes]:
    """As they stand in a request's first line; `path` begins with a slash, and is none of them."""
    yield from (b"/" + path, b"//" + path, path + b"/", path + b"//", path + b"/.", path + b"/x/..")
    yield from (b"/." + path, b"/x/.." + path, b"/.." + path, b"/%2e" + path, b"/x/%2E%2e" + path)
    yield from (b"/%2F" + path[1:], b"%2F" + path[1:], b"\\" + path[1:], b"/%5C" + path[1:])
    yield from (
        path + end for end in (b"%2F", b"%2f", b"%20", b"%00", b"%09", b"%0A", b";", b";a=b", b"#a", b"%3F")
    )
    yield from (path + b"%C0%AF", path + b"%EF%BC%8F", b"http://other" + path, b"/http:/" + path)
    for at, byte in enumerate(path):
        before, after = path[:at], path[at + 1 :]
        if byte == ord("/"):
            if at:
                yield from (
                    before + slash + after
                    for slash in (b"//", b"/./", b"/x/../", b"%2F", b"%2f", b"\\", b";/")
                )
            continue
        yield from (
            before + escaped + after for escaped in (b"%%%02X" % byte, b"%%%02x" % byte, b"%%25%02X" % byte)
        )
