from __future__ import annotations

from collections.abc import Iterable

import pytest
from google.protobuf.message import Message
from tests.unit.results.synthetic import SECRET, TOURNAMENT, Championship, Step, full_game, game_id

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import scoresheet
from faristol.results.broken import Broken
from faristol.results.model import View, apply


def fold_game(steps: Iterable[Step], game_: str) -> results.GetGameResponse:
    state: results.GetGameResponse | None = None
    for step in steps:
        for stream, events in step.items():
            if stream in {f"game-{game_}", f"clock-{game_}"}:
                for event in events:
                    state = scoresheet.change_game(state, event)
    assert state is not None
    return state


def full_table() -> list[Step]:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    return [*table.open(hall.ruleset, hall.lexicon), *full_game(table)]


def rows(state: results.GetGameResponse) -> list[tuple[int, str, str, int, int]]:
    return [
        (entry.turn, entry.player_id, results.EntryKind.Name(entry.kind)[11:], entry.score, entry.total)
        for entry in state.entries
    ]


def test_a_scoresheet_has_every_turn_and_what_follows_the_end() -> None:
    assert rows(fold_game(full_table(), game_id(1, 1))) == [
        (1, "anna", "PLAY", 22, 22),
        (2, "carme", "PLAY", 31, 31),
        (3, "anna", "EXCHANGE", 0, 22),
        (4, "carme", "PLAY", 64, 95),
        (5, "anna", "PHONY", 0, 22),
        (6, "carme", "PLAY", 9, 104),
        (7, "anna", "PASS", 0, 22),
        (0, "anna", "RACK_PENALTY", -7, 15),
        (0, "carme", "OUT_BONUS", 7, 111),
    ]


def test_a_phony_leaves_the_board_and_stays_on_the_sheet() -> None:
    state = fold_game(full_table(), game_id(1, 1))
    on_board = {(tile.row, tile.column) for tile in state.board}
    phony = next(entry for entry in state.entries if entry.kind == results.ENTRY_KIND_PHONY)
    assert phony.placements
    assert phony.challenged
    assert phony.complete
    assert not on_board & {(tile.row, tile.column) for tile in phony.placements}


def test_coordinates_are_in_the_notation_of_fisc() -> None:
    state = fold_game(full_table(), game_id(1, 1))
    assert [entry.coordinates for entry in state.entries if entry.coordinates] == ["H5", "6E", "J5", "L7", "11J"]


def test_the_turn_passes_with_the_press_and_with_a_phony_and_with_nothing_else() -> None:
    turns: list[str] = []
    for count in range(1, len(full_table()) + 1):
        state = fold_game(full_table()[:count], game_id(1, 1))
        if not turns or turns[-1] != state.turn_player_id:
            turns.append(state.turn_player_id)
    assert turns == ["anna", "carme", "anna", "carme", "anna", "carme", "anna", "carme", ""]


def test_a_clock_runs_between_the_press_and_the_next_and_not_during_a_ruling() -> None:
    running: list[list[str]] = []
    for count in range(2, len(full_table()) + 1):
        state = fold_game(full_table()[:count], game_id(1, 1))
        now = [side.player_id for side in state.clocks if side.running]
        if not running or running[-1] != now:
            running.append(now)
    one, other, neither = ["anna"], ["carme"], list[str]()
    assert running == [one, other, one, other, one, neither, other, neither, other, one, other, neither]


def test_clocks_stop_at_the_times_that_the_clock_says() -> None:
    state = fold_game(full_table(), game_id(1, 1))
    assert [(side.player_id, side.used_ms) for side in state.clocks] == [("anna", 225_000), ("carme", 225_000)]


def test_no_face_of_a_rack_is_in_a_running_game() -> None:
    steps = full_table()
    ended = next(
        n
        for n, step in enumerate(steps)
        if any(isinstance(e, game.GameEnded) for e in step.get("game-lliga-r1-t1", []))
    )
    for count in range(1, ended + 1):
        state = fold_game(steps[:count], game_id(1, 1))
        shown = [tile.face for tile in state.board] + [f for entry in state.entries for f in entry.faces]
        assert not set(shown) & set(SECRET)
        body = state.SerializeToString()
        assert not [face for face in ("Ç", "NY", "QU") if face.encode() in body]
        assert b"s" * 32 not in body


def test_only_the_number_of_exchanged_tiles_is_told() -> None:
    entry = fold_game(full_table(), game_id(1, 1)).entries[2]
    assert (entry.exchanged, list(entry.faces)) == (3, [])


def test_a_play_that_time_ran_out_on_does_not_count() -> None:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    steps = [*table.open(hall.ruleset, hall.lexicon), *table.play("H5", "F E R I R", 22)]
    steps += [table.place("6E", "C O L·L E G I", 31)]
    steps += [{table.game_stream: [game.GameEnded(condition=game.END_CONDITION_OVERTIME, occurred_at=table.at())]}]
    state = fold_game(steps, table.id)
    assert [(seat.player_id, seat.score) for seat in state.seats] == [("anna", 22), ("carme", 0)]
    assert (state.entries[-1].complete, state.entries[-1].total) == (False, 0)


def test_apply_leaves_the_view_that_it_was_given_alone() -> None:
    view = View()
    for event in events_of_tournament([*Championship().create(), *Championship().pair(1, [("anna", "biel")], "eloi")]):
        before = [part.SerializeToString() if part else b"" for part in parts(view)]
        after = apply(view, event)
        assert [part.SerializeToString() if part else b"" for part in parts(view)] == before
        view = after


def test_a_round_shows_the_scores_of_its_games_and_the_tournament_where_the_round_stands() -> None:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    view = View()
    start = [*hall.create(), *hall.pair(1, [table.players], "eloi"), *hall.begin(1)]
    for event in events_of_tournament(start):
        view = apply(view, event)
    for step in [*table.open(hall.ruleset, hall.lexicon), *full_game(table)]:
        for event in (event for events in step.values() for event in events):
            view = apply(view, event)
    assert view.round is not None
    assert view.tournament is not None
    line = view.round.tables[0]
    assert ([seat.score for seat in line.seats], line.turns, line.final) == ([15, 111], 7, True)
    assert (view.tournament.played[0].tables, view.tournament.played[0].finished) == (1, 1)
    assert view.tournament.players == 5


@pytest.mark.parametrize(
    "event",
    [
        game.PlayCompleted(turn=1, player_id="anna"),
        clock.ClockStarted(player_id="anna"),
        pairing.RoundStarted(round=3),
        pairing.RulesetPinned(),
        pairing.RoundPaired(round=1),
        game.Pin(name="not an event"),
    ],
)
def test_an_event_that_cannot_follow_stops_the_projection(event: Message) -> None:
    with pytest.raises(Broken, match=event.DESCRIPTOR.name):
        apply(View(), event)


def events_of_tournament(steps: Iterable[Step]) -> list[Message]:
    return [event for step in steps for event in step.get(f"tournament-{TOURNAMENT}", [])]


def parts(view: View) -> list[Message | None]:
    return [view.tournament, view.players, view.round, view.game]


def test_a_tournament_of_which_the_final_standings_are_reopened_is_not_over() -> None:
    view = View(tournament=results.Tournament(tournament_id="lliga", rounds=1))
    view = apply(view, pairing.StandingsPublished(round=1))
    assert view.tournament is not None
    assert view.tournament.over

    view = apply(view, pairing.StandingsReopened(round=1))
    assert view.tournament is not None
    assert not view.tournament.over


def test_a_pairing_that_is_taken_back_is_no_round_and_can_be_made_again() -> None:
    def paired(first: str, second: str) -> pairing.RoundPaired:
        pair = pairing.Pairing(table=1, game_id="g", first_player_id=first, second_player_id=second)
        return pairing.RoundPaired(round=1, pairings=[pair])

    view = View(tournament=results.Tournament(tournament_id="lliga", rounds=5))
    view = apply(view, paired("anna", "biel"))
    view = apply(view, pairing.RoundUnpaired(round=1))
    assert view.tournament is not None
    assert list(view.tournament.played) == []

    view = apply(view, paired("anna", "carme"))
    assert view.round is not None
    assert [seat.player_id for table in view.round.tables for seat in table.seats] == ["anna", "carme"]
    assert view.tournament is not None
    assert [(line.round, line.tables) for line in view.tournament.played] == [(1, 1)]


def test_rounds_that_were_paired_before_a_correction_are_marked_and_later_ones_are_not() -> None:
    def paired(number: int) -> pairing.RoundPaired:
        pair = pairing.Pairing(table=1, game_id=f"g{number}", first_player_id="anna", second_player_id="biel")
        return pairing.RoundPaired(round=number, pairings=[pair])

    tournament = results.Tournament(tournament_id="lliga", rounds=5)
    first = apply(View(tournament=tournament), paired(1))
    second = apply(View(tournament=first.tournament), paired(2))
    scores = [game.FinalScore(player_id="anna", score=300), game.FinalScore(player_id="biel", score=310)]
    corrected = pairing.ResultCorrected(round=1, game_id="g1", scores=scores, winner_id="biel")
    after = apply(View(tournament=second.tournament, round=first.round), corrected)
    third = apply(View(tournament=after.tournament), paired(3))

    assert third.tournament is not None
    assert [line.corrected_before for line in third.tournament.played] == [False, True, False]
    assert after.round is not None
    assert [seat.score for seat in after.round.tables[0].seats] == [300, 310]
    assert after.round.tables[0].corrected

    # A correction says whether there was a game; one from before that was said leaves it as it was.
    corrected.unplayed, corrected.condition = True, game.END_CONDITION_FORFEIT
    corrected.loser_ids.append("anna")
    forfeit = apply(View(tournament=after.tournament, round=after.round), corrected).round
    for field in ("unplayed", "condition", "loser_ids"):
        corrected.ClearField(field)
    same = apply(View(tournament=after.tournament, round=forfeit), corrected).round
    for one in (forfeit, same):
        assert one is not None
        table = one.tables[0]
        assert (table.unplayed, table.condition, list(table.loser_ids)) == (True, game.END_CONDITION_FORFEIT, ["anna"])
