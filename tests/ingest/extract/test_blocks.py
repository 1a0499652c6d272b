import pytest
from lxml import html

from server.ingest.extract.blocks import sections_of
from server.ingest.extract.panels import panels
from server.ingest.extract.text_lines import flat
from server.models import Section

Found = list[tuple[tuple[str, ...], list[tuple[str, str]]]]


def walk(markup: str) -> Found:
    root = html.document_fromstring(f"<body>{markup}</body>")
    return [plain(section) for section in sections_of(root, panels(root))]


def plain(section: Section) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    return section.heading_path, [(block.kind, block.text) for block in section.blocks]


def test_blocks_stand_under_the_headings_above_them() -> None:
    found = walk("<p>Intro</p><h1>Fees</h1><p>A</p><h2>Housing</h2><p>B</p><h3>Deposit</h3>C<h2>Meals</h2>D")
    assert [(path, blocks[0][1]) for path, blocks in found] == [
        ((), "Intro"),
        (("Fees",), "A"),
        (("Fees", "Housing"), "B"),
        (("Fees", "Housing", "Deposit"), "C"),
        (("Fees", "Meals"), "D"),
    ]


def test_a_heading_with_nothing_under_it_is_text_itself() -> None:
    assert walk("<h1>Dates</h1><h2>Break: March 15–19</h2><h2>Finals: May 10–14</h2>") == [
        (("Dates",), [("paragraph", "Break: March 15–19"), ("paragraph", "Finals: May 10–14")])
    ]
    assert walk("<p>A</p><h2>B</h2><h2>C</h2>") == [((), [("paragraph", text) for text in "ABC"])]
    assert walk("<h1>This page has moved</h1>") == [((), [("paragraph", "This page has moved")])]


def test_a_short_bold_line_above_text_is_a_heading() -> None:
    found = walk(
        "<h2>» Money</h2><p><strong>» Late fees</strong></p><p>$25 a month.</p>"
        "<p><b>Can I pay <i>in parts</i>?</b></p><ul><li>Yes, in four.</ul><h2>Aid</h2><p>None.</p>"
    )
    assert [path for path, _ in found] == [("Money", "Late fees"), ("Money", "Can I pay in parts?"), ("Aid",)]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("<b>Step 2: Find an advisor</b>", "Step 2: Find an advisor"),
        ("<b><a name=73></a><br>From the 73 Freeway</b>", "From the 73 Freeway"),
        ("<br><b>Fall 2026\n dates and fees</b><br><!-- x -->", "Fall 2026 dates and fees"),
    ],
)
def test_a_heading_may_have_a_number_a_place_to_jump_to_and_free_lines(line: str, named: str) -> None:
    assert [path for path, _ in walk(f"<p>{line}</p><p>Left on Campus Drive.</p>")] == [(named,)]


@pytest.mark.parametrize(
    "line",
    [
        "<p><b>March 10, 2026</b></p><p>The dean spoke.</p>",
        "<p><b>Call 555-0142 now</b></p><p>All day.</p>",
        "<p><b>Weld Hall 2019</b></p><p>Third floor.</p>",
        "<p><b>Ada Quill<br>Dean</b></p><p>Since May.</p>",
        "<p><b>Only $45 a year</b></p><p>For all.</p>",
        "<p><b>Deadline: May 1</b></p><p>Apply online.</p>",
        "<p><b>The office is closed.</b></p><p>Come back on Monday.</p>",
        "<p><b>You need:</b></p><p>A card.</p>",
        "<p><b>Late</b> fees</p><p>$25</p>",
        "<p><b>One</b></p><p><b>Two</b></p>",
        "<p><b><a href=/x>Forms</a></b></p><p>All of them.</p>",
        f"<p><b>{'very ' * 20}bold</b></p><p>$25</p>",
        "<p><b>Alone</b></p>",
    ],
)
def test_what_else_is_bold_is_text(line: str) -> None:
    assert [path for path, _ in walk(f"<h2>Money</h2>{line}")] == [("Money",)]


def test_an_address_stands_on_a_line_of_its_own() -> None:
    assert walk("<p>Program Director<br>mse@x.example<br>of the school<br>www.x.example</p>") == [
        ((), [("paragraph", "Program Director\nmse@x.example of the school\nwww.x.example")])
    ]


def test_a_window_is_a_section_under_what_opens_it_and_its_own_title_is_not_said_again() -> None:
    link = "<a href=# data-toggle=modal data-target='#cs1'>CS 1 Sorting (2)</a>"
    window = "<div id=cs1 role=dialog><h4>CS 1 Sorting (2)</h4><p>Heaps.</p></div>"
    assert walk(f"<h2>Fall</h2>{link}{window}<h2>Spring</h2><p>None.</p>")[-2:] == [
        (("Fall", "CS 1 Sorting (2)"), [("paragraph", "Heaps.")]),
        (("Spring",), [("paragraph", "None.")]),
    ]


def test_an_accordion_keeps_its_question_as_a_heading_and_ends_with_its_panel() -> None:
    details = "<details><summary>Late?</summary><p>Pay $75.</p></details>"
    button = "<div><button aria-expanded=false>Lost?</button><div hidden><p>Ask us.</p></div></div>"
    in_heading = (
        "<div><h3><button aria-expanded=false>Why?</button></h3><div hidden><p>Because.</p></div></div>"
    )
    assert walk(f"<h2>FAQ</h2>{details}{button}<p>After.</p>{in_heading}") == [
        (("FAQ", "Late?"), [("question", "Pay $75.")]),
        (("FAQ", "Lost?"), [("question", "Ask us.")]),
        (("FAQ",), [("paragraph", "After.")]),
        (("FAQ", "Why?"), [("question", "Because.")]),
    ]


def test_headings_inside_a_panel_stay_under_its_question() -> None:
    markup = (
        "<h2>FAQ</h2><details><summary>When?</summary><h3>Fall</h3><p>August.</p></details><p>Ask us.</p>"
    )
    assert [path for path, _ in walk(markup)] == [("FAQ", "When?", "Fall"), ("FAQ",)]


def test_a_caption_heads_its_rows_and_a_full_row_those_below_it() -> None:
    rows = "<tr><th>Day<th>What<tr><td colspan=2>Fall<tr><td>1<td>Go"
    assert walk(f"<table><caption>Dates</caption>{rows}</table>End") == [
        (("Dates", "Fall"), [("table", "Day: 1 — What: Go")]),
        ((), [("paragraph", "End")]),
    ]


def test_a_layout_table_is_read_cell_by_cell() -> None:
    markup = "<table><tr><td><h2>News</h2><p>One.</p><td><p>Two.</p></table>"
    assert walk(markup) == [(("News",), [("paragraph", "One."), ("paragraph", "Two.")])]


def test_lists_are_one_block_with_a_line_an_item() -> None:
    assert walk("<ul><li>Card<li>Form<ul><li>signed<li>dated</ul></ul>") == [
        ((), [("list", "Card\nForm, signed, dated")])
    ]
    assert walk("<ol><li>Apply<li>Wait</ol>") == [((), [("steps", "1. Apply\n2. Wait")])]


def test_a_list_within_an_item_of_its_own_is_the_list() -> None:
    inner = "<ul><li>Networks<li>Graphics</ul>"
    assert walk(f"<ul><li>{inner}</ul>") == [((), [("list", "Networks\nGraphics")])]
    assert walk(f"<ul><li>Any two: {inner}</ul>") == [((), [("list", "Any two: Networks, Graphics")])]
    steps = "<ol><li>Apply<li><ol><li>Sign<li>Send</ol><li>Wait</ol>"
    assert walk(steps) == [((), [("steps", "1. Apply\n1. Sign\n2. Send\n3. Wait")])]
    assert walk("<ul><li>" * 100 + "Deep") == [((), [("list", "Deep")])]


def test_lists_of_an_item_each_are_one() -> None:
    one, other = "<ul><li>Housing</ul>", "<ul><li>Health</ul>"
    assert walk(one + other) == [((), [("list", "Housing\nHealth")])]
    assert [kind for kind, _ in walk(one + "<p>And:</p>" + other)[0][1]] == ["list", "paragraph", "list"]
    assert len(walk(one + "<ul><li>Either of:</ul>" + other)[0][1]) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("» Regular contact<br>» Common interests", [("list", "Regular contact\nCommon interests")]),
        ("You need:<br>- a card<br>- a form", [("paragraph", "You need:"), ("list", "a card\na form")]),
        ("• A card</p><p>• A form", [("list", "A card\nA form")]),
        ("* Only in summer.", [("paragraph", "* Only in summer.")]),
        ("- the dean<br>and the provost", [("paragraph", "- the dean and the provost")]),
        ("» News", [("paragraph", "» News")]),
    ],
)
def test_bullets_that_somebody_typed_make_a_list(text: str, expected: list[tuple[str, str]]) -> None:
    assert walk(f"<p>{text}</p>") == [((), expected)]


def test_a_short_line_above_a_list_leads_in_to_it() -> None:
    [(_, blocks)] = walk(
        "<p>From the south</p><ul><li>Take exit 4<li>Turn left</ul><p>By Jo Field</p><ul><li>A<li>B</ul>"
    )
    assert [text for _, text in blocks] == [
        "From the south:",
        "Take exit 4\nTurn left",
        "By Jo Field",
        "A\nB",
    ]
    [(_, blocks)] = walk("<p>Organizer</p><ul><li>Major: Law<li>Year: 2</ul>")
    assert blocks[0] == ("paragraph", "Organizer")


def test_a_label_above_what_leads_in_is_a_heading() -> None:
    lead = "<p>The following is required of a second degree:</p><ul><li>A GPA of 3.0</ul>"
    found = walk(f"<h1>Degrees</h1><p>Effective before fall 2019:</p>{lead}<p>Effective fall 2019:</p>{lead}")
    assert [path for path, _ in found] == [
        ("Degrees", "Effective before fall 2019"),
        ("Degrees", "Effective fall 2019"),
    ]
    assert [len(blocks) for _, blocks in found] == [2, 2]
    assert len(walk(f"<p>Please note:</p><p>Ask first.</p>{lead}")) == 1
    [(path, _)] = walk(f"<p><b>A second degree in law</b></p><p><b>Effective fall 2019:</b></p>{lead}")
    assert path == ("A second degree in law", "Effective fall 2019")


def test_links_below_each_other_are_a_menu() -> None:
    menu = [f"<p>» <a href=/{name}>{name}</a></p>" for name in ("Housing", "Health", "Money")]
    assert {kind for kind, _ in walk("".join(menu))[0][1]} == {"links"}
    assert {kind for kind, _ in walk("".join(menu[:2]))[0][1]} == {"paragraph"}
    posts = [f"<p><a href=/{name}>{name} Quill, Dean</a></p>" for name in ("Ada", "Bo", "Cy")]
    assert {kind for kind, _ in walk("".join(posts))[0][1]} == {"paragraph"}


def test_steps_go_on_where_those_before_ended() -> None:
    assert walk("<ol start=3><li>Sign<li>Send</ol>") == [((), [("steps", "3. Sign\n4. Send")])]


def test_a_list_around_sections_is_only_a_frame() -> None:
    found = walk("<ul><li><h3>Cedar</h3><p>Quiet.</p><li><h3>Maple</h3><p>Loud.</p></ul>")
    assert [path for path, _ in found] == [("Cedar",), ("Maple",)]


def test_text_outside_the_items_of_a_list_is_kept() -> None:
    assert "Important: bring it." in str(walk("<ol>Important: bring it.<li>One</ol>"))


def test_definitions_are_term_and_meaning() -> None:
    markup = "<dl><dt>Phone:<dd>555-0150<dd>after hours 555-0161</dd><div><dt>Room<dt>Desk<dd>G02</div></dl>"
    assert walk(markup) == [
        ((), [("definition", "Phone: 555-0150; after hours 555-0161"), ("definition", "Room, Desk: G02")])
    ]


def test_a_term_with_an_empty_meaning_is_left_out() -> None:
    assert walk("<dl><dt>Kind:<dd><img><dt>Date:<dd>May 1<dt>Cedar</dl>") == [
        ((), [("definition", "Date: May 1"), ("definition", "Cedar")])
    ]


def test_a_contact_card_is_one_line() -> None:
    card = "<div class=contact-card><p><b>Registrar</b></p><p>Quarry Hall 204<br>(802) 555-0120</p></div>"
    assert walk(card) == [((), [("card", "Registrar, Quarry Hall 204, (802) 555-0120")])]


def test_line_breaks_end_lines_but_do_not_tear_sentences() -> None:
    assert walk("Mon 8–5<br>Tue 8–7<br><br>The desk is<br>closed today.") == [
        ((), [("paragraph", "Mon 8–5\nTue 8–7"), ("paragraph", "The desk is closed today.")])
    ]


def test_preformatted_lines_stay_lines() -> None:
    assert walk("<pre>CSC 101   Intro\n\n  CSC 102   Next</pre>") == [
        ((), [("paragraph", "CSC 101 Intro\nCSC 102 Next")])
    ]


def test_a_table_in_preformatted_text_is_one_and_code_is_none() -> None:
    sheet = "Rows of the sheet.\n\nroom,seats,floor\nA,10,1\nB,20,2\n"
    assert walk(f"<h2>Rooms</h2><pre>{sheet}</pre><p>Ask us.</p>") == [
        (
            ("Rooms",),
            [
                ("paragraph", "Rows of the sheet."),
                ("table", "room: A — seats: 10; floor: 1"),
                ("table", "room: B — seats: 20; floor: 2"),
                ("paragraph", "Ask us."),
            ],
        )
    ]
    [(_, [(kind, _)])] = walk(f"<pre class=code>{sheet}</pre>")
    assert kind == "code"


def test_the_last_updated_line_is_no_content() -> None:
    assert walk("<p>Open daily.</p><p>Last updated: May 1, 2026</p>") == [
        ((), [("paragraph", "Open daily.")])
    ]


def test_flat_puts_commas_where_lines_ended_without_a_mark() -> None:
    cell = html.fragment_fromstring("<td><p>Mon–Thu</p><p>8–5.</p>Closed<br><b>Fri</b>day</td>")
    assert flat(cell) == "Mon–Thu, 8–5. Closed, Friday"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("PICKUP<br>You will be told by mail when it is there. Bring your card.", "PICKUP: You will be told"),
        ("Ada Quill<br>Professor of Forestry and Dean of the School", "Ada Quill, Professor of Forestry"),
        ("ada@oakham.example<br>Write to her before you come to the office.", "ada@oakham.example, Write"),
        ("Mon 8–5<br>The desk is open to all who have a card.", "Mon 8–5, The desk"),
        (
            "Who may come and who may not<br>All who study here may come to it.",
            "Who may come and who may not, All",
        ),
    ],
)
def test_a_label_above_sentences_ends_with_a_colon(item: str, expected: str) -> None:
    assert flat(html.fragment_fromstring(f"<li>{item}</li>")).startswith(expected)


def test_a_mark_alone_is_no_text() -> None:
    assert walk("<p>Open daily.</p><p>➤</p><p>***</p>") == [((), [("paragraph", "Open daily.")])]
