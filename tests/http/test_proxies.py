"""Whose a request is: what the trusted proxies say, and nothing that a visitor writes before it."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar.connection import ASGIConnection

from server.http.limits import Limiter, LimitOptions
from server.http.middleware import caller_of, network_of, scheme_of

ADDRESSES = st.ip_addresses().map(str)
PROXY = "192.0.2.1"  # the last one, which is connected to us
# What a header can hold; most of it nearly a list of addresses.
FORGED = st.text("0123456789abcdef.:,[]% \t\"';=-_é\xff", max_size=40) | ADDRESSES
WRITTEN: list[Any] = [
    str,
    lambda address: f"[{address}]:4711" if ":" in address else f"{address}:4711",
    lambda address: f"[{address}]" if ":" in address else address,
    lambda address: f"  {address}\t",
]


def connection(lines: list[str], name: str = "x-forwarded-for") -> ASGIConnection[Any, Any, Any, Any]:
    headers = [(name.encode(), line.encode("latin-1")) for line in lines]
    return ASGIConnection({"type": "http", "client": (PROXY, 1), "headers": headers, "scheme": "http"})  # type: ignore[arg-type]


@given(
    st.lists(FORGED, max_size=3),
    st.lists(ADDRESSES, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(WRITTEN),
)
def test_the_caller_is_whom_the_first_trusted_proxy_saw(
    forged: list[str], seen: list[str], one_line: bool, written: Any
) -> None:
    """Whatever the visitor has sent, as one line or several: each proxy adds whom it saw after it."""
    added = [written(address) for address in seen]
    lines = [",".join([*forged, *added])] if one_line else [*forged, *added]
    assert caller_of(connection(lines), len(seen)) == seen[0]


@given(st.lists(FORGED, max_size=3), st.integers(0, 5))
def test_without_a_proxy_nothing_is_believed_and_with_one_nothing_is_raised(
    forged: list[str], hops: int
) -> None:
    assert caller_of(connection(forged), 0) == PROXY
    caller = caller_of(connection(forged), hops)
    assert caller
    assert network_of(caller)
    assert scheme_of(connection(forged, "x-forwarded-proto").scope, hops) in ("http", "https")


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
def test_who_has_a_network_is_one_caller_to_the_limits(address: ipaddress.IPv6Address, other: int) -> None:
    """A visitor's /64 has more addresses than any limit counts."""
    limiter = Limiter(LimitOptions(trusted_hops=1))
    neighbour = ipaddress.IPv6Address(int(address) >> 64 << 64 | other)
    if address.ipv4_mapped is None and neighbour.ipv4_mapped is None:
        one, two = (limiter.address_of(connection([str(each)])) for each in (address, neighbour))
        assert one == two


@pytest.mark.parametrize("port", ["", ":1", ":65535"])
def test_a_port_makes_no_other_caller(port: str) -> None:
    limiter = Limiter(LimitOptions(trusted_hops=1))
    assert limiter.address_of(connection([f"198.51.100.7{port}"])) == "198.51.100.7"
