from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from tests.support.league import League
from tests.support.synthetic import Championship, Step
from tests.unit.gateway.api.event_table import HEAD, PAGE, table
from tests.unit.read_models.folded import Folded

from faristol.gateway.api.event_types import EVENT_TYPES
from faristol.gateway.live import page_updates
from faristol.kernel import event_types
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.api.public_events import PUBLIC

OF_GAMES = {"game.html", "embed.html", "overlay.html"}
OF_TOURNAMENTS = page_updates.PAGE_CHANGES.keys() - OF_GAMES


def list_public(kinds: Iterable[event_types.Kind]) -> set[event_types.Kind]:
    """Return the events that the public is notified of, once the tournament exists."""
    return {kind for kind in kinds if kind.DESCRIPTOR.full_name in PUBLIC} - {pairing.TournamentCreated}


def changing_the_tournament(steps: Iterable[Step]) -> set[event_types.Kind]:
    """Return the events of a championship that change its heading or its tabs."""
    folded, found = Folded(), set[event_types.Kind]()
    of_tournament = event_types.types_that_change(
        options.CHANGE_TOURNAMENT, options.CHANGE_PLAYERS, options.CHANGE_ROUND
    )
    for event in (event for step in steps for events in step.values() for event in events):
        if type(event) in of_tournament:
            before = folded.shown if folded.state.championships else None
            folded.take(event)
            if folded.shown != before:
                found.add(type(event))
    return found


def test_every_page_of_a_tournament_follows_what_changes_its_heading_and_tabs() -> None:
    hall = Championship()
    changing = changing_the_tournament([*hall.create(), *hall.first_round(), *hall.second_round()])
    changing |= changing_the_tournament(League().steps()) | event_types.types_that_change(options.CHANGE_TOURNAMENT)
    assert pairing.RoundStarted in changing
    for page in OF_TOURNAMENTS:
        assert page_updates.events_of(page) >= list_public(changing), page


def test_a_page_follows_what_is_told_of_what_it_shows() -> None:
    of_round = list_public(event_types.types_that_change(options.CHANGE_ROUND))
    of_players = list_public(event_types.types_that_change(options.CHANGE_PLAYERS))
    of_table = list_public(
        event_types.types_that_change(options.CHANGE_SHEET, options.CHANGE_INCIDENTS, options.CHANGE_CLOCKS)
    )
    counting = event_types.types_that_change(options.CHANGE_SCORE)
    assert page_updates.events_of("pairings.html") >= of_round | counting
    assert page_updates.events_of("players.html") >= of_players
    assert page_updates.events_of("game.html") >= of_table
    put_off = event_types.types_that_change(options.CHANGE_SCHEDULE)
    entries = of_players - event_types.types_that_change(options.CHANGE_RATINGS)
    for page in ("standings.html", "teams.html", "team.html"):
        assert page_updates.events_of(page) >= entries | (of_round - put_off), page
    for page in ("crosstable.html", "standing.html"):
        assert page_updates.events_of(page) >= (entries - event_types.types_that_change(options.CHANGE_TEAMS)) | (
            of_round - put_off
        ), page


def test_a_page_of_a_duplicate_game_follows_what_everybody_may_see_of_it_and_nothing_of_slips() -> None:
    public = {"RackCalled", "TurnTimerStarted", "TurnTimerStopped", "TurnTimerResumed", "TimeCalled", "HallClosed"}
    public |= {"TurnScored", "TurnCompleted", "SlipCorrected", "DuplicateOpened", "DuplicateEnded", "ResultsValidated"}
    public |= {"SealVoided", "EmbargoLifted", "CallNamesSet", "HallRackCalled", "HallTurnStarted"}
    for page in page_updates.DUPLICATES:
        of_tournament = {kind.DESCRIPTOR.name for kind in event_types.types_that_change(options.CHANGE_PROGRESS)}
        of_tournament = of_tournament if page == "duplicate/totals.html" else set[str]()
        assert set(page_updates.of_page(page).split()) - of_tournament == public


def test_every_template_that_follows_a_tournament_says_what_it_shows() -> None:
    folder = resources.files("faristol.gateway") / "templates"
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}
    following = {name for name, text in texts.items() if "data-follow" in text or 'extends "tournament.html"' in text}
    assert following - {"tournament.html", "console.html"} == page_updates.PAGE_CHANGES.keys()
    assert all((folder / name).is_file() for name in (*page_updates.CONSOLES, *page_updates.DUPLICATES))
    for page in (*page_updates.PAGE_CHANGES, *page_updates.DUPLICATES, *page_updates.CONSOLES):
        assert page_updates.of_page(page).split() == sorted(
            kind.DESCRIPTOR.name for kind in page_updates.events_of(page)
        )
    assert page_updates.of_page("status.html") == ""


def test_every_type_of_news_is_listed_with_its_meaning() -> None:
    assert EVENT_TYPES.keys() == {kind.rpartition(".")[2] for kind in PUBLIC}
    assert [name for name, each in EVENT_TYPES.items() if len(each.about) < 10 or "|" in each.about] == []
    assert PAGE.read_text(encoding="utf-8").partition(HEAD)[2] == table(), (
        "python tests/unit/gateway/api/event_table.py"
    )
