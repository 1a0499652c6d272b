"""Who calls, and by what scheme: what the trusted proxies before the server say of it.

Each of `hops` proxies adds the address that it was called from to `X-Forwarded-For`, and says in
`X-Forwarded-Proto` by which scheme. With none neither header is believed.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from litestar.connection import ASGIConnection
from litestar.types import Scope

Connection = ASGIConnection[Any, Any, Any, Any]

_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]{7,15}):[0-9]{1,5}")


def caller_of(connection: Connection, hops: int) -> str | None:
    """The address that calls; None where there is none, as on a Unix socket."""
    client = connection.client.host if connection.client else None
    if not hops:
        return client
    # Some proxies add to the line that is there, others (HAProxy) a line below it.
    named = _listed(",".join(connection.headers.getall("x-forwarded-for", [])))
    return _without_port(named[-hops]) if len(named) >= hops else client


def scheme_of(scope: Scope, hops: int) -> str:
    """`https` where the visitor's browser, or the proxy that it talks to, says so."""
    if hops:
        told = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-proto")
        named = _listed(told.decode("latin-1").lower())
        if named:
            scheme = named[-hops] if len(named) >= hops else named[0]
            return scheme if scheme in ("http", "https") else scope["scheme"]
    return scope["scheme"]


def is_loopback(host: str) -> bool:
    """Whether it is an address of this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_of(address: str) -> str:
    """What one caller has at least: an IPv4 address as it is, the /64 of an IPv6 address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        inner = known.ipv4_mapped
        return str(inner) if inner else str(ipaddress.ip_network((known, 64), strict=False))
    return str(known)


def _without_port(address: str) -> str:
    """Some proxies add the caller's port, which is another for every connection, or brackets."""
    match = _WITH_PORT.fullmatch(address)
    return (match[1] or match[2]) if match else address


def _listed(header: str) -> list[str]:
    return [one.strip() for one in header.split(",") if one.strip()]
