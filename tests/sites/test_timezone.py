from __future__ import annotations

import pytest

from server.errors import BadInputError
from server.settings import Settings
from server.sites.site import SiteDefaults, read_site
from server.variables import SettingError
from server.wiring.flow import _zone


def test_a_site_may_have_its_own_time_zone() -> None:
    defaults = SiteDefaults("Example University")
    assert (
        read_site("main", {"timezone": "America/New_York"}, defaults, "sites.toml").timezone
        == "America/New_York"
    )
    assert read_site("main", {}, defaults, "sites.toml").timezone == ""


@pytest.mark.parametrize("name", ["Vermont", "America/Nowhere", "../etc/passwd"])
def test_a_time_zone_that_there_is_none_of_is_told(name: str) -> None:
    with pytest.raises(BadInputError, match="site main: timezone"):
        read_site("main", {"timezone": name}, SiteDefaults("Example University"), "sites.toml")
    with pytest.raises(SettingError, match="LODGE_TIMEZONE"):
        _zone(Settings.read({"LODGE_TIMEZONE": name}).timezone)
