from __future__ import annotations

import pytest
from jinja2 import Environment, UndefinedError

from server.visitor.assets import Assets, environment


@pytest.fixture
def views() -> Environment:
    return environment(Assets.read())


def test_everything_is_escaped(views: Environment) -> None:
    assert views.from_string("{{ it }}").render(it="O'Hara & <Sons>") == "O&#39;Hara &amp; &lt;Sons&gt;"


def test_an_undefined_name_stops_the_page(views: Environment) -> None:
    with pytest.raises(UndefinedError):
        views.from_string("{{ nothing }}").render()


def test_a_file_is_named_with_its_version(views: Environment) -> None:
    assert views.from_string("{{ asset('chat.css') }}").render().startswith("/static/chat.css?v=")


def test_a_token_keeps_its_spaces(views: Environment) -> None:
    assert views.get_template("_token.html").render(text=" and <more> ") == "<span> and &lt;more&gt; </span>"


def test_every_template_can_be_read(views: Environment) -> None:
    for name in views.list_templates():
        assert views.get_template(name).name == name
