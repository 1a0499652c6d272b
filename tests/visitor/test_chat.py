from __future__ import annotations

import re
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.scripted_app import CITATIONS, DEADLINE, ScriptedParts

Client = TestClient[Any]


def conversation_id(page: str) -> str:
    found = re.search(r'name="conversation_id" value="([^"]+)"', page)
    assert found
    return found[1]


def event_path(partial: str) -> str:
    found = re.search(r'sse-connect="([^"]+)"', partial)
    assert found
    return found[1]


def ask(client: Client, question: str) -> str:
    """The whole event stream to a question asked htmx's way."""
    partial = client.post("/chat/ask", data={"question": question}).text
    return client.get(event_path(partial)).text


@pytest.mark.parametrize("path", ["/", "/chat"])
def test_the_chat_page_is_a_form_that_works_without_script(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.headers["cache-control"] == "no-store"
    assert '<form class="ask" method="post" action="/chat?site=main&amp;lang=en#latest"' in response.text
    assert "Ask Larkmoor University" in response.text
    assert "They may be incomplete" in response.text


def test_pages_hold_no_inline_script_or_style(client: Client) -> None:
    for path in ("/chat", "/demo", "/nope"):
        page = client.get(path, headers={"Accept": "text/html"}).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page)


def test_without_script_the_whole_conversation_comes_back_on_a_page(client: Client) -> None:
    first = client.post("/chat", data={"question": "When is it?"})
    assert first.status_code == 200
    assert "When is it?" in first.text
    assert '<a class="page-link" href="https://www.larkmoor.example/admissions/transfer#' in first.text
    assert f"<mark>{DEADLINE}</mark>" in first.text
    second = client.post(
        "/chat", data={"question": "And now?", "conversation_id": conversation_id(first.text)}
    )
    assert second.text.index("When is it?") < second.text.index("And now?")
    assert conversation_id(second.text) == conversation_id(first.text)


def test_rows_lists_and_steps_are_tables_and_lists(client: Client) -> None:
    """A screen reader hears rows with their headers and items with their number."""
    page = client.post("/chat", data={"question": "A table?"}).text
    answer = re.sub(r">\s+<", "><", page[page.index('class="answer-text blocks"') :])
    assert '<thead><tr><td></td><th scope="col">Counter</th><th scope="col">Phone</th></tr></thead>' in answer
    assert "<table><caption><span>Transfer Students › Deadlines" in answer
    assert '<th scope="row">Sunday</th><td>&lt;b&gt;Closed&lt;/b&gt;</td><td>Closed</td>' in answer
    assert "<ul><li>your card</li><li>a pen</li></ul>" in answer
    assert '<ol start="2"><li>Sign.</li><li>Wait.</li></ol>' in answer
    assert re.search(r"<p>That is all\.<a class=\"reference\" href=\"#source-\S+-1\">", answer)


def test_a_table_below_its_name_says_it_to_screen_readers_alone(client: Client) -> None:
    page = client.post("/chat", data={"question": "perhaps"}).text
    answer = page[page.index('class="answer-text blocks"') :]
    assert "<p><strong>Transfer Students › Deadlines:</strong></p>" in answer
    assert '<caption><span><span class="unseen">Transfer Students › Deadlines</span><a' in answer


def test_small_talk_is_neither_rated_nor_dated(client: Client) -> None:
    page = client.post("/chat", data={"question": "A careful courtesy"}).text
    assert "re welcome!</p>" in re.sub(r"\s+<", "<", page)
    assert "Was this helpful?" not in page
    assert 'class="as-of"' not in page
    assert "Was this helpful?" in client.post("/chat", data={"question": "When is it?"}).text


def test_sources_are_a_line_a_page_whatever_is_quoted_of_it(client: Client) -> None:
    page = client.post("/chat", data={"question": "twice"}).text
    sources = page[page.index('class="sources"') :]
    assert sources.count("<li ") == 1
    assert re.findall(r'id="source-\S+-(\d)"', sources) == ["1", "2"]
    assert sources.count("<blockquote") == 2


def test_a_list_is_marked_with_the_language_that_it_is_said_in(client: Client) -> None:
    """Help lines are Lodge's own words: in a Spanish page they are not marked as English."""
    lists = {}
    for question in ("crisis", "A table?"):
        page = client.post("/chat?lang=es", data={"question": question}).text
        lists[question] = re.findall(r'class="answer-text blocks" dir="auto"( lang="\w+")?>', page)
    assert lists == {"crisis": [""], "A table?": [' lang="en"']}


def test_a_source_links_to_its_very_words(client: Client) -> None:
    page = client.post("/chat", data={"question": "When is it?"}).text
    assert 'href="https://www.larkmoor.example/admissions/transfer#:~:text=Transfer%20students%20may' in page


def test_a_stranger_to_the_id_sees_nothing_of_the_conversation(client: Client) -> None:
    client.post("/chat", data={"question": "My secret question?"})
    assert "secret" not in client.post("/chat", data={"question": "Hello?"}).text


@pytest.mark.parametrize(
    ("question", "status", "sentence"),
    [
        ("", 400, "Please type a question first."),
        ("x" * 201, 413, "Your question is longer than 200 characters."),
        ("unready", 503, "Answers are not available at the moment."),
        ("explode", 500, "Something went wrong on our side."),
    ],
)
def test_without_script_a_failure_says_why_and_keeps_what_was_typed(
    client: Client, question: str, status: int, sentence: str
) -> None:
    response = client.post("/chat", data={"question": question, "conversation_id": "0123456789abcdef"})
    assert response.status_code == status
    assert sentence in response.text
    assert f">\n{question}</textarea>" in response.text
    assert conversation_id(response.text) == "0123456789abcdef"


def test_a_question_is_shown_as_text(client: Client) -> None:
    page = client.post("/chat", data={"question": "<script>alert(1)</script>"}).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page


def test_a_refusal_shows_the_closest_pages_and_a_person_to_ask(client: Client) -> None:
    page = client.post("/chat", data={"question": "Any nobel prize?"}).text
    assert 'href="https://www.larkmoor.example/academics/physics"' in page
    assert 'href="https://www.larkmoor.example/contact"' in page
    assert 'href="javascript:' not in page


def test_htmx_gets_the_question_and_a_bubble_that_opens_the_events(client: Client) -> None:
    partial = client.post("/chat/ask", data={"question": "When?"}).text
    assert '<p class="message-text" dir="auto">When?</p>' in partial
    assert '<p id="announce" hx-swap-oob="innerHTML">Searching…</p>' in partial
    assert "<html" not in partial


def test_the_events_are_pieces_of_the_page_and_end_with_the_answer(client: Client) -> None:
    stream = ask(client, "When?")
    names = re.findall(r"^event: (\w+)$", stream, re.MULTILINE)
    assert names == ["status", "status", "token", "token", "final"]
    assert "data: Writing the answer…" in stream
    assert "Answer: The deadline for fall" in stream
    assert stream.count("2 sources follow.") == 1


def test_the_same_answer_looks_the_same_both_ways(client: Client) -> None:
    page = client.post("/chat", data={"question": "When?"}).text
    stream = ask(client, "When?").replace("data: ", "")
    start = "<h4>Sources</h4>"
    assert _same_ids(page.split(start)[1].split("</ol>")[0]) == _same_ids(
        stream.split(start)[1].split("</ol>")[0]
    )


def _same_ids(html: str) -> str:
    return re.sub(r"[0-9a-f]{32}", "ID", html)


def test_events_are_given_out_once_and_a_second_time_say_so(client: Client) -> None:
    path = event_path(client.post("/chat/ask", data={"question": "When?"}).text)
    client.get(path)
    again = client.get(path)
    assert again.status_code == 200
    assert again.text.startswith("event: final\n")
    assert "no longer waiting" in again.text


@pytest.mark.parametrize("question", ["unready", "break"])
def test_a_failure_in_the_events_ends_them_with_a_sentence(client: Client, question: str) -> None:
    stream = ask(client, question)
    assert stream.count("event: final") == 1
    assert "data-failed" in stream
    assert "Answers are not available at the moment." in stream


def test_a_conversation_goes_on_htmxs_way(client: Client, parts: ScriptedParts) -> None:
    chat = conversation_id(client.get("/chat").text)
    for question in ("One?", "Two?"):
        partial = client.post("/chat/ask", data={"question": question, "conversation_id": chat}).text
        client.get(event_path(partial))
    assert [turn[1] for turn in parts.asker.asked[1].history if turn[0] == "user"] == ["One?"]


def test_the_widgets_page_stays_the_widgets_page(client: Client) -> None:
    page = client.get("/chat?site=library&embed=1").text
    assert 'action="/chat?site=library&amp;lang=en&amp;embed=1#latest"' in page
    assert 'data-frame-origins="https://library.larkmoor.example"' in page
    assert "Ask Finch Library" in page
    answered = client.post("/chat?site=library&embed=1", data={"question": "When?"}).text
    assert "chat-embedded" in answered
    assert 'action="/chat/erase?site=library&amp;lang=en&amp;embed=1"' in answered


def test_a_site_that_is_none_is_a_404_with_a_way_to_one_that_is(client: Client) -> None:
    page = client.get("/chat?site=../x", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert 'href="/chat?site=main&amp;lang=en"' in page.text


def test_a_form_on_a_strangers_page_is_turned_away(client: Client, parts: ScriptedParts) -> None:
    strange = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for path in ("/chat", "/chat/ask"):
        assert client.post(path, data={"question": "When?"}, headers=strange).status_code == 403
    assert parts.asker.asked == []


def test_the_page_with_all_it_needs_is_under_30_kb_compressed(client: Client) -> None:
    """As it is sent: the page itself, and every file that it names."""
    page = client.get("/chat", headers={"Accept-Encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    files = set(re.findall(r'(?:src|href)="(/(?:static|sites)/[^"]+)"', page.text))
    assert len(files) == 3
    sizes = [int(page.headers["content-length"])]
    for name in files:
        sizes.append(int(client.get(name, headers={"Accept-Encoding": "gzip"}).headers["content-length"]))
    assert sum(sizes) < 30_000


@pytest.mark.parametrize("language", ["es", "es-MX,en;q=0.5"])
def test_a_visitor_reads_their_own_language(client: Client, language: str) -> None:
    page = client.get("/chat", headers={"Accept-Language": language}).text
    assert '<html lang="es" dir="ltr">' in page
    assert "Pregunte a Larkmoor University" in page
    assert "¿Cuándo empiezan las clases?" in page
    assert "How much is tuition?" not in page
    assert 'href="/chat?site=main&amp;lang=en" lang="en"' in page


def test_the_language_of_the_page_is_that_of_its_answers_and_errors(client: Client) -> None:
    refused = client.post("/chat?site=main&lang=es", data={"question": "Any nobel prize?"}).text
    assert "No he encontrado una respuesta" in refused
    assert "Las páginas más cercanas" in refused
    empty = client.post("/chat?site=main&lang=es", data={"question": " "}).text
    assert "Escriba primero una pregunta" in empty
    dated = client.post("/chat?site=main&lang=es", data={"question": "When?"}).text
    assert "Actualizada el 3 de marzo de 2025" in dated
    assert '<p class="answer-text" dir="auto" lang="en">' in dated


def test_what_lodge_says_itself_is_marked_with_its_language(client: Client) -> None:
    """A Spanish refusal has the language of a Spanish page, the pages' own words have theirs."""
    refused = client.post("/chat?site=main&lang=es", data={"question": "Any nobel prize?"}).text
    assert '<p class="answer-text" dir="auto">No he encontrado' in refused


def test_a_language_that_nobody_speaks_is_answered_in_the_sites_own(client: Client) -> None:
    assert '<html lang="en"' in client.get("/chat?lang=../../etc").text


def test_what_one_could_ask_is_a_form_that_works_without_script(client: Client) -> None:
    page = client.get("/chat").text
    assert '<button name="question" value="When do classes begin?">' in page
    assert "<summary>Admissions</summary>" in page
    answered = client.post("/chat", data={"question": "When do classes begin?"}).text
    follow_up = answered.split('class="suggestions follow-up"')
    assert len(follow_up) == 1, "nothing is suggested where the topic is not known"


def test_the_topic_says_whom_to_ask_and_what_else(client: Client) -> None:
    answered = client.post("/chat", data={"question": "When can I transfer?"}).text
    answer = answered.split('class="answer"')[1]
    assert "mailto:admissions@larkmoor.example" in answer
    assert 'href="tel:8025550110"' in answer
    assert "Weekdays 9 to 5" in answer
    assert '<button name="question" value="How do I apply?">' in answer
    general = client.post("/chat", data={"question": "When?"}).text.split('class="answer"')[1]
    assert "tel:8025550100" in general
    assert "mailto:admissions" not in general


def test_asking_back_is_a_group_of_buttons_below_the_answer_once_in_a_conversation(client: Client) -> None:
    first = client.post("/chat", data={"question": "for whom?"}).text
    answer = first.split('class="answer"')[1]
    label = re.search(r'class="suggestions narrow"[^>]* role="group" aria-labelledby="(narrow-\w+)"', answer)
    assert label
    assert f'<p id="{label[1]}">This is for transfer students. Ask the same for:</p>' in answer
    assert answer.index(DEADLINE) < answer.index(label[1]) < answer.index('class="sources"')
    pressed = {"question": "for whom, for graduate students?", "conversation_id": conversation_id(first)}
    assert f'<button name="question" value="{pressed["question"]}">Graduate students</button>' in answer
    second = client.post("/chat", data=pressed).text
    assert second.count('class="suggestions narrow"') == 1, "that of the first turn"


def test_asking_back_comes_in_the_events_too_and_is_read_out(client: Client) -> None:
    stream = ask(client, "for whom?")
    assert 'class="suggestions narrow"' in stream
    assert "This is for transfer students. Ask the same for: Graduate students." in stream


def test_a_simpler_answer_says_that_it_is_one_and_what_to_do(client: Client) -> None:
    assert (
        "simpler than usual. You can ask again later, or ask a person."
        in client.post("/chat", data={"question": "simpler?"}).text
    )


def test_a_written_answer_is_markdown_and_links_to_its_sources_alone(client: Client) -> None:
    page = client.post("/chat", data={"question": "In markdown?"}).text
    link = f'<a href="{CITATIONS[0].url}" target="_blank" rel="nofollow noopener noreferrer">'
    assert f'<div class="answer-text rich" dir="auto"><p><strong>{DEADLINE}</strong><a class="ref' in page
    assert f"<br>\nSee {link}the page</a>, not this.<br>\n!x&lt;script&gt;" in page
    assert "evil.example" not in page


def test_a_pages_own_words_are_shown_to_the_letter(client: Client) -> None:
    """As before there was any Markdown: a quoted asterisk is one."""
    page = client.post("/chat", data={"question": "When?"}).text
    assert f'<p class="answer-text" dir="auto">{DEADLINE}<a class="reference" href="#source-' in page
    assert '<span aria-hidden="true">1</span></a> The application fee' in page
