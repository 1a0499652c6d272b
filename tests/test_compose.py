"""compose.yaml as far as a parser can tell: a profile, a pinned image, a key from outside, loopback alone."""

from __future__ import annotations

import re
from typing import Any

import yaml

from server.settings import PREFIX, PROJECT, Settings

TABLE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text(encoding="utf-8"))


def test_every_service_waits_for_its_profile() -> None:
    """`docker compose up` alone starts nothing: Lodge needs no other server."""
    assert all(service["profiles"] == [name] for name, service in TABLE["services"].items())


def test_images_are_pinned_and_ports_are_on_loopback() -> None:
    for service in TABLE["services"].values():
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+(\.\d+)?", service["image"])
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_keys_come_from_the_settings_variables_and_have_no_default() -> None:
    named = re.findall(r"\$\{(\w+)([^}]*)\}", str(TABLE))
    assert named == [("LODGE_TYPESENSE_KEY", ":-")]
    assert all(hasattr(Settings(), name.removeprefix(PREFIX).lower()) for name, _ in named)


def test_what_a_service_keeps_is_in_a_volume() -> None:
    for service in TABLE["services"].values():
        assert {volume.split(":")[0] for volume in service["volumes"]} <= set(TABLE["volumes"])
