"""The records of TRF26 that TRF16 lacks: program, encoded type, tie-breaks, teams with their matches. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.computed.teams import rank_as_rows
from faristol.read_models.storage import rows
from faristol.read_models.storage.rows import ByeKind, Round, Tournament, decode_tuples
from faristol.rules import Bye, Ruleset
from faristol.rules.standings import is_rest
from faristol.rules.trf import TrfPlayer, TrfTeam

CONTROLLER_NAME = "Faristol"
"""The program that makes the pairings (record 182)."""

_SWISS_SYSTEMS = ("swiss", "swiss-lot", "classification", "classification-lot", "king-of-the-hill")
"""Systems that pair by the results, by rules of a book and not of FIDE."""
_SYSTEM_CODES = {
    "dutch": "FIDE_DUTCH",
    **dict.fromkeys(_SWISS_SYSTEMS, "CUSTOM_SWISS"),
    "round-robin": "BERGER_ROUNDROBIN_G1",
    "double-round-robin": "BERGER_ROUNDROBIN_G2",
    "knock-out": "CUSTOM_KNOCKOUT",
}
"""Codes of FIDE's table of types (record 192)."""
_TEAM_SYSTEM_CODES = {
    **dict.fromkeys((*_SWISS_SYSTEMS, "dutch"), "CUSTOM_TEAM_SWISS"),
    "round-robin": "BERGER_TEAM_ROUNDROBIN_G1",
    "double-round-robin": "BERGER_TEAM_ROUNDROBIN_G2",
    "knock-out": "CUSTOM_TEAM_KNOCKOUT",
}
_BYE_TYPES: Mapping[int, str] = {results.OUTCOME_WIN: "FPB", results.OUTCOME_DRAW: "HPB"}


@dataclass(frozen=True)
class TeamRecords:
    """The teams of a file, and the lines about their matches."""

    teams: tuple[TrfTeam, ...] = ()
    lines: tuple[str, ...] = ()


def list_codes(tournament: Tournament, ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the headers that a program reads: controller, encoded type, tie-breaks, points of matches.

    A system or tie-break without a code of FIDE is omitted, and so are the tie-breaks after it.
    """
    law = ruleset.championship
    yield "182", CONTROLLER_NAME
    if tournament.team_boards:
        code = _TEAM_SYSTEM_CODES.get(law.system, "")
        if code == "CUSTOM_TEAM_SWISS":
            code += f"_{_first_score(ruleset)}"
    else:
        code = _SYSTEM_CODES.get(law.system, "")
        if code == "FIDE_DUTCH" and law.acceleration == "baku":
            code += "_BAKU"
    if code:
        yield "192", code
    if codes := list(_list_tie_breaks(tournament, ruleset)):
        yield "202", ",".join(codes)
    if tournament.team_boards:
        points = {"TW": law.win, "TD": law.draw, "TL": law.loss}
        yield "362", "   ".join(f"{name}{value:4.1f}" for name, value in points.items())


def _first_score(ruleset: Ruleset) -> str:
    """Return FIDE's code of the first criterion of teams."""
    return "MP" if ruleset.championship.team_score == "match-points" else "GP"


def _list_tie_breaks(tournament: Tournament, ruleset: Ruleset) -> Iterator[str]:
    """Yield the codes of the tie-breaks of FIDE (C.07), up to the first that FIDE does not have."""
    law = ruleset.championship
    kind = f":{_first_score(ruleset)}" if tournament.team_boards else ""
    if kind:
        yield "GPTS" if law.team_score == "match-points" else "MPTS"
    if not law.unplayed.startswith("fide"):
        return
    cut = law.buchholz_cut_long if tournament.rounds >= law.long_from_rounds else law.buchholz_cut
    codes = {"buchholz": f"BH{kind}", "median-buchholz": f"BH{kind}/C{cut}" if cut else f"BH{kind}"}
    if not kind:
        codes |= {"berger": "SB", "head-to-head": "DE"}
    for name in law.tie_breaks:
        if name not in codes:
            return
        yield codes[name]


def list_team_records(
    tournament: Tournament,
    teams: Sequence[rows.Team],
    rounds: Sequence[Round],
    ruleset: Ruleset,
    players: Sequence[TrfPlayer],
    number_of: Mapping[str, int],
) -> TeamRecords:
    """Return the records of teams (310) with their byes (320), other orders of boards (300) and matches (802)."""
    numbers = {team.team_id: number for number, team in enumerate(teams, 1)}
    standings = {line.team_id: line for line, _ in rank_as_rows(tournament, teams, rounds, ruleset)}
    found = []
    for team in teams:
        line = standings[team.team_id]
        listed = dict.fromkeys([*team.line_up, *_list_former(team, rounds)])
        points = f"{line.match_half_points / 2:6.1f} {line.board_half_points / 2:6.1f}"
        standing = f"{'':12} {points} {line.rank:3}"
        found.append(TrfTeam(team.name, _list_numbers(listed, number_of), numbers[team.team_id], standing))
    seated = {
        (round_.round, seat.player_id): seat.team_id
        for round_ in rounds
        for game in round_.games
        for seat in game.seats
    }
    lines = [
        *_list_byes(tournament, rounds, ruleset, numbers),
        *_list_other_orders(tournament, teams, rounds, numbers, number_of),
        *(
            _format_matches(standings[team.team_id], numbers, _colours(team, rounds, seated, players, number_of))
            for team in teams
        ),
    ]
    return TeamRecords(tuple(found), tuple(lines))


def _list_former(team: rows.Team, rounds: Iterable[Round]) -> Iterator[str]:
    """Yield the players with a board or a bye of the team, also those who have left its line-up since."""
    for round_ in rounds:
        yield from (seat.player_id for game in round_.games for seat in game.seats if seat.team_id == team.team_id)
        yield from (bye.player_id for bye in round_.byes if bye.player_id and bye.team_id == team.team_id)


def _list_numbers(player_ids: Iterable[str], number_of: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(number_of[player_id] for player_id in player_ids if player_id in number_of)


def _list_byes(
    tournament: Tournament, rounds: Sequence[Round], ruleset: Ruleset, numbers: Mapping[str, int]
) -> Iterator[str]:
    """Yield the record of the teams with the bye of the pairing by round (320), if there is one."""
    by_round = [
        next((numbers[bye.team_id] for bye in round_.byes_of(ByeKind.TEAM) if not bye.worth), 0) for round_ in rounds
    ]
    if any(by_round):
        law = ruleset.championship
        rests = is_rest(Bye.ALLOCATED, ruleset, len(numbers))
        match_points, points = (0.0, 0.0) if rests else (law.bye, law.win * tournament.team_boards)
        yield f"320 {match_points:4.1f} {points:4.1f} " + " ".join(f"{number:03}" for number in by_round)


def _list_other_orders(
    tournament: Tournament,
    teams: Sequence[rows.Team],
    rounds: Sequence[Round],
    numbers: Mapping[str, int],
    number_of: Mapping[str, int],
) -> Iterator[str]:
    """Yield a record for each match in which a team had another order than its line-up, or an empty board (300)."""
    boards = tournament.team_boards
    usual = {team.team_id: [*_list_numbers(team.line_up, number_of), *[0] * boards][:boards] for team in teams}
    for round_ in rounds:
        for match in round_.matches:
            both = match.first_team_id, match.second_team_id
            for team_id, other in (both, both[::-1]):
                played = [0] * boards
                for game in round_.games:
                    for seat in game.seats:
                        if game.match == match.match and seat.team_id == team_id and 0 < game.board <= boards:
                            played[game.board - 1] = number_of[seat.player_id]
                if played != usual[team_id] or not all(played):
                    of = " ".join(f"{number:04}" for number in played)
                    yield f"300 {round_.round:03} {numbers[team_id]:03} {numbers[other]:03} {of}"


def _colours(
    team: rows.Team,
    rounds: Sequence[Round],
    seated: Mapping[tuple[int, str], str],
    players: Sequence[TrfPlayer],
    number_of: Mapping[str, int],
) -> Mapping[int, str]:
    """Return the colour of the team's first board by round, as in the players' lines."""
    by_number = {player.number: player for player in players}
    found = {}
    for round_ in rounds:
        for game in sorted(round_.games, key=lambda game: game.board, reverse=True):
            for seat in game.seats:
                if seated[round_.round, seat.player_id] == team.team_id:
                    found[round_.round] = by_number[number_of[seat.player_id]].cell(round_.round).colour
    return found


def _format_matches(line: rows.TeamStanding, numbers: Mapping[str, int], colours: Mapping[int, str]) -> str:
    """Return the record of a team's matches for readers (802)."""
    text = f"802 {numbers[line.team_id]:3} {'':5} {line.match_half_points / 2:6.1f} {line.board_half_points / 2:6.1f} "
    for each in decode_tuples(rows.TeamRound, line.rounds):
        if each.opponent_id:
            against, colour = f"{numbers[each.opponent_id]:3}", colours.get(each.round, " ")
        else:
            allocated = each.basis == results.TERM_BASIS_BYE
            against, colour = "PAB" if allocated else _BYE_TYPES.get(each.outcome, "ZPB"), " "
        text += f" {against} {colour} {each.board_half_points / 2:4.1f}  "
    return text.rstrip()
