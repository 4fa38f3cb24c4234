from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from google.protobuf.message import Message
from tests.unit.results.league import League
from tests.unit.results.synthetic import Championship, Step

from faristol.gateway import news
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import championship, clocks, scoresheet
from faristol.results.model import View, change
from faristol.results.news import PUBLIC

OF_TOURNAMENTS = news.PAGES.keys() - {"game.html"}


def told(events: Iterable[type[Message]]) -> set[type[Message]]:
    """Those that the public hears of, once there is a tournament to hear of."""
    return {event for event in events if event.DESCRIPTOR.full_name in PUBLIC} - {pairing.TournamentCreated}


def changing_the_tournament(steps: Iterable[Step]) -> set[type[Message]]:
    """The events of a championship after which its heading or its tabs are others."""
    view, found = View(), set()
    rounds: dict[int, results.GetPairingsResponse | None] = {}
    for event in (event for step in steps for events in step.values() for event in events):
        if type(event) not in {*championship.OF_TOURNAMENT, *championship.OF_PLAYERS, *championship.OF_ROUND}:
            continue
        number = getattr(event, "round", 0)
        view.round = rounds.get(number)
        if "tournament" in change(view, event):
            found.add(type(event))
        rounds[number] = view.round
    return found


def test_a_game_page_follows_everything_told_that_changes_a_game_and_its_clocks() -> None:
    assert told(scoresheet.SHOWN) == news.TABLE
    assert told(clocks.TICKING) == news.CLOCKS


def test_pages_that_show_running_scores_follow_what_counts_in_a_game() -> None:
    assert scoresheet.COUNTING == news.COUNTING
    for page in ("pairings.html", "crosstable.html", "prizes.html"):
        assert news.PAGES[page] >= told(scoresheet.COUNTING), page


def test_the_page_of_a_round_follows_everything_told_of_a_round_and_its_teams() -> None:
    assert news.PAGES["pairings.html"] >= told(championship.OF_ROUND)


def test_the_page_of_the_players_follows_everything_told_of_players_and_teams() -> None:
    assert news.PAGES["players.html"] >= told(championship.OF_PLAYERS)


def test_every_page_of_a_tournament_follows_what_changes_its_heading_and_tabs() -> None:
    hall = Championship()
    of_players = changing_the_tournament([*hall.create(), *hall.first_round(), *hall.second_round()])
    changing = told(championship.OF_TOURNAMENT) | of_players | changing_the_tournament(League().steps())
    assert pairing.RoundStarted in changing
    for page in OF_TOURNAMENTS:
        assert news.PAGES[page] >= told(changing), page


def test_pages_that_rank_follow_every_result_and_every_player_and_team() -> None:
    entries = told(championship.OF_PLAYERS) - {rating.RatingListPublished}
    of_results = told(championship.OF_ROUND) - news.POSTPONEMENTS
    for page in ("standings.html", "teams.html", "team.html"):
        assert news.PAGES[page] >= entries | of_results, page
    for page in ("crosstable.html", "standing.html"):
        assert news.PAGES[page] >= (entries - news.TEAMS) | of_results, page


def test_every_template_that_follows_a_tournament_says_what_it_shows_and_nothing_that_is_not_told() -> None:
    folder = resources.files("faristol.gateway") / "templates"
    texts = {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir()}
    following = {name for name, text in texts.items() if "data-follow" in text or 'extends "tournament.html"' in text}
    assert following - {"tournament.html"} == news.PAGES.keys()
    for page, events in news.PAGES.items():
        assert {event.DESCRIPTOR.full_name for event in events} <= PUBLIC, page
        assert news.of_page(page).split() == sorted(event.DESCRIPTOR.name for event in events)
    assert news.of_page("status.html") == ""
