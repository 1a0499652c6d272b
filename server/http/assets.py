"""The static files: read once, named by their content's hash, compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litestar import Request, Response, Router, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from server.errors import NotFoundError

STATIC_DIR = Path(__file__).parents[1] / "visitor" / "static"
_YEAR = "public, max-age=31536000, immutable"
_TEXT = ("text/", "application/json", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Asset:
    """A file's bytes. `version` is the start of its SHA-256; `packed` is gzip, where that is worth it."""

    body: bytes
    packed: bytes | None
    media_type: str
    version: str


@dataclass(frozen=True, slots=True)
class Assets:
    """All static files by their path under the folder, with forward slashes."""

    files: Mapping[str, Asset]

    @classmethod
    def read(cls, folder: Path = STATIC_DIR) -> Assets:
        """Everything under the folder. They are few and small: the whole of it stays in memory."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls({path.relative_to(folder).as_posix(): _asset(path) for path in paths})

    def url(self, name: str) -> str:
        """The address that changes whenever the file does."""
        return f"/static/{name}?v={self[name].version}"

    def __getitem__(self, name: str) -> Asset:
        try:
            return self.files[name]
        except KeyError:
            raise NotFoundError("There is no such file.") from None


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = gzip.compress(body, mtime=0) if media_type.startswith(_TEXT) else None
    return Asset(body, packed, media_type, hashlib.sha256(body).hexdigest()[:16])


@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static_file(
    request: Request[Any, Any, Any],
    assets: NamedDependency[Assets],
    name: FromPath[str],
    v: FromQuery[str] = "",
) -> Response[bytes]:
    """A file by its path."""
    return asset_response(request, assets[name.lstrip("/")], v)


def asset_response(request: Request[Any, Any, Any], asset: Asset, version: str) -> Response[bytes]:
    """The file for good where its own version was asked for, otherwise to be checked each time."""
    return send_asset(request, asset, _YEAR if version == asset.version else "no-cache")


def send_asset(request: Request[Any, Any, Any], asset: Asset, caching: str) -> Response[bytes]:
    """The file, compressed for those who take it, or a 304 for those who have it."""
    etag = f'"{asset.version}"'
    headers = {"ETag": etag, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    body = asset.body
    if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = asset.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)


def asset_router() -> Router:
    """The static files."""
    return Router("/", route_handlers=[static_file])
