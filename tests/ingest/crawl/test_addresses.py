"""The private-address guard."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

import pytest
from twisted.internet.address import IPv4Address, IPv6Address

from server.ingest.crawl.fetch import GuardedResolver
from server.ingest.crawl.urls import AddressGuard, is_public, literal_address, proxy_hosts

PRIVATE_4 = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"]
PRIVATE_6 = ["::1", "::", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"]


@pytest.mark.parametrize("address", [*PRIVATE_4, *PRIVATE_6, "224.0.0.1", "255.255.255.255"])
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"])
def test_every_way_to_spell_the_loopback(host: str) -> None:
    assert str(literal_address(host)) == "127.0.0.1"
    assert not AddressGuard().allows_host(host, 80)


def test_names_for_this_machine_are_refused_and_others_left_to_the_look_up() -> None:
    guard = AddressGuard()
    assert not guard.allows_host("localhost", 80)
    assert not guard.allows_host("db.internal", 80)
    assert guard.allows_host("www.example.edu", 80)


def test_a_named_host_is_allowed_on_the_named_port() -> None:
    guard = AddressGuard(frozenset({"127.0.0.1:8090", "intranet", "[::1]:80"}))
    assert guard.allows_host("127.0.0.1", 8090)
    assert not guard.allows_host("127.0.0.1", 22)
    assert guard.allows_addresses("intranet", 443, ["10.0.0.1"])
    assert guard.allows_host("::1", 80)


def test_proxies_by_name() -> None:
    assert proxy_hosts({"http": "http://127.0.0.1:9009", "https": "proxy.example:3128"}) == {
        "127.0.0.1",
        "proxy.example",
    }


class _Inner:
    """A resolver that knows one answer."""

    def __init__(self, *addresses: IPv4Address | IPv6Address) -> None:
        self.addresses = addresses

    def resolveHostName(self, receiver: Any, *_: Any) -> Any:  # noqa: N802  (Twisted's interface)
        receiver.resolutionBegan(None)
        for address in self.addresses:
            receiver.addressResolved(address)
        receiver.resolutionComplete()


class _Receiver:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.got: list[str] = []

    def resolutionBegan(self, _: Any) -> None:  # noqa: N802
        self.got.append("began")

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self.got.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self.got.append("complete")


def resolve(guard: AddressGuard, hosts: Sequence[str]) -> list[str]:
    receiver = _Receiver()
    inner = _Inner(*(IPv4Address("TCP", host, 80) for host in hosts))
    GuardedResolver(inner, guard).resolveHostName(receiver, "rebound.example", 80)  # type: ignore[arg-type]
    return receiver.got


def test_a_name_with_one_private_address_resolves_to_nothing() -> None:
    guard = AddressGuard()
    assert resolve(guard, ["8.8.8.8", "127.0.0.1"]) == ["began", "complete"]
    assert guard.refused == {"rebound.example"}


def test_a_public_name_resolves_as_ever() -> None:
    assert resolve(AddressGuard(), ["8.8.8.8", "1.1.1.1"]) == ["began", "8.8.8.8", "1.1.1.1", "complete"]


def test_a_named_private_name_resolves() -> None:
    guard = AddressGuard(frozenset({"rebound.example"}))
    assert resolve(guard, ["10.0.0.1"]) == ["began", "10.0.0.1", "complete"]
