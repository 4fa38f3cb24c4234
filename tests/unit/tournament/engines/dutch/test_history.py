"""The pairing starts from the earlier rounds of a file."""

from __future__ import annotations

from faristol.rules.trf import Byes, Document, Fictitious, Forbidden, TrfCell
from faristol.rules.trf import TrfPlayer as Line
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, Float, Strength


def tournament(**given: object) -> Document:
    """Return two rounds of five players: a win, a draw, a forfeit, byes of every kind."""
    cells = {
        1: (TrfCell(2, "w", "1"), TrfCell(3, "b", "1")),
        2: (TrfCell(1, "b", "0"), TrfCell(4, "w", "+")),
        3: (TrfCell(4, "w", "="), TrfCell(1, "w", "0")),
        4: (TrfCell(3, "b", "="), TrfCell(2, "b", "-")),
        5: (TrfCell(result="U"), TrfCell(result="H")),
        6: (TrfCell(result="Z"), TrfCell(result="F")),
    }
    lines = tuple(Line(number, cells=rounds) for number, rounds in cells.items())
    return Document(lines, **given)  # type: ignore[arg-type]


def before(document: Document, number: int = 3) -> dict[int, DutchPlayer]:
    return {player.number: player for player in round_to_pair(document, number).players}


def test_points_opponents_and_colours_are_those_of_the_games() -> None:
    players = before(tournament())
    assert {number: player.points for number, player in players.items()} == {1: 20, 2: 10, 3: 5, 4: 5, 5: 15, 6: 10}
    assert players[1].opponents == {2, 3}
    assert players[1].colours == (WHITE, BLACK)
    assert players[2].opponents == {1}, "a game lost or won by forfeit is none"
    assert players[2].colours == (BLACK,)
    assert players[3].strength is Strength.ABSOLUTE
    assert players[3].preference == BLACK


def test_points_without_playing_are_a_downfloat_and_their_want_is_none() -> None:
    players = before(tournament())
    down, up, none = Float.DOWN, Float.UP, Float.NONE
    assert players[1].floats == (down, none)
    assert players[3].floats == (up, none)
    assert players[2].floats == (down, none), "won by forfeit"
    assert players[4].floats == (none, none), "lost by forfeit"
    assert players[5].floats == (down, down), "half a point, and the allocated bye"
    assert players[6].floats == (down, none), "a full point, and none"


def test_a_win_without_playing_is_a_bye_had() -> None:
    players = before(tournament())
    assert {number for number, player in players.items() if player.had_bye} == {2, 5, 6}
    assert [players[number].unplayed for number in range(1, 7)] == [0, 1, 0, 1, 2, 2]


def test_topscorers_are_known_in_the_final_round_alone() -> None:
    assert {number for number, player in before(tournament(rounds=3)).items() if player.topscorer} == {1, 5}
    assert not any(player.topscorer for player in before(tournament(rounds=4)).values())


def test_where_the_file_does_not_say_how_many_rounds_there_are_the_last_one_paired_is_the_final_round() -> None:
    assert [
        {player.number for player in before(tournament(), number).values() if player.topscorer} for number in (2, 3)
    ] == [{1}, set()]
    assert not any(player.topscorer for player in before(tournament(rounds=3), 2).values())


def test_who_is_away_is_left_out_and_who_is_kept_apart_is_said() -> None:
    document = tournament(
        byes=(Byes("H", 3, (6,)), Byes("Z", 4, (1,))),
        forbidden=(Forbidden((1, 4, 5)), Forbidden((2, 3), 1, 2)),
        fictitious=(Fictitious(10, 3, 3, 1, 2),),
    )
    a_round = round_to_pair(document, 3)
    assert {player.number for player in a_round.players} == {1, 2, 3, 4, 5}
    assert a_round.forbidden == {frozenset(pair) for pair in ((1, 4), (1, 5), (4, 5))}
    assert {player.number: player.points for player in a_round.players}[2] == 20


def test_a_round_that_was_paired_has_those_who_were_paired() -> None:
    assert set(before(tournament(), 1)) == {1, 2, 3, 4, 5}
    assert set(before(tournament(), 2)) == {1, 2, 3, 4}


def test_the_initial_colour_is_the_files_or_that_of_its_first_round() -> None:
    assert round_to_pair(tournament(initial_colour="b"), 3).initial_colour == BLACK
    assert round_to_pair(tournament(), 3, initial_colour=BLACK).initial_colour == WHITE
    empty = Document((Line(1), Line(2)))
    assert round_to_pair(empty, 1, initial_colour=BLACK).initial_colour == BLACK


def test_the_numbers_of_the_first_round_are_counted_among_those_who_are_there() -> None:
    """FIDE C.04.2: a late player gets a number on arrival."""
    late = Document(
        (
            Line(1, cells=(TrfCell(result="H"),)),
            Line(2, cells=(TrfCell(3, "b", "1"),)),
            Line(3, cells=(TrfCell(2, "w", "0"),)),
        )
    )
    assert round_to_pair(late, 1).initial_colour == BLACK
    assert round_to_pair(late, 1).not_come == {1}
    assert round_to_pair(late, 2).not_come == frozenset(), "number 1 is to be paired"


def test_a_pair_named_without_a_result_is_kept() -> None:
    document = Document(
        (Line(1, cells=(TrfCell(4, "b", " "),)), Line(2), Line(3), Line(4, cells=(TrfCell(1, "w", " "),)))
    )
    assert round_to_pair(document, 1).kept == ((4, 1),)
