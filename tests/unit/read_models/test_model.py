from __future__ import annotations

from collections.abc import Iterable

import pytest
from google.protobuf.message import Message
from tests.support.synthetic import SECRET, Championship, Step, full_game, game_id
from tests.unit.read_models.folded import STREAM, Folded

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.projections.championship import Broken


def fold_game(steps: Iterable[Step], game_: str) -> results.GetGameResponse:
    streams = {f"game-{game_}", f"clock-{game_}"}
    shown = answers.game_by_itself(
        event for step in steps for stream, new_events in step.items() if stream in streams for event in new_events
    )
    assert shown is not None
    return shown


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
    first, other, neither = ["anna"], ["carme"], list[str]()
    assert running == [first, other, first, other, first, neither, other, neither, other, first, other, neither]


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


def test_a_round_shows_the_scores_of_its_games_and_the_tournament_where_the_round_stands() -> None:
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    start = [*hall.create(), *hall.pair(1, [table.players], "eloi"), *hall.begin(1)]
    folded = Folded([*start, *table.open(hall.ruleset, hall.lexicon), *full_game(table)])
    (line,) = folded.pairings(1).tables
    assert ([seat.score for seat in line.seats], line.turns, line.final) == ([15, 111], 7, True)
    (played,) = folded.shown.played
    assert (played.tables, played.finished, folded.shown.players) == (1, 1, 5)


@pytest.mark.parametrize(
    ("event", "stream"),
    [
        (game.PlayCompleted(turn=1, player_id="anna"), "game-lliga-r1-t1"),
        (clock.ClockStarted(player_id="anna"), "clock-lliga-r1-t1"),
        (pairing.RoundStarted(round=3), STREAM),
        (pairing.RulesetPinned(), STREAM),
        (pairing.RoundPaired(round=1), STREAM),
        (game.Pin(name="not an event"), STREAM),
    ],
)
def test_an_event_that_cannot_follow_stops_the_projection(event: Message, stream: str) -> None:
    with pytest.raises(Broken, match=event.DESCRIPTOR.name):
        Folded().take(event, stream)


CREATED = pairing.TournamentCreated(tournament_id="lliga", rounds=5)


def test_a_tournament_of_which_the_final_standings_are_reopened_is_not_over() -> None:
    folded = Folded([{STREAM: [CREATED]}])
    folded.add(pairing.StandingsPublished(round=1))
    assert folded.shown.over

    folded.add(pairing.StandingsReopened(round=1))
    assert not folded.shown.over


def pair_round(number: int, first: str = "anna", second: str = "biel") -> pairing.RoundPaired:
    pair = pairing.Pairing(table=1, game_id=f"g{number}", first_player_id=first, second_player_id=second)
    return pairing.RoundPaired(round=number, pairings=[pair])


def test_a_pairing_that_is_taken_back_is_no_round_and_can_be_made_again() -> None:
    folded = Folded([{STREAM: [CREATED, pair_round(1), pairing.RoundUnpaired(round=1)]}])
    assert list(folded.shown.played) == []

    folded.add(pair_round(1, "anna", "carme"))
    assert [seat.player_id for table in folded.pairings(1).tables for seat in table.seats] == ["anna", "carme"]
    assert [(line.round, line.tables) for line in folded.shown.played] == [(1, 1)]


def test_a_result_that_is_corrected_back_takes_the_mark_of_later_rounds_away() -> None:
    def scores(anna: int, biel: int) -> list[game.FinalScore]:
        return [game.FinalScore(player_id="anna", score=anna), game.FinalScore(player_id="biel", score=biel)]

    def correct_result(number: int, anna: int, biel: int) -> pairing.ResultCorrected:
        winner = "anna" if anna > biel else "biel"
        return pairing.ResultCorrected(round=number, game_id=f"g{number}", scores=scores(anna, biel), winner_id=winner)

    def list_marks() -> list[bool]:
        return [line.corrected_before for line in folded.shown.played]

    was = [
        pairing.ResultRecorded(round=number, game_id=f"g{number}", scores=scores(400, 300), winner_id="anna")
        for number in (1, 2)
    ]
    folded = Folded([{STREAM: [CREATED, pair_round(1), was[0], pair_round(2), was[1], pair_round(3)]}])
    folded.add(correct_result(1, 300, 310), correct_result(2, 300, 310))
    assert list_marks() == [False, True, True]
    folded.add(correct_result(1, 300, 320), correct_result(1, 400, 300))
    assert list_marks() == [False, False, True]
    folded.add(correct_result(2, 400, 300))
    assert list_marks() == [False, False, False]


def test_rounds_that_were_paired_before_a_correction_are_marked_and_later_ones_are_not() -> None:
    folded = Folded([{STREAM: [CREATED, pair_round(1), pair_round(2)]}])
    scores = [game.FinalScore(player_id="anna", score=300), game.FinalScore(player_id="biel", score=310)]
    corrected = pairing.ResultCorrected(round=1, game_id="g1", scores=scores, winner_id="biel")
    folded.add(corrected, pair_round(3))

    assert [line.corrected_before for line in folded.shown.played] == [False, True, False]
    (table,) = folded.pairings(1).tables
    assert [seat.score for seat in table.seats] == [300, 310]
    assert table.corrected

    # A correction states whether there was a game; an older one without that field leaves it unchanged.
    corrected.unplayed, corrected.condition = True, game.END_CONDITION_FORFEIT
    corrected.loser_ids.append("anna")
    before = pairing.ResultCorrected(round=1, game_id="g1", scores=scores, winner_id="biel")
    for event in (corrected, before):
        folded.add(event)
        (table,) = folded.pairings(1).tables
        assert (table.unplayed, table.condition, list(table.loser_ids)) == (True, game.END_CONDITION_FORFEIT, ["anna"])
