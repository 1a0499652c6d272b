"""The crawler's guard: no loopback, link-local or private address unless it was named.

Literal addresses are checked before a request; names where they are resolved, so that what was checked is
what is connected to and a name that changes its mind between the two (DNS rebinding) gains nothing. Behind an
HTTP proxy the proxy resolves, and only literals can be checked here.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]  # it ships no types

_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa")


@dataclass(slots=True)
class AddressGuard:
    """What may be connected to.

    `private_hosts` are `host` or `host:port`; `proxies` are host names, on any port; `refused` are the hosts
    that were stopped when they were resolved.
    """

    private_hosts: frozenset[str] = frozenset()
    proxies: frozenset[str] = frozenset()
    refused: set[str] = field(default_factory=set)

    def allows_host(self, host: str, port: int) -> bool:
        """Before a request: False for a literal address, or a name for this machine, that was not named."""
        if self._named(host, port):
            return True
        address = literal_address(host)
        if address is not None:
            return is_public(address)
        return not any(host == name or host.endswith("." + name) for name in _LOCAL_NAMES)

    def allows_addresses(self, host: str, port: int, addresses: Iterable[str]) -> bool:
        """After a look-up: every address must be public, else the host is refused."""
        if self._named(host, port) or host in self.proxies:
            return True
        if all(is_public(ipaddress.ip_address(text.partition("%")[0])) for text in addresses):
            return True
        self.refused.add(host)
        return False

    def _named(self, host: str, port: int) -> bool:
        bracketed = f"[{host}]" if ":" in host else host
        return bool({host, bracketed, f"{bracketed}:{port}"} & self.private_hosts)


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address a host name spells, in any way the system reads one (`127.1`, `0x7f000001`), or None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether the address, or the IPv4 address inside it (mapped, 6to4, NAT64), is on the public Internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _nat64(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in ipaddress.IPv6Network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def proxy_hosts(proxies: Mapping[str, str]) -> frozenset[str]:
    """The host names of `urllib.request.getproxies()`."""
    urls = (url if "://" in url else f"http://{url}" for url in proxies.values())
    return frozenset(host for url in urls if (host := urlsplit(url).hostname))


@implementer(IHostnameResolver)
class GuardedResolver:
    """A name resolver that gives no address of a host with one the guard refuses."""

    def __init__(self, inner: Any, guard: AddressGuard) -> None:
        self._inner = inner
        self._guard = guard

    def resolveHostName(  # noqa: N802  (Twisted's interface)
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Resolve as the inner resolver does; a refused host resolves to nothing."""
        receiver = _GuardedReceiver(resolutionReceiver, self._guard, hostName, portNumber)
        resolution: IHostResolution = self._inner.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return resolution


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Holds the addresses back until all are known, then passes on all or none."""

    def __init__(self, receiver: Any, guard: AddressGuard, host: str, port: int) -> None:
        self._receiver = receiver
        self._guard = guard
        self._host = host
        self._port = port
        self._addresses: list[IPv4Address | IPv6Address] = []

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:  # noqa: N802, N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IPv4Address | IPv6Address) -> None:  # noqa: N802
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        if self._guard.allows_addresses(self._host, self._port, (a.host for a in self._addresses)):
            for address in self._addresses:
                self._receiver.addressResolved(address)
        self._receiver.resolutionComplete()
