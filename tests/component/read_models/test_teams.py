"""The public answers about teams: their matches, standings and line-ups, at present and as of a past time."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from tests.component.read_models.test_history import CALLER
from tests.support.league import STREAM, TEAMS, League
from tests.support.synthetic import Championship, Step, append_all
from tests.unit.read_models import folded

from faristol.consumers import Progress, generations, tables
from faristol.event_store import Checkpoint, Record
from faristol.event_store.positions import move_checkpoint
from faristol.kernel.errors import NotFound
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import service as results_service
from faristol.read_models.computed.teams import rank_teams, show_matches
from faristol.read_models.projections.championship import Broken
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.rows import ByeKind, Team
from faristol.rules import load_ruleset
from faristol.rules.trf import read_trf, write_trf

FISE = load_ruleset("fise")

TAGS_OF_TRF26 = {"182", "192", "202", "300", "310", "320", "330", "362", "801", "802"}


class Folded(folded.Folded):
    """The read models after some steps."""

    @property
    def teams(self) -> list[Team]:
        return self.of.teams_in_order()

    @property
    def team_boards(self) -> int:
        return self.of.tournament.team_boards

    def standings(self, up_to: int = 3, *, arithmetic: bool = False) -> list[results.TeamStanding]:
        rounds = [each for number, each in sorted(self.rounds.items()) if number <= up_to]
        return rank_teams(self.of.tournament, self.teams, rounds, arithmetic=arithmetic)

    def match(self, number: int) -> results.Match:
        """Return the one match of a round, as it is shown."""
        answer = self.pairings(number)
        show_matches(answer, self.rounds[number], FISE)
        (match,) = answer.matches
        return match


def lines(standings: list[results.TeamStanding]) -> list[tuple[int, str, int, int, tuple[int, int, int], int]]:
    return [
        (
            standing.rank,
            standing.team_id,
            standing.match_half_points,
            standing.board_half_points,
            (standing.wins, standing.draws, standing.losses),
            standing.spread,
        )
        for standing in standings
    ]


def test_teams_are_ranked_by_matches_won_on_boards_and_byes_are_worth_a_match_and_all_its_boards() -> None:
    league = Folded(League().steps())
    assert lines(league.standings(up_to=1)) == [
        (1, "lleida", 2, 4, (0, 0, 0), 0),
        (2, "tarragona", 2, 3, (1, 0, 0), 100),
        (3, "sabadell", 0, 1, (0, 0, 1), -100),
    ]
    assert lines(league.standings(up_to=2)) == [
        (1, "lleida", 3, 6, (0, 1, 0), 40),
        (2, "tarragona", 3, 5, (1, 1, 0), 60),
        (3, "sabadell", 2, 5, (0, 0, 1), -100),
    ]


def test_by_points_of_boards_the_order_is_another() -> None:
    league = Folded(League(score="board-points").steps())
    assert [
        (standing.rank, standing.team_id, standing.board_half_points) for standing in league.standings(up_to=2)
    ] == [
        (1, "lleida", 6),
        (2, "tarragona", 5),
        (3, "sabadell", 5),
    ]
    assert [tie_break.name for tie_break in league.standings()[0].tie_breaks] == ["match-points", "spread", "total"]


def test_a_match_counts_once_its_last_board_is_over_and_byes_of_its_round_with_it() -> None:
    league = Folded(League().steps())
    match = league.match(3)
    assert (match.final, match.first_team.board_half_points, match.second_team.board_half_points) == (False, 2, 0)
    assert lines(league.standings())[:2] == lines(league.standings(up_to=2))[:2]
    league.add(*League().last_result()[STREAM])
    match = league.match(3)
    assert (match.final, match.winner_team_id) == (True, "")
    assert lines(league.standings()) == [
        (1, "lleida", 4, 8, (0, 2, 0), 50),
        (2, "tarragona", 4, 7, (1, 1, 0), 60),
        (3, "sabadell", 3, 7, (0, 1, 1), -110),
    ]


def test_each_round_of_a_team_says_whom_it_met_and_what_it_was() -> None:
    league = Folded(League().steps())
    shown = {standing.team_id: standing for standing in league.standings()}
    first, second, third = shown["tarragona"].rounds
    assert (first.opponent_id, first.opponent_name, first.opponent_rank) == ("sabadell", "Club Sabadell", 3)
    assert (first.board_half_points, first.against_half_points, first.outcome) == (3, 1, results.OUTCOME_WIN)
    assert (second.match, second.basis, second.outcome) == (1, results.TERM_BASIS_GAME, results.OUTCOME_DRAW)
    assert (third.match, third.basis, third.final) == (0, results.TERM_BASIS_UNSPECIFIED, False)
    playing = shown["sabadell"].rounds[2]
    assert (playing.basis, playing.outcome) == (results.TERM_BASIS_GAME, results.OUTCOME_UNSPECIFIED)
    assert not playing.final
    assert shown["lleida"].rounds[0].basis == results.TERM_BASIS_BYE
    league.add(*League().last_result()[STREAM])
    assert league.standings()[1].rounds[2].basis == results.TERM_BASIS_REQUESTED_BYE


def test_points_of_teams_are_those_of_their_boards_and_their_arithmetic_adds_up() -> None:
    league = Folded(League(tie_breaks="berger").steps())
    league.add(*League().last_result()[STREAM])
    for line in league.standings(arithmetic=True):
        halves = Fraction(0)
        for round_ in league.rounds.values():
            for game_ in round_.games:
                scores = {seat.team_id: seat.score for seat in game_.seats}
                if line.team_id in scores:
                    own, other = scores.pop(line.team_id), next(iter(scores.values()))
                    halves += 2 if own > other else int(own == other)
            alone = round_.byes_of(ByeKind.REQUESTED)
            halves += sum(2 for bye in alone if bye.match and bye.team_id == line.team_id)
            rests = [bye for bye in round_.byes_of(ByeKind.TEAM) if bye.team_id == line.team_id]
            halves += sum(league.team_boards * (1 if bye.worth == pairing.BYE_KIND_HALF_POINT else 2) for bye in rests)
        assert line.board_half_points == halves == sum(each.board_half_points for each in line.rounds)
        assert sum(term.quarters for term in line.point_arithmetic.terms) == 2 * line.match_half_points
        for tie_break in line.tie_breaks:
            assert sum(term.quarters for term in tie_break.arithmetic.terms) == tie_break.quarters


def test_what_came_off_the_spread_of_a_player_comes_off_the_team() -> None:
    league = Folded(League().steps())
    off = pairing.SpreadAdjusted(round=1, game_id="lliga-r1-t1", player_id="dolors", points=-50, article="PES Δ.ε")
    league.add(off)
    assert {standing.team_id: standing.spread for standing in league.standings(up_to=1)}["sabadell"] == -150


def test_everybody_is_of_one_team_and_a_new_line_up_lets_go_of_who_is_not_in_it() -> None:
    league = Folded(League().steps())
    of = {player.player_id: player.team_id for player in league.of.players.values()}
    assert [player for player, team_id in of.items() if team_id == "sabadell"] == ["dolors", "eloi"]
    assert (of["anna"], of["biel"], of["carme"]) == ("tarragona", "tarragona", "")
    assert list(league.teams[0].line_up) == ["biel", "anna"]
    seats = league.rounds[1].games[0].seats
    assert [seat.team_id for seat in seats] == ["tarragona", "sabadell"]


def test_a_team_that_left_before_any_round_has_no_place_and_one_that_comes_back_has() -> None:
    league = Folded(League().create())
    league.add(pairing.TeamWithdrawn(team_id="lleida", round=1))
    assert [standing.team_id for standing in league.standings()] == ["sabadell", "tarragona"]
    league.add(pairing.TeamReinstated(team_id="lleida", round=1))
    assert len(league.standings()) == len(TEAMS)
    league = Folded(League().steps())
    league.add(pairing.TeamWithdrawn(team_id="lleida", round=3))
    assert len(league.standings()) == len(TEAMS)
    assert league.teams[2].withdrawn_round == 3


def test_what_is_said_of_a_team_that_there_is_not_stops_the_projection() -> None:
    for event in (pairing.LineUpSet(team_id="reus"), pairing.TeamWithdrawn(team_id="reus", round=1)):
        with pytest.raises(Broken, match="team 'reus' is not registered"):
            Folded(League().create()).add(event)


def test_only_the_option_makes_a_tournament_one_of_teams() -> None:
    own = Folded(Championship().create())
    assert own.team_boards == 0
    assert own.standings() == []
    assert Folded(League().create()).team_boards == 2
    pin = game.Pin(name="fise", options=[game.ChosenOption(name="teams", value="none")])
    created = pairing.TournamentCreated(tournament_id="lliga")
    assert Folded([{STREAM: [created, pairing.RulesetPinned(ruleset=pin)]}]).team_boards == 0


async def serve_results(record: Record, steps: Iterable[Step]) -> Any:
    """Return the service, after the steps."""
    work = projection()
    async with record.writing() as connection:
        await tables.make(connection)
        await generations.create_first_generation(connection, work)
    await append_all(record, steps)
    async with record.writing() as connection:
        events = await record.read()
        await move_checkpoint(connection, Checkpoint(work.consumer, 0, events[-1].position))
        await work.apply(connection, events)
    return results_service.services(ReadModels(record, Progress(record, work.consumer)))[0]


async def test_standings_and_line_ups_are_answered_as_of_any_moment_as_they_were(record: Record) -> None:
    steps = [*League().steps()]
    given = []
    for length in range(1, len(steps) + 1):
        part = Folded(steps[:length])
        given.append((lines(part.standings()), [list(team.line_up) for team in part.teams]))
    service = await serve_results(record, steps)
    position = 0
    for step, (expected, line_ups) in zip(steps, given, strict=True):
        position += len(step[STREAM])
        standings = await service.GetTeamStandings(
            results.GetTeamStandingsRequest(tournament_id="lliga", as_of_position=position), CALLER
        )
        listed = await service.ListTeams(
            results.ListTeamsRequest(tournament_id="lliga", as_of_position=position), CALLER
        )
        assert lines(list(standings.standings)) == expected
        assert [[each.player_id for each in team.line_up] for team in listed.teams] == line_ups
    now = await service.GetTeamStandings(results.GetTeamStandingsRequest(tournament_id="lliga"), CALLER)
    assert lines(list(now.standings)) == given[-1][0]
    assert (now.score, now.round) == ("match-points", 2)


async def test_one_team_is_told_with_words_and_with_its_rank_among_all(record: Record) -> None:
    service = await serve_results(record, League().steps())
    request = results.GetTeamStandingsRequest(tournament_id="lliga", round=2, team_id="lleida", arithmetic=True)
    (line,) = (await service.GetTeamStandings(request, CALLER)).standings
    assert (line.rank, line.name) == (1, "Club Lleida")
    assert [term.text for term in line.point_arithmetic.terms] == ["Round 1, bye: 1", "Round 2, Club Tarragona: 0.5"]
    assert line.tie_breaks[0].arithmetic.text == "Total: 2 + 1 = 3"
    assert line.tie_breaks[1].arithmetic.terms[0].text == "Round 2, Club Tarragona: 420 − 380 = 40"
    request.team_id = "reus"
    with pytest.raises(NotFound):
        await service.GetTeamStandings(request, CALLER)


async def test_pairings_show_the_matches_and_who_sits_there_for_which_team(record: Record) -> None:
    service = await serve_results(record, League().steps())
    found = await service.GetPairings(results.GetPairingsRequest(tournament_id="lliga", round=2), CALLER)
    (match,) = found.matches
    assert (match.first_team.name, match.first_team.board_half_points, match.second_team.board_half_points) == (
        "Club Lleida",
        2,
        2,
    )
    assert (match.final, match.winner_team_id) == (True, "")
    assert [(table.match, table.board) for table in found.tables] == [(1, 1)]
    assert [(bye.seat.player_id, bye.match, bye.board) for bye in found.requested_byes] == [
        ("biel", 1, 2),
        ("dolors", 0, 1),
        ("eloi", 0, 2),
    ]
    assert [(bye.team_id, bye.name, bye.kind) for bye in found.team_byes] == [
        ("sabadell", "Club Sabadell", pairing.BYE_KIND_UNSPECIFIED)
    ]


async def test_players_of_a_team_that_was_left_over_have_its_bye_and_a_board_without_opponent_is_won_without_a_game(
    record: Record,
) -> None:
    service = await serve_results(record, [*League().steps(), League().last_result()])
    crosstable = await service.GetCrosstable(results.GetCrosstableRequest(tournament_id="lliga"), CALLER)
    rows = {row.standing.player_id: row for row in crosstable.rows}
    bases = {player: [cell.basis for cell in row.cells] for player, row in rows.items()}
    game, forfeit = results.TERM_BASIS_GAME, results.TERM_BASIS_FORFEIT
    bye, requested = results.TERM_BASIS_BYE, results.TERM_BASIS_REQUESTED_BYE
    assert bases["fina"] == [bye, game, game]
    assert bases["biel"] == [game, forfeit, requested]
    assert bases["eloi"] == [game, bye, forfeit]
    assert {player for player, row in rows.items() if row.standing.bye} == {"fina", "dolors", "eloi"}
    request = results.GetStandingsRequest(tournament_id="lliga", player_id="eloi", arithmetic=True)
    (line,) = (await service.GetStandings(request, CALLER)).standings
    assert [term.text for term in line.point_arithmetic.terms[1:]] == [
        "Round 2, bye: 1",
        "Round 3, won without a game: the other team had no player there: 1",
    ]
    trf = read_trf((await service.GetReport(results.GetReportRequest(tournament_id="lliga"), CALLER)).text)
    cells = sorted("".join(cell.result for cell in each.cells if not cell.opponent) for each in trf.players)
    assert cells == ["+H", "H", "U", "U", "U+", "ZZZ"]


async def test_players_and_the_report_know_their_teams(record: Record) -> None:
    service = await serve_results(record, League().steps())
    standings = await service.GetStandings(results.GetStandingsRequest(tournament_id="lliga"), CALLER)
    assert {line.player_id: line.team_id for line in standings.standings}["eloi"] == "sabadell"
    trf = (await service.GetReport(results.GetReportRequest(tournament_id="lliga"), CALLER)).text.splitlines()
    assert "082 3" in trf
    assert "092 Swiss system, least distance, for teams" in trf
    head = [line for line in trf if line[:3] in {"182", "192", "202", "362"}]
    assert head == [
        "182 Faristol",
        "192 CUSTOM_TEAM_SWISS_MP",
        "202 GPTS",
        "362 TW 1.0   TD 0.5   TL 0.0",
    ]
    older = await service.GetReport(
        results.GetReportRequest(tournament_id="lliga", edition=results.REPORT_EDITION_TRF16), CALLER
    )
    assert [line for line in older.text.splitlines() if line.startswith("013")] == [
        "013 Club Tarragona                     2    1",
        "013 Club Sabadell                      4    5",
        "013 Club Lleida                        6",
    ]
    assert not [line for line in older.text.splitlines() if line[:3] in TAGS_OF_TRF26]


async def test_the_report_has_the_matches_of_teams_with_their_byes_and_other_orders(record: Record) -> None:
    service = await serve_results(record, [*League().steps(), League().last_result()])
    text = (await service.GetReport(results.GetReportRequest(tournament_id="lliga"), CALLER)).text
    assert [line for line in text.splitlines() if line[:3] in {"013", "300", "310", "320", "802"}] == [
        "310   1 Club Tarragona                                   2.0    3.5   2     2    1",
        "310   2 Club Sabadell                                    1.5    3.5   3     4    5",
        "310   3 Club Lleida                                      2.0    4.0   1     6",
        "320  1.0  2.0 003 002 000",
        "300 001 001 002 0001 0002",  # Tarragona’s line-up is another since round 3
        "300 002 003 001 0006 0000",
        "300 002 001 003 0001 0002",  # its second player has no opponent
        "300 003 003 002 0006 0000",
        "802   1          2.0    3.5   2 b  1.5     3 w  1.0   HPB    1.0",
        "802   2          1.5    3.5   1 w  0.5   PAB    2.0     3 b  1.0",
        "802   3          2.0    4.0 PAB    2.0     1 b  1.0     2 w  1.0",
    ]
    document = read_trf(text)
    assert [(team.number, team.name) for team in document.teams] == [
        (1, "Club Tarragona"),
        (2, "Club Sabadell"),
        (3, "Club Lleida"),
    ]
    assert document.notes == ()
    assert write_trf(document).splitlines() == text.splitlines()


async def test_the_report_leaves_out_who_has_no_place_in_the_standings(record: Record) -> None:
    never_came = [
        pairing.TeamRegistered(team_id="reus", name="Club Reus", round=1),
        pairing.TeamWithdrawn(team_id="reus", round=1),
    ]
    create = [*League().create()]
    service = await serve_results(record, [*create, {STREAM: never_came}, *[*League().steps()][len(create) :]])
    trf = (await service.GetReport(results.GetReportRequest(tournament_id="lliga"), CALLER)).text.splitlines()
    assert "082 3" in trf
    assert not [line for line in trf if "Club Reus" in line]
