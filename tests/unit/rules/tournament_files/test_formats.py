"""The files of tsh and of AUPAIR: what is written is read again, and a real division has the ranks of its program."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faristol.rules.tournament_files import (
    FileDivision,
    FilePlayer,
    FileRound,
    RoundKind,
    TournamentFile,
    UnreadableFile,
    find_doubts,
)
from faristol.rules.tournament_files.results_list import read_results, write_crosstable
from faristol.rules.tournament_files.tou import TOU_NAME_CHARACTERS, read_tou, write_tou
from faristol.rules.tournament_files.tsh import decode_tsh, encode_tsh, read_division, read_tsh, write_tsh

REAL_DIVISION = Path(__file__).parents[5] / "shared" / "data" / "tsh" / "kingston-b.json"
"""A division of tsh with the rank of each player after each round; beside the checkout, if at all."""

NAMES = ("Anna Puig Mas", "Blai Soler", "Núria Mas", "Pau Ferrer", "Ona", "Jordi d'Arc")


@st.composite
def tournaments(draw: st.DrawFn) -> TournamentFile:
    """Draw a tournament of one division, every round with games, a bye if the number is odd, and absences."""
    count, rounds = draw(st.integers(2, 6)), draw(st.integers(0, 5))
    cells: list[list[FileRound]] = [[] for _ in range(count)]
    for _ in range(rounds):
        order = draw(st.permutations(range(count)))
        pairs = [(order[place], order[place + 1]) for place in range(0, count - 1, 2)]
        if count % 2:
            bye = st.sampled_from([FileRound(RoundKind.BYE, score=50), FileRound(RoundKind.ABSENCE, score=0)])
            cells[order[-1]].append(draw(bye))
        for table, (one, other) in enumerate(pairs, 1):
            mine, theirs = draw(st.integers(0, 999)), draw(st.integers(0, 999))
            cells[one].append(FileRound(RoundKind.GAME, other + 1, mine, theirs, True, table))
            cells[other].append(FileRound(RoundKind.GAME, one + 1, theirs, mine, False, table))
    ratings = st.one_of(st.none(), st.integers(1, 3000))
    players = tuple(FilePlayer(NAMES[number], draw(ratings), tuple(cells[number])) for number in range(count))
    return TournamentFile("Open de Reus", "2026-03-07", (FileDivision("A", players),), rounds, "tsh")


def read_back(tournament: TournamentFile) -> TournamentFile:
    """Write a folder for tsh as bytes, and read it."""
    files = {name: encode_tsh(text) for name, text in write_tsh(tournament).items()}
    return read_tsh({name: decode_tsh(content) for name, content in files.items()})


def list_content(tournament: TournamentFile, *, width: int = 100, tables: bool = True) -> list[Any]:
    """Return what a format keeps of the players; the lines of the file differ."""
    return [
        (player.name[:width], [cell if tables else replace(cell, table=0) for cell in player.rounds])
        for player in tournament.divisions[0].players
    ]


@given(tournaments())
def test_a_folder_of_tsh_is_read_as_it_was_written(tournament: TournamentFile) -> None:
    again = read_back(tournament)

    assert list_content(again, tables=True) == list_content(tournament)
    assert [player.rating for player in again.divisions[0].players] == [
        player.rating for player in tournament.divisions[0].players
    ]
    assert (again.name, again.date, again.rounds) == (tournament.name, tournament.date, tournament.rounds)
    assert find_doubts(again) == find_doubts(tournament)


@given(tournaments())
def test_a_tou_file_is_read_as_it_was_written_but_for_long_names_ratings_and_tables(tournament: TournamentFile) -> None:
    again = read_tou(write_tou(tournament))

    there = [
        player
        for player in tournament.divisions[0].players
        if any(cell.kind is not RoundKind.ABSENCE for cell in player.rounds)
    ]
    if len(there) == len(tournament.divisions[0].players):
        width = TOU_NAME_CHARACTERS
        assert list_content(again, width=width) == list_content(tournament, width=width, tables=False)
    assert (again.name, again.date) == (tournament.name, tournament.date)


@settings(max_examples=50)
@given(tournaments())
def test_a_crosstable_has_every_result_of_every_player(tournament: TournamentFile) -> None:
    text = write_crosstable(tournament)
    for player in tournament.divisions[0].players:
        assert player.name in text
        for cell in player.rounds:
            if cell.kind is RoundKind.GAME:
                assert f"{cell.score}-{cell.against}" in text


@pytest.mark.skipif(not REAL_DIVISION.exists(), reason="the real division is not beside the checkout")
def test_the_ranks_of_a_real_division_are_those_of_tsh_after_every_round() -> None:
    known = json.loads(REAL_DIVISION.read_text())["players"][1:]
    lines = [
        f"Player{chr(64 + each['id'])}, X {each['rating']} {' '.join(map(str, each['pairings']))}; "
        f"{' '.join(map(str, each['scores']))}; p12 {' '.join(map(str, each['etc']['p12']))}"
        for each in known
    ]
    division = read_division("\n".join(lines))

    assert not find_doubts(TournamentFile(divisions=(division,)))
    for number in range(1, division.rounds + 1):
        ranks = {player: place for place, (player, _, _) in enumerate(division.rank(number), 1)}
        assert ranks == {each["id"]: each["etc"]["rrank"][number] for each in known}


def test_tsh_has_byes_absences_unknown_values_and_names_with_a_comma() -> None:
    division = read_division(
        "# Division A\n"
        "Puig Mas, Anna  1450 2 0 00 ; 401 50; p12 1 0; off 0; team CAT\n"
        "\n"
        "Soler, Blai  0 1 0 3; 388 -50\n"
        "Ona 1200+50 00 00 2; 00 00 377\n"
    )
    anna, blai, ona = division.players
    assert (anna.name, anna.rating, anna.left, anna.country) == ("Anna Puig Mas", 1450, True, "CAT")
    assert anna.rounds == (
        FileRound(RoundKind.GAME, 2, 401, 388, True),
        FileRound(RoundKind.BYE, score=50),
        FileRound(RoundKind.ABSENCE),
    )
    assert (blai.rating, blai.rounds[1]) == (None, FileRound(RoundKind.ABSENCE, score=-50))
    assert blai.rounds[2] == FileRound(RoundKind.GAME, 3, None, 377)
    assert (ona.name, ona.rating, ona.line) == ("Ona", 1200, 5)
    assert [line[0] for line in division.rank()] == [1, 3, 2]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"a.t": ""}, "has no config.tsh"),
        ({"config.tsh": "config max_rounds = 3"}, "there is no division"),
        ({"config.tsh": "division a a.t"}, "a.t of division a is missing"),
        ({"config.tsh": "division a a.t", "a.t": "Anna\n"}, "a.t:1: expected a name, a rating"),
        ({"config.tsh": "division a a.t", "a.t": "Anna 1 2; x\n"}, "a.t:1: expected a score, found"),
    ],
)
def test_a_folder_that_is_not_of_tsh_is_refused_with_its_line(files: dict[str, str], problem: str) -> None:
    with pytest.raises(UnreadableFile, match=problem):
        read_tsh(files)


def test_namesakes_stay_apart_in_files_without_digits_or_with_short_names() -> None:
    names = ("Player 1", "Player 2", "Maria Magdalena Puigdevall", "Maria Magdalena Puigdomènech")
    cells = [FileRound(RoundKind.BYE, score=0)]
    players = tuple(FilePlayer(name, 1500, (*cells,)) for name in names)
    tournament = TournamentFile("Open", divisions=(FileDivision("A", players),))

    for again in (read_back(tournament), read_tou(write_tou(tournament))):
        found = [player.name for player in again.divisions[0].players]
        assert len({*found}) == len(names), found
    assert [player.name for player in read_back(tournament).divisions[0].players[:2]] == ["Player", "Player B"]


def test_tou_has_codes_for_byes_forfeits_and_draws() -> None:
    found = read_tou(
        "*M07.03.2026 Open de Reus\r\n*A\r\n" + " " * 38 + "0\r\n"
        "Anna Puig Mas        2401  +2 2050  +1 1400   3\r\n"
        "Blai Soler            388   1 0000   2 1000   2\r\n"
        "Ona                  1000   3 1000   3 1400  +1\r\n"
        "*** END OF FILE ***\r\n"
    )
    (division,) = found.divisions
    assert (found.name, found.date, division.name) == ("Open de Reus", "2026-03-07", "A")
    anna, blai, ona = (player.rounds for player in division.players)
    assert anna[:2] == (FileRound(RoundKind.GAME, 2, 401, 388, True), FileRound(RoundKind.BYE, score=50))
    assert (anna[2].half_points, anna[2].starts, ona[2].starts) == (1, False, True)
    assert [cell.kind for cell in blai[1:]] == [RoundKind.FORFEIT_LOSS, RoundKind.ABSENCE]
    with pytest.raises(UnreadableFile, match="there is no tournament"):
        read_tou("Anna 2401 2\n")


def test_a_list_of_results_has_the_columns_of_this_program_or_of_the_absp() -> None:
    head = "round,table,first_name,first_score,second_name,second_score,bye\n"
    ours = f"{head}1,1,Anna,401,Blai,388,\n1,,Ona,,,,allocated\n"
    theirs = "Division,Round,Player1,Score1,Player2,Score2\nA,1,Anna,401,Blai,388\nA,1,Ona,,,\n"
    for text in (ours, theirs):
        (division,) = read_results(text).divisions
        assert [player.name for player in division.players] == ["Anna", "Blai", "Ona"]
        assert [line[:2] for line in division.rank()] == [(1, 2), (3, 2), (2, 0)]
    with pytest.raises(UnreadableFile, match=r"results\.csv:3: Anna has two lines in round 1"):
        read_results(f"{head}1,1,Anna,401,Blai,388,\n1,2,Anna,377,Ona,350,\n")
    with pytest.raises(UnreadableFile, match="second_score is missing"):
        read_results("round,player1,score1,player2\n")
