"""The records of TRF26 that TRF16 lacks: program, encoded type, tie-breaks, teams with their matches. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
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
_BYE_LETTERS: Mapping[str, str] = {"PAB": "U", "FPB": "F", "HPB": "H", "ZPB": "Z"}

PLACE_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Places of players in the record of their team, from 1; longer line-ups begin again."""

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
    """Return the records of teams (310) with their byes (320), forfeited matches (330), boards and matches.

    Boards are in those of other orders (300), matches in those for readers, with the boards (801) and without (802).
    """
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
    colours = {team.team_id: _colours(team, rounds, seated, players, number_of) for team in teams}
    boards = _BoardReader(tournament, rounds, players, number_of)
    forfeits = [*_list_forfeits(rounds, boards, colours)]
    forfeited = {(each.round, team_id) for each in forfeits for team_id in (each.white_id, each.black_id)}
    listed_of = {team.number: team.players for team in found}
    lines = [
        *_list_byes(tournament, rounds, ruleset, numbers),
        *(
            f"330 {each.kind} {each.round:03} {numbers[each.white_id]:03} {numbers[each.black_id]:03}"
            for each in forfeits
        ),
        *_list_other_orders(teams, rounds, boards, numbers, number_of),
        *(
            _format_boards(
                standings[team.team_id], numbers, colours[team.team_id], boards, listed_of[numbers[team.team_id]]
            )
            for team in teams
        ),
        *(_format_matches(standings[team.team_id], numbers, colours[team.team_id], forfeited) for team in teams),
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


class _BoardReader:
    """The boards of teams, as in the lines of the players."""

    def __init__(
        self,
        tournament: Tournament,
        rounds: Sequence[Round],
        players: Sequence[TrfPlayer],
        number_of: Mapping[str, int],
    ) -> None:
        self.count = tournament.team_boards
        self._cells = {player.number: player for player in players}
        self._seated: dict[tuple[int, str, int], int] = {}
        for round_ in rounds:
            for game in round_.games:
                for seat in game.seats:
                    self._seated[round_.round, seat.team_id, game.board] = number_of.get(seat.player_id, 0)
            for bye in round_.byes:
                if bye.player_id and bye.match and bye.board:  # the other team has no player for the board
                    self._seated[round_.round, bye.team_id, bye.board] = number_of.get(bye.player_id, 0)

    def list_players(self, round_number: int, team_id: str) -> list[int]:
        """Return the starting numbers of the players of a team at the boards of a round; 0 for an empty board."""
        return [self._seated.get((round_number, team_id, board), 0) for board in range(1, self.count + 1)]

    def list_results(self, round_number: int, team_id: str) -> str:
        """Return the results of a team at these boards, as in the players' lines; ``-`` for an empty board."""
        numbers = self.list_players(round_number, team_id)
        return "".join(self._cells[number].cell(round_number).result if number else "-" for number in numbers)


@dataclass(frozen=True, slots=True)
class _Forfeit:
    """A match in which no board was played."""

    kind: str
    """``+-`` won by the white team, ``-+`` by the black one, ``--`` by neither."""
    round: int
    white_id: str
    """The team with white at its first board."""
    black_id: str


def _list_forfeits(
    rounds: Iterable[Round], boards: _BoardReader, colours: Mapping[str, Mapping[int, str]]
) -> Iterator[_Forfeit]:
    """Yield the matches that a team lost by absence at all boards, or both did."""
    for round_ in rounds:
        for match in round_.matches:
            white, black = match.first_team_id, match.second_team_id
            if colours.get(white, {}).get(round_.round, "w") == "b":
                white, black = black, white
            won, lost = (boards.list_results(round_.round, team_id) for team_id in (white, black))
            if {*won, *lost} <= {"+", "-"} and not ("+" in won and "+" in lost):
                yield _Forfeit("+-" if "+" in won else "-+" if "+" in lost else "--", round_.round, white, black)


def _list_other_orders(
    teams: Sequence[rows.Team],
    rounds: Sequence[Round],
    boards: _BoardReader,
    numbers: Mapping[str, int],
    number_of: Mapping[str, int],
) -> Iterator[str]:
    """Yield a record for each match in which a team had another order than its line-up, or an empty board (300)."""
    usual = {
        team.team_id: [*_list_numbers(team.line_up, number_of), *[0] * boards.count][: boards.count] for team in teams
    }
    for round_ in rounds:
        for match in round_.matches:
            both = match.first_team_id, match.second_team_id
            for team_id, other in (both, both[::-1]):
                played = boards.list_players(round_.round, team_id)
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


def _describe_round(each: rows.TeamRound, numbers: Mapping[str, int]) -> str:
    """Return the number of the opponent in a round, or the type of the bye."""
    if each.opponent_id:
        return f"{numbers[each.opponent_id]:3}"
    return "PAB" if each.basis == results.TERM_BASIS_BYE else _BYE_TYPES.get(each.outcome, "ZPB")


def _format_boards(
    line: rows.TeamStanding,
    numbers: Mapping[str, int],
    colours: Mapping[int, str],
    boards: _BoardReader,
    players: Sequence[int],
) -> str:
    """Return the record of a team's matches with their boards for readers (801).

    A round has the opponent, the colour, the results of the boards, and the places of their players in the record 310:
    0 for an empty board, letters from the tenth on. The results of a bye are its letter at each board.
    """
    text = f"801 {numbers[line.team_id]:2} {'':5} {line.match_half_points / 2:4g} {line.board_half_points / 2:4.1f}"
    place_of = {number: PLACE_SIGNS[place % len(PLACE_SIGNS)] for place, number in enumerate(players, 1)}
    for each in decode_tuples(rows.TeamRound, line.rounds):
        if each.opponent_id:
            order = "".join(place_of.get(number, "0") for number in boards.list_players(each.round, line.team_id))
            found = boards.list_results(each.round, line.team_id)
            text += f" {_describe_round(each, numbers)} {colours.get(each.round, ' ')} {found} {order}"
        else:
            letter = _BYE_LETTERS[_describe_round(each, numbers)]
            text += f" {'':3}   {letter * boards.count} {'':{boards.count}}"
    return text.rstrip()


def _format_matches(
    line: rows.TeamStanding,
    numbers: Mapping[str, int],
    colours: Mapping[int, str],
    forfeited: Container[tuple[int, str]],
) -> str:
    """Return the record of a team's matches for readers (802); ``f`` marks one that was forfeited."""
    text = f"802 {numbers[line.team_id]:3} {'':5} {line.match_half_points / 2:6.1f} {line.board_half_points / 2:6.1f} "
    for each in decode_tuples(rows.TeamRound, line.rounds):
        colour = colours.get(each.round, " ") if each.opponent_id else " "
        mark = "f" if (each.round, line.team_id) in forfeited else " "
        text += f"{_describe_round(each, numbers)} {colour} {each.board_half_points / 2:4.1f}{mark}  "
    return text.rstrip()
