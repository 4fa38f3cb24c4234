"""Templates are compiled once for all languages, and their code is stored where that is possible."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import DictLoader

from faristol.gateway.pages.operator import contact_link
from faristol.gateway.pages.templating import CodeOnDisk, days, environment, format_waited, render
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.text import LANGUAGES

TEMPLATE = '{{ 1234.5|points }} {% trans %}Standings{% endtrans %} {{ "x" }}'


def test_the_code_of_a_template_is_the_same_in_each_language_and_its_page_is_not() -> None:
    codes = {environment(language).compile(TEMPLATE, raw=True) for language in LANGUAGES}
    pages = {environment(language).from_string(TEMPLATE).render() for language in LANGUAGES}
    assert len(codes) == 1
    assert len(pages) == len(LANGUAGES)


def test_stored_code_is_used_until_the_template_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def render(source: str) -> str:
        env = environment("en").overlay(
            loader=DictLoader({"page": source}), bytecode_cache=CodeOnDisk(str(tmp_path), "%s.cache"), cache_size=0
        )
        return env.get_template("page").render()

    assert [render("first"), render("second")] == ["first", "second"]
    monkeypatch.setattr("jinja2.environment.Environment.compile", lambda *_, **__: pytest.fail("it is compiled again"))
    assert render("second") == "second"


def test_a_page_is_rendered_where_no_code_can_be_stored(tmp_path: Path) -> None:
    cache = CodeOnDisk(str(tmp_path / "missing"), "%s.cache")
    env = environment("en").overlay(loader=DictLoader({"page": "first"}), bytecode_cache=cache, cache_size=0)
    assert env.get_template("page").render() == "first"


def test_a_tournament_without_days_has_those_of_its_rounds_and_never_that_of_its_creation() -> None:
    tournament = pb.Tournament(time_zone="Europe/Andorra")
    tournament.created_at.FromJsonString("2026-01-15T10:00:00Z")
    assert days(tournament, "en") == "dates not announced"
    tournament.announced.add(round=2).starts_at.FromJsonString("2026-03-08T09:00:00Z")
    tournament.played.add(round=1).started_at.FromJsonString("2026-03-06T23:30:00Z")
    assert days(tournament, "en") == "Mar 7\u2009–\u20098, 2026"
    tournament.starts_on = "2026-04-01"
    assert days(tournament, "en") == "April 1, 2026"


def test_a_waiting_time_is_in_minutes_and_from_an_hour_on_in_hours() -> None:
    assert [format_waited(seconds) for seconds in (-3, 65, 3_599, 3_840)] == ["0:00", "1:05", "59:59", "1:04 h"]


def test_the_contact_of_a_tournament_is_a_link_if_it_is_a_mail_address() -> None:
    contacts = ("anna@example.org", "https://example.org", "Anna Puig, anna@example.org", "")
    links = ["mailto:anna@example.org", "https://example.org", "", ""]
    assert [contact_link(contact) for contact in contacts] == links


def test_the_first_page_links_the_archived_tournaments_if_there_are_no_others() -> None:
    archived = [pb.Tournament(tournament_id="cup", name="Cup", starts_on="2026-11-29")]
    page = render("tournaments.html", "en", "live", {"tournaments": [], "archived": archived})
    assert 'href="/tournaments/cup"' in page
    assert "No tournament has been created" not in page
    assert "No tournament has been created" in render(
        "tournaments.html", "en", "live", {"tournaments": [], "archived": []}
    )
