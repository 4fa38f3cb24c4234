"""A recorded game is exported as a GCG file, and the file replays to the same game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.support.stage import Stage
from tests.unit.table.hall import Hall, rules
from tests.unit.table.test_any_command import TABLES, walk
from tests.unit.table_terminal.shared.test_sheet import run_case

from faristol.gateway.api.gcg import gcg_of
from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.answers import game_by_itself
from faristol.rules import Board, Placement, Square, Tile, load_ruleset
from faristol.rules.gcg import GcgGame, Note, Play, RackPoints, Withdrawal, read_gcg, replay, write_gcg

OF_TWO = [name for name, players in TABLES if players == 2]
OF_MORE = [(name, players) for name, players in TABLES if players > 2]

BESIDE_THE_RULES = {"SCORE", "TOTAL", "RACKS_MISSING", "BEFORE_END", "CHALLENGE_POINTS", "AFTER_END"}
"""Errors of a replay by the rules if an arbiter corrected, sanctioned or ended the game."""


NOTED = {
    results.ENTRY_KIND_SANCTION,
    results.ENTRY_KIND_ABANDONMENT,
    results.ENTRY_KIND_FORFEIT,
    results.ENTRY_KIND_CORRECTION,
}
"""Points for which the format has no line."""


def get_game(hall: Hall) -> results.GetGameResponse:
    found = game_by_itself([*hall.events, *hall.ticks])
    assert found is not None
    return found


def plays_that_stand(game: GcgGame) -> Iterator[tuple[str, str, int]]:
    events = list(game.events)
    for event, after in zip_longest(events, events[1:]):
        if isinstance(event, Play) and not isinstance(after, Withdrawal):
            yield event.nick, str(event.start), event.score


@example(name="pes-2024", seed=3557, steps=83)  # a challenge with a cost while its turn continues
@given(name=st.sampled_from(OF_TWO), seed=st.integers(0, 10_000), steps=st.integers(5, 90))
@settings(max_examples=scale_examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_game_of_any_book_is_read_again_as_it_was_told(name: str, seed: int, steps: int) -> None:
    hall = walk(rules(name), 2, seed, steps)
    answer = get_game(hall)
    told = gcg_of(answer, hall.ruleset)
    again = read_gcg(write_gcg(told))
    assert again == told
    stand = [
        (entry.player_id, entry.score)
        for entry in answer.entries
        if entry.kind == results.ENTRY_KIND_PLAY and entry.complete
    ]
    assert [(nick, score) for nick, _, score in plays_that_stand(again)] == stand
    replayed = replay(again, hall.ruleset)
    assert {problem.reason for problem in replayed.problems} <= BESIDE_THE_RULES
    for seat in answer.seats:
        told_points = sum(event.score for event in again.events if event.nick == seat.player_id)
        noted = sum(
            line.score
            for before, line in pairwise([results.Entry(complete=True), *answer.entries])
            if line.player_id == seat.player_id and (line.kind in NOTED or not before.complete)
        )
        assert told_points + noted == seat.score
        if not noted and not replayed.problems:
            assert replayed.totals[seat.player_id] == seat.score


async def test_a_whole_game_of_a_championship_is_told_so_that_its_replay_finds_nothing_wrong() -> None:
    answer = await run_case("fise/game.yaml", "A complete game")
    ruleset = load_ruleset("fise")
    text = write_gcg(gcg_of(answer, ruleset))
    assert ">Anna: C3 .EN +3 27\n>Anna: -- -3 24\n" in text
    assert ">Blai: 2A ZU[LL]A +54 91\n#note challenged, stands\n" in text
    assert text.endswith(">Anna: (Q) -5 342\n>Blai: (T) -1 378\n>Anna: (time) -20 322\n")
    replayed = replay(read_gcg(text), ruleset)
    assert replayed.problems == ()
    assert dict(replayed.totals) == {"Anna": 322, "Blai": 378}


def test_a_phony_stands_there_with_what_it_scored_and_comes_off() -> None:
    hall = Hall(rules("fisc-2023"), recorded=True)
    hall.turn("H8 C A S A")
    answer = get_game(hall)
    entry = answer.entries[-1]
    entry.kind, entry.score, entry.total = results.ENTRY_KIND_PHONY, 0, 0
    play, gone = gcg_of(answer, hall.ruleset).events
    assert isinstance(play, Play)
    assert isinstance(gone, Withdrawal)
    assert (play.word, play.score, gone.score, gone.total) == ("CASA", 10, -10, 0)


def test_a_tile_found_late_is_in_nobodys_rack_at_the_end() -> None:
    hall = Hall(rules("pes-2024"), recorded=True)
    hall.turn("H8 Κ Α Λ Α")
    answer = get_game(hall)
    rack, bonus = (results.ENTRY_KIND_RACK_PENALTY, "anna", -9), (results.ENTRY_KIND_OUT_BONUS, "blai", 9)
    for kind, player, points in (bonus, rack):
        answer.entries.add(kind=kind, player_id=player, score=points, complete=True)
    answer.entries[-1].faces[:] = ["Ζ", "Α"]
    assert [event.tiles for event in gcg_of(answer, hall.ruleset).events if isinstance(event, RackPoints)] == ["ΖΑ"]


def test_the_file_of_a_game_that_goes_on_says_so() -> None:
    hall = Hall(rules("fise"), recorded=True)
    hall.turn("H8 C A S A")
    game = read_gcg(write_gcg(gcg_of(get_game(hall), hall.ruleset)))
    assert game.incomplete
    assert replay(game, hall.ruleset).board == Board().place(
        Placement(Square(7, 7 + place), Tile(face)) for place, face in enumerate("CASA")
    )


@pytest.mark.parametrize(("name", "players"), OF_MORE)
def test_a_table_of_more_than_two_is_refused_with_a_sentence(name: str, players: int) -> None:
    answer = get_game(walk(rules(name), players, 1, 20))
    with pytest.raises(Refusal, match=f"this table has {players}"):
        gcg_of(answer)


def test_what_has_no_line_in_the_format_is_noted() -> None:
    seen = set()
    for seed in range(25):
        for name in OF_TWO:
            answer = get_game(walk(rules(name), 2, seed, 60))
            kinds = {entry.kind for entry in answer.entries}
            notes = [line for line in gcg_of(answer, rules(name)).lines if isinstance(line, Note)]
            if kinds & {results.ENTRY_KIND_SANCTION, results.ENTRY_KIND_FREE_EXCHANGE, results.ENTRY_KIND_CORRECTION}:
                assert notes
                seen |= kinds
    assert seen


@pytest.mark.asyncio(loop_scope="module")
async def test_results_apps_and_readers_of_a_page_get_the_file(finished_stage: Stage) -> None:
    page = (await finished_stage.http.get("/games/lliga-r1-t1")).text
    link = re.search(r'href="(/api/v1/games/[^"]*[.]gcg)"', page)
    assert link is not None
    answer = await finished_stage.http.get(link[1])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    game = read_gcg(answer.text)
    told = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    assert {player.nick: player.name for player in game.players} == {
        seat["player_id"]: seat["name"] for seat in told["seats"]
    }
    plays = [entry["score"] for entry in told["entries"] if entry["kind"] == "play"]
    assert [score for _, _, score in plays_that_stand(game)] == plays
    missing = await finished_stage.http.get("/api/v1/games/nowhere.gcg")
    assert (missing.status_code, missing.json()["id"]) == (404, "nowhere")
