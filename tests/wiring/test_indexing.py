from pathlib import Path

from server.wiring.indexing import rendered_addresses
from tests import small_site


def test_what_is_rendered_lies_below_the_paths_of_a_site_on_each_of_its_origins(tmp_path: Path) -> None:
    (tmp_path / "sites.toml").touch()
    settings = small_site.settings_for(tmp_path)
    assert rendered_addresses(settings) == ()
    table = """
    [sites.main]
    name = "A"
    origins = ["https://a.example", "https://b.example"]
    render = ["/apply/"]
    [sites.library]
    name = "B"
    origins = ["https://c.example"]
    """
    (tmp_path / "sites.toml").write_text(table, encoding="utf-8")
    assert rendered_addresses(settings) == ("https://a.example/apply/", "https://b.example/apply/")
