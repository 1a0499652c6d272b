import time

import pytest
from lxml import html

from server.ingest.extract.main_content import link_share, main_container, prune, text_of
from server.ingest.extract.panels import panels


def pruned(body: str) -> str:
    root = html.document_fromstring(f"<html><body>{body}</body></html>")
    prune(root, panels(root))
    return text_of(root)


def test_texts_between_a_hundred_thousand_menus_are_joined_in_their_order_and_in_seconds() -> None:
    """Each would otherwise be written anew into all that is before it."""
    start = time.process_time()
    root = html.document_fromstring("<p><i>a</i>" + "".join(f"{n}<nav>b</nav>" for n in range(100_000)))
    body = root.find("body")
    assert body is not None
    prune(body, {})
    assert text_of(body).split()[:2] + text_of(body).split()[-1:] == ["a0", "1", "99999"]
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "boilerplate",
    [
        "<nav><a href=/>Home</a></nav>",
        "<header><p>Larkmoor</p></header>",
        "<footer><address>1 Quarry Road</address></footer>",
        "<div role=navigation>Home</div>",
        "<div role=search>Find</div>",
        "<ol class=breadcrumb><li>Home</li></ol>",
        "<div id=cookie-banner><p>We use cookies.</p></div>",
        "<a class=skip-link href=#main>Skip to main content</a>",
        "<ul class='social-links'><li>Photos</li></ul>",
        "<aside class=related><h2>See also</h2><ul><li><a>Hours and places</a><li><a>Loans</a></ul></aside>",
        "<div class=sidebar><ul><li><a>One</a><li><a>Two</a></ul></div>",
        "<div class=comments-area><h2>2 thoughts</h2><article><p>Nice site!</p></article></div>",
        "<nav><a href=# data-target='#q' data-toggle=modal>Find</a></nav><div id=q role=dialog>Words</div>",
        "<div role=dialog><p>Sign up for our news.</p></div><dialog open>We use cookies.</dialog>",
        "<script>var a</script><style>b {}</style><noscript>No script</noscript>",
        "<form><select><option>2026</select><input value=x><textarea>t</textarea></form>",
    ],
)
def test_what_is_the_sites_is_cut_away(boilerplate: str) -> None:
    assert (
        pruned(f"<p>Before</p>{boilerplate}<main><p>Open daily.</p></main> After")
        == "Before Open daily. After"
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display: none'>secret</p>",
        "<p style='visibility:hidden'>secret</p>",
        "<span style='font-size:0'>secret</span>",
        "<span style='color:red; font-size: 0px;'>secret</span>",
        "<span style='opacity:0.0'>secret</span>",
        "<div style='position:absolute;left:-9999px'>secret</div>",
        "<p aria-hidden=true>secret</p>",
        "<p hidden>secret</p>",
        "<template>secret</template>",
        "<button aria-expanded=false>Ask</button><p hidden style='font-size:0'>secret</p>",
    ],
)
def test_what_nobody_sees_is_cut_away(hidden: str) -> None:
    assert "secret" not in pruned(f"<main><p>Seen</p>{hidden}<p>Seen too</p></main>")


@pytest.mark.parametrize(
    "content",
    [
        "<p style='font-size:large'>kept</p>",
        "<p style='font-size:0.9em'>kept</p>",
        "<p style='opacity:0.5'>kept</p>",
        "<button aria-expanded=false>Ask</button><div hidden>kept</div>",
        "<button aria-controls=p>Ask</button><i></i><div id=p style='display:none'>kept</div>",
        "<div class='menu'><h2>Lunch</h2><p>kept: soup, bread, <a>more</a></p></div>",
        "<aside class=callout><p>kept: remember your card.</p></aside>",
        "<div class='content-sidebar-wrap'><main>kept</main></div>",
        "<div class='navigation-open'><article>kept</article></div>",
        "<article><header><h1>kept</h1></header></article>",
    ],
)
def test_what_only_resembles_boilerplate_stays(content: str) -> None:
    assert "kept" in pruned(f"<p>Text</p>{content}")


@pytest.mark.parametrize(
    "opening",
    ["<main>", "<div role=main>", "<div id=content>", "<div class='entry-content wide'>", "<article>"],
)
def test_the_marked_container_is_found(opening: str) -> None:
    root = html.document_fromstring(
        f"<body><div>Elsewhere, a line.</div>{opening}<p>{'The main text. ' * 9}</p>"
    )
    assert "Elsewhere" not in text_of(main_container(next(root.iter("body"))))


def test_a_container_with_little_of_the_text_is_passed_over() -> None:
    root = html.document_fromstring(f"<body><main>Hm.</main><div>{'The main text. ' * 9}</div></body>")
    assert main_container(next(root.iter("body"))).tag == "body"


def test_the_share_of_links_is_by_characters() -> None:
    assert link_share(html.fragment_fromstring("<p>four<a>four</a></p>")) == pytest.approx(0.5)
    assert link_share(html.fragment_fromstring("<p><img></p>")) == 1


@pytest.mark.parametrize(
    "kept",
    [
        # Page builders call every part of a page a widget, and may have a card of a person be one link.
        "<div class='elementor-widget'><a href='mailto:b@x.edu'><h2>Ann</h2><div>Director</div></a></div>",
        "<div class='elementor-widget elementor-widget-cta'><a href=/bell><b>Ann Bell</b> Director</a></div>",
        "<div class=contact-meta>Ann Bell <a href='tel:+17405550100'>(740) 555-0100, until five</a></div>",
        "<div class=event-meta>On May 4 <a href=/x>https://tickets.example/concert?id=12345678</a></div>",
        "<article><header><h2><a href=/bell>Ann Bell is dean</a></h2></header>Since May.</article>",
        "<article><div class=post-header><h3><a href=/x>News</a></h3></div>Since May.</article>",
        "<p><a href=# data-toggle=modal data-target='#c'>CS 1</a></p><div role=dialog id=c>Sorting.</div>",
        "<p><button commandfor=cs1 command=show-modal>CS 1</button></p><dialog id=cs1>Sorting.</dialog>",
    ],
)
def test_what_only_looks_like_the_sites_is_kept(kept: str) -> None:
    whole = html.fromstring(f"<div><p>Before</p>{kept}</div>")
    assert pruned(f"<main><p>Before</p>{kept}</main>") == text_of(whole)


def test_what_lists_other_entries_within_one_is_cut_away() -> None:
    recent = "<div class=recent-posts><h4>Latest news</h4><a href=/bell>Ann Bell is dean</a></div>"
    assert pruned(f"<main><article>Before{recent}</article></main>") == "Before"
