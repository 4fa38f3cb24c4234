"""The headers of TRF26 that a program reads, and the records of teams in the columns of FIDE."""

from __future__ import annotations

import pytest

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.trf26 import TeamRecords, list_codes, list_team_records
from faristol.read_models.storage.rows import Bye, ByeKind, Game, Match, Round, Seat, Team, Tournament
from faristol.rules import load_ruleset, with_options
from faristol.rules.trf import Document, TrfCell, TrfPlayer, read_trf
from faristol.rules.trf.writer import write_trf


@pytest.mark.parametrize(
    ("book", "options", "rounds", "expected"),
    [
        ("fisc-2023", {}, 6, {"192": "CUSTOM_SWISS", "202": "BH/C1,SB"}),
        ("fisc-2023", {}, 11, {"192": "CUSTOM_SWISS", "202": "BH/C2,SB"}),
        ("pes-2024", {}, 7, {"192": "CUSTOM_SWISS", "202": "BH"}),
        ("fise", {"pairing": "dutch", "tie_breaks": "berger"}, 7, {"192": "FIDE_DUTCH", "202": "BH,SB"}),
        ("fise", {"pairing": "dutch", "acceleration": "baku"}, 9, {"192": "FIDE_DUTCH_BAKU"}),
        ("fise", {"tie_breaks": "head-to-head"}, 7, {"192": "CUSTOM_SWISS", "202": "DE"}),
        ("fise", {"pairing": "round-robin"}, 7, {"192": "BERGER_ROUNDROBIN_G1"}),
    ],
)
def test_the_codes_of_fide_are_those_of_the_rules_up_to_the_first_without_one(
    book: str, options: dict[str, str], rounds: int, expected: dict[str, str]
) -> None:
    rules = with_options(load_ruleset(book), options)
    found = dict(list_codes(Tournament(tournament_id="copa", rounds=rounds), rules))
    assert found == {"182": "Faristol", **expected}


OF_TWO = with_options(load_ruleset("fise"), {"teams": 2, "tie_breaks": "spread"})
LEAGUE = Tournament("lliga", rounds=2, team_boards=2, ruleset=OF_TWO.name, ruleset_digest=OF_TWO.digest)
TEAMS = [
    Team("lliga", team, number, team.title(), line_up=(f"{team}-1", f"{team}-2"))
    for number, team in enumerate(("avila", "burgos", "cuenca"))
]
NUMBERS = {player: number for number, player in enumerate((name for team in TEAMS for name in team.line_up), 1)}


def play(board: int, teams: tuple[str, str], *scores: int, unplayed: bool = False) -> Game:
    """Return a table of the first match of a round; the first team wins if it is not played."""
    seats = [
        Seat("", place, player_id=f"{team}-{board}", team_id=team, score=score)
        for place, (team, score) in enumerate(zip(teams, scores or (0, 0), strict=True))
    ]
    winner = seats[0].player_id if unplayed else ""
    return Game("", "lliga", seats=seats, match=1, board=board, final=True, unplayed=unplayed, winner_id=winner)


def list_records() -> TeamRecords:
    """Return the records of two rounds: Burgos does not come, and Ávila then lacks its second player."""
    first, second = (Round("lliga", number, results.ROUND_PHASE_CLOSED) for number in (1, 2))
    first.matches.append(Match("lliga", 1, 1, "avila", "burgos"))
    first.games += [play(board, ("avila", "burgos"), unplayed=True) for board in (1, 2)]
    first.byes.append(Bye("lliga", 1, ByeKind.TEAM, 0, team_id="cuenca"))
    second.matches.append(Match("lliga", 2, 1, "cuenca", "avila"))
    second.games.append(play(1, ("cuenca", "avila"), 300, 400))
    full = pairing.BYE_KIND_FULL_POINT
    second.byes.append(Bye("lliga", 2, ByeKind.REQUESTED, 0, "cuenca-2", "cuenca", full, 1, 2))
    second.byes.append(Bye("lliga", 2, ByeKind.TEAM, 1, team_id="burgos", worth=full))
    cells = {
        "avila-1": (TrfCell(3, "w", "+"), TrfCell(5, "b", "1")),
        "avila-2": (TrfCell(4, "b", "+"), TrfCell()),
        "burgos-1": (TrfCell(1, "b", "-"), TrfCell(result="F")),
        "burgos-2": (TrfCell(2, "w", "-"), TrfCell(result="F")),
        "cuenca-1": (TrfCell(result="U"), TrfCell(1, "w", "0")),
        "cuenca-2": (TrfCell(result="U"), TrfCell(result="+")),
    }
    players = [TrfPlayer(NUMBERS[name], name, cells=cells[name]) for name in NUMBERS]
    return list_team_records(LEAGUE, TEAMS, [first, second], OF_TWO, players, NUMBERS)


def test_forfeited_matches_and_empty_boards_have_their_records_in_the_columns_of_fide() -> None:
    lines = list_records().lines

    assert [line for line in lines if line.startswith("330")] == ["330 +- 001 001 002"]
    assert [line for line in lines if line.startswith("300")] == ["300 002 001 003 0001 0000"]
    assert [line[14:] for line in lines if line.startswith("320")] == ["003 000"]


def test_the_matches_for_readers_have_opponents_colours_boards_and_forfeits() -> None:
    lines = list_records().lines
    boards = {line[4:6].strip(): line for line in lines if line.startswith("801")}
    matches = {line[4:7].strip(): line for line in lines if line.startswith("802")}

    assert boards["1"][22:] == "   2 w ++ 12   3 b 1- 10"
    assert boards["2"][22:].split() == ["1", "b", "--", "12", "FF"]
    assert boards["3"][22:].split() == ["UU", "1", "w", "0+", "12"]
    assert (matches["1"][28:31], matches["1"][32], matches["1"][34:38], matches["1"][38]) == ("  2", "w", " 2.0", "f")
    assert (matches["1"][41:44], matches["1"][45], matches["1"][47:51], matches["1"][51:52]) == ("  3", "b", " 1.0", "")
    assert (matches["3"][28:31], matches["2"][41:44]) == ("PAB", "FPB")


def test_the_records_of_teams_are_read_back_unchanged() -> None:
    records = list_records()
    players = tuple(TrfPlayer(number, name) for name, number in NUMBERS.items())
    document = Document(players, rounds=2, teams=records.teams, other=records.lines)

    again = read_trf(write_trf(document))

    assert again.other == records.lines
    assert again.teams == records.teams
    assert not again.notes
