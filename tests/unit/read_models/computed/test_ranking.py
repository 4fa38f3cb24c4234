from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from tests.unit.read_models.folded import Folded

from faristol.kernel.details import Person
from faristol.pb.game.v1.events_pb2 import FinalScore
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.computed import standings_explanations
from faristol.read_models.computed.crosstable import crosstable
from faristol.read_models.computed.report import Arrangements, report
from faristol.read_models.computed.standings import last_counted
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.rounds import RESULT_HANDLERS
from faristol.read_models.storage.rows import (
    Adjustment,
    Bye,
    ByeKind,
    Game,
    Option,
    Player,
    Round,
    Seat,
    Tournament,
)
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.trf import Edition, read_trf, write_trf

FISC = load_ruleset("fisc-2023")


def tournament(ruleset: Ruleset) -> Tournament:
    options = tuple(Option(name, format_value(value)) for name, value in ruleset.chosen.items())
    return Tournament("lliga", rounds=5, ruleset=ruleset.name, ruleset_digest=ruleset.digest, ruleset_options=options)


TOURNAMENT = tournament(FISC)
PLAYERS = [Player("lliga", player, entered_round=0) for player in ("anna", "biel", "carme", "dolors", "eloi")]


def rank(
    of: Tournament, players: Sequence[Player], rounds: Sequence[Round], *, arithmetic: bool = False
) -> list[results.Standing]:
    """Return the standings as they are shown."""
    championship = Championship(of, players={player.player_id: player for player in players})
    return answers.standings(championship, rounds, arithmetic=arithmetic)


def seats(*scores: tuple[str, int]) -> list[Seat]:
    return [Seat("g", place, player_id=player, score=score) for place, (player, score) in enumerate(scores)]


def table(first: str, second: str, scores: tuple[int, int], *, final: bool = True) -> Game:
    return Game("g", "lliga", table=1, seats=seats((first, scores[0]), (second, scores[1])), final=final)


def build_round(round_: int, *tables: Game, bye: str = "") -> Round:
    finished = sum(each.final for each in tables)
    found = Round("lliga", round_, results.ROUND_PHASE_STARTED, games=list(tables), finished=finished)
    if bye:
        found.byes.append(Bye("lliga", round_, ByeKind.ALLOCATED, 0, bye))
    return found


FIRST = build_round(1, table("anna", "carme", (400, 300)), table("biel", "dolors", (350, 350)), bye="eloi")
SECOND = build_round(2, table("anna", "eloi", (380, 390)), table("carme", "biel", (410, 310)), bye="dolors")


def test_points_come_first_and_are_told_in_halves() -> None:
    lines = rank(TOURNAMENT, PLAYERS, [FIRST, SECOND])
    assert {line.player_id: line.half_points for line in lines} == {
        "anna": 2,
        "biel": 1,
        "carme": 2,
        "dolors": 3,
        "eloi": 4,
    }
    assert [line.player_id for line in lines][:2] == ["eloi", "dolors"]


def test_a_bye_is_a_point_and_no_win_and_adds_nothing_to_the_spread() -> None:
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST, SECOND])}
    eloi = lines["eloi"]
    assert (eloi.half_points, eloi.wins, eloi.bye, eloi.spread, eloi.total) == (4, 1, True, 10, 390)


def test_a_bye_counts_once_its_round_is_in() -> None:
    half = build_round(
        1, table("anna", "carme", (400, 300)), table("biel", "dolors", (20, 10), final=False), bye="eloi"
    )
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [half])}
    assert (lines["eloi"].half_points, lines["eloi"].bye) == (0, False)
    assert (lines["anna"].half_points, lines["biel"].half_points) == (2, 0)


def test_while_a_round_is_played_nobody_at_a_table_or_with_the_bye_counts_as_absent() -> None:
    live = build_round(
        2, table("anna", "eloi", (380, 390)), table("carme", "biel", (200, 0), final=False), bye="dolors"
    )
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST, live])}
    values = {
        player: [tie_break.quarters for tie_break in line.tie_breaks if tie_break.name in {"median-buchholz", "berger"}]
        for player, line in lines.items()
    }
    assert {player: line.half_points for player, line in lines.items()} == {
        "anna": 2,
        "biel": 1,
        "carme": 0,
        "dolors": 1,
        "eloi": 4,
    }
    # anna won over carme (0) and lost to eloi (2). eloi had the bye (a dummy with 2) and won over anna (1).
    # biel and dolors drew (half a point each), carme lost to anna: one opponent each, who is left out.
    assert values == {"anna": [8, 0], "eloi": [8, 8 + 4], "biel": [0, 1], "dolors": [0, 1], "carme": [0, 0]}


def test_tie_breaks_stand_in_the_order_of_the_ruleset() -> None:
    lines = rank(TOURNAMENT, PLAYERS, [FIRST, SECOND])
    assert [tie_break.name for tie_break in lines[0].tie_breaks] == ["median-buchholz", "berger", "spread", "total"]
    anna = next(line for line in lines if line.player_id == "anna")
    assert {tie_break.name: tie_break.quarters for tie_break in anna.tie_breaks}[
        "berger"
    ] == 4  # one win, over carme with one point
    assert {tie_break.name: tie_break.quarters for tie_break in anna.tie_breaks}["spread"] == 4 * 90


def test_players_equal_in_everything_share_a_rank_in_the_order_of_their_ids() -> None:
    lines = rank(TOURNAMENT, list(reversed(PLAYERS)), [])
    assert [(line.rank, line.player_id) for line in lines] == [
        (1, "anna"),
        (1, "biel"),
        (1, "carme"),
        (1, "dolors"),
        (1, "eloi"),
    ]


def test_the_last_round_counted_is_the_last_with_a_result() -> None:
    assert last_counted([FIRST, build_round(2, table("anna", "eloi", (0, 0), final=False))]) == 1
    assert last_counted([]) == 0


def test_a_forfeit_is_a_point_and_no_game_for_the_tie_breaks() -> None:
    forfeit = table("anna", "carme", (0, 0))
    forfeit.winner_id, forfeit.unplayed = "anna", True
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [build_round(1, forfeit)])}

    assert (lines["anna"].half_points, lines["anna"].wins) == (2, 0)
    assert (lines["carme"].half_points, lines["carme"].losses) == (0, 0)


def test_a_bye_that_was_asked_for_counts_as_granted_once_its_round_is_in() -> None:
    live = build_round(1, table("anna", "biel", (400, 300)), table("carme", "dolors", (1, 2), final=False))
    live.byes.append(Bye("lliga", 1, ByeKind.REQUESTED, 0, "eloi", worth=pairing.BYE_KIND_HALF_POINT))
    before = {line.player_id: line.half_points for line in rank(TOURNAMENT, PLAYERS, [live])}
    live.games[1].final = True
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [live])}

    assert before["eloi"] == 0
    assert (after["eloi"].half_points, after["eloi"].bye) == (1, False)


def test_a_bye_without_points_has_no_outcome_in_the_crosstable() -> None:
    round_ = build_round(1, table("anna", "biel", (400, 300)), bye="carme")
    for player, worth in (("dolors", pairing.BYE_KIND_HALF_POINT), ("eloi", pairing.BYE_KIND_ZERO_POINT)):
        round_.byes.append(Bye("lliga", 1, ByeKind.REQUESTED, 0, player, worth=worth))
    rows = crosstable(
        rank(TOURNAMENT, PLAYERS, [round_], arithmetic=True), {each.player_id: each for each in PLAYERS}, [round_]
    )
    found = {row.standing.player_id: (row.cells[0].outcome, row.cells[0].half_points) for row in rows}
    assert found["carme"] == (results.OUTCOME_WIN, 2)
    assert found["dolors"] == (results.OUTCOME_DRAW, 1)
    assert found["eloi"] == (results.OUTCOME_UNSPECIFIED, 0)


def test_who_withdrew_before_the_first_round_has_no_place_in_the_standings() -> None:
    gone = Player("lliga", "flora", entered_round=1, withdrawn_round=1)

    assert "flora" not in {line.player_id for line in rank(TOURNAMENT, [*PLAYERS, gone], [FIRST])}


def test_a_ruling_put_right_changes_the_spread_and_neither_points_nor_total() -> None:
    before = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST])}
    adjusted = deepcopy(FIRST)
    adjusted.games[0].spread_adjustments = (Adjustment("anna", 64, "PES Δ.ε"),)
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [adjusted])}

    assert after["anna"].spread - before["anna"].spread == 64
    assert (after["anna"].half_points, after["anna"].total) == (before["anna"].half_points, before["anna"].total)
    tie_breaks = {tie_break.name: tie_break.quarters for tie_break in after["anna"].tie_breaks}
    assert tie_breaks["spread"] == 4 * after["anna"].spread


def test_a_sanction_beside_the_result_changes_spread_and_total_and_no_points() -> None:
    before = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST])}
    punished = deepcopy(FIRST)
    RESULT_HANDLERS[pairing.PointsAdjusted](
        punished.games[0], pairing.PointsAdjusted(round=1, game_id="g", player_id="anna", points=-30), 1
    )
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [punished])}

    assert after["anna"].spread - before["anna"].spread == -30
    assert after["anna"].total - before["anna"].total == -30
    assert [line.half_points for line in after.values()] == [before[player_id].half_points for player_id in after]


def test_points_that_a_sanction_takes_off_a_score_are_told_until_it_is_lifted() -> None:
    pair = pairing.Pairing(table=1, game_id="g", first_player_id="anna", second_player_id="carme")
    folded = Folded()
    folded.add(pairing.TournamentCreated(tournament_id="lliga"), pairing.RoundPaired(round=1, pairings=[pair]))

    def list_sanctions() -> list[tuple[str, int, str]]:
        (shown,) = folded.pairings(1).tables
        return [(each.player_id, each.points, each.article) for each in shown.score_sanctions]

    points = pairing.SANCTION_KIND_POINTS
    imposed = pairing.PlayerSanctioned(
        player_id="anna", round=1, kind=points, game_id="g", points=25, article="FISE 49"
    )
    folded.take(imposed, version=40)
    folded.take(imposed, version=44)
    assert list_sanctions() == [("anna", 25, "FISE 49")] * 2
    lifted = pairing.SanctionLifted(player_id="anna", round=1, version=40, kind=points, game_id="g")
    folded.take(lifted, version=47)
    assert list_sanctions() == [("anna", 25, "FISE 49")]

    # Under PES Ζ they are deducted outside the result, by the next event.
    folded.take(imposed, version=50)
    folded.take(pairing.PointsAdjusted(round=1, game_id="g", player_id="anna", points=-25), version=51)
    assert list_sanctions() == [("anna", 25, "FISE 49")]


def test_an_entry_that_is_put_right_before_it_is_confirmed_is_no_corrected_result() -> None:
    pair = pairing.Pairing(table=1, game_id="g", first_player_id="anna", second_player_id="carme")
    folded = Folded()
    folded.add(pairing.TournamentCreated(tournament_id="lliga"), pairing.RoundPaired(round=1, pairings=[pair]))
    scores = [FinalScore(player_id="anna", score=410), FinalScore(player_id="carme", score=350)]
    folded.add(pairing.ResultRecorded(round=1, game_id="g", scores=scores))
    for before, expected in ((True, False), (False, True), (True, True)):
        folded.add(pairing.ResultCorrected(round=1, game_id="g", scores=scores, before_confirmation=before))
        (shown,) = folded.pairings(1).tables
        assert (shown.corrected, shown.seats[0].score) == (expected, 410)


def test_a_sanction_in_rounds_or_before_any_is_paired_changes_no_round() -> None:
    folded = Folded()
    folded.add(pairing.TournamentCreated(tournament_id="lliga"))
    before = deepcopy(folded.of)
    folded.add(pairing.PlayerSanctioned(player_id="anna", round=1, kind=pairing.SANCTION_KIND_ROUNDS, rounds=[2]))
    assert folded.of == before


def test_what_the_organiser_chose_for_tie_breaks_holds() -> None:
    # eloi had the bye and won over anna, who has one point: an unplayed round may add nothing to Berger.
    zero = tournament(with_options(FISC, {"unplayed": "zero"}))
    for rules, expected in ((TOURNAMENT, 8 + 4), (zero, 4)):
        eloi = next(line for line in rank(rules, PLAYERS, [FIRST, SECOND]) if line.player_id == "eloi")
        assert {tie_break.name: tie_break.quarters for tie_break in eloi.tie_breaks}["berger"] == expected


def of_several(round_: int, *scores: int, **how: Any) -> Round:
    at = seats(*zip((player.player_id for player in PLAYERS), scores, strict=False))
    return build_round(round_, Game("g", "lliga", table=1, seats=at, final=True, **how))


def test_a_table_of_several_that_was_not_played_is_no_game_for_anybody() -> None:
    festa = tournament(load_ruleset("festa-major"))
    played = of_several(1, 300, 200, 100, winner_id="anna")
    forfeit = of_several(2, 0, 0, 0, unplayed=True, loser_ids=("anna",))
    before, after = rank(festa, PLAYERS[:3], [played]), rank(festa, PLAYERS[:3], [played, forfeit], arithmetic=True)

    assert [(line.player_id, line.wins, line.draws, line.losses) for line in after] == [
        ("anna", 1, 0, 0),
        ("biel", 0, 0, 1),
        ("carme", 0, 0, 1),
    ]
    for line, other in zip(before, after, strict=True):
        assert (line.tie_breaks[0].quarters, line.tie_breaks[0].divisor) == (
            other.tie_breaks[0].quarters,
            other.tie_breaks[0].divisor,
        )
    assert [term.basis for term in after[0].point_arithmetic.terms] == [
        results.TERM_BASIS_GAME,
        results.TERM_BASIS_FORFEIT,
    ]


def test_who_left_a_table_of_several_does_not_win_it() -> None:
    festa = tournament(load_ruleset("festa-major"))

    def outcomes(**how: Any) -> dict[str, str]:
        lines = rank(festa, PLAYERS[:3], [of_several(1, 300, 200, 200, **how)])
        return {line.player_id: "w" * line.wins + "d" * line.draws + "l" * line.losses for line in lines}

    assert outcomes(winner_id="anna") == {"anna": "w", "biel": "l", "carme": "l"}
    assert outcomes(loser_ids=("anna",)) == {"anna": "l", "biel": "d", "carme": "d"}
    assert outcomes(loser_ids=("anna", "biel"), winner_id="carme") == {"anna": "l", "biel": "l", "carme": "w"}
    assert outcomes(lost_by_all=True) == {"anna": "l", "biel": "l", "carme": "l"}


ANNULLING = with_options(load_ruleset("fise"), {"pairing": "round-robin", "left_early": "annulled"})


def test_games_of_who_left_early_are_marked_in_every_answer_and_stay_in_the_crosstable_and_the_report() -> None:
    of = tournament(ANNULLING)
    players = [replace(each, withdrawn_round=2 if each.player_id == "eloi" else 0) for each in PLAYERS]
    rounds = [build_round(1, table("eloi", "anna", (500, 300)), table("biel", "carme", (400, 350)))]
    before = {line.player_id: line for line in rank(of, PLAYERS, rounds)}
    assert (before["eloi"].rank, before["eloi"].half_points) == (1, 2)

    lines = rank(of, players, rounds, arithmetic=True)
    found = {line.player_id: line for line in lines}
    eloi, anna = found["eloi"], found["anna"]
    assert (eloi.rank, eloi.half_points, eloi.wins, eloi.spread, eloi.total, eloi.annulled) == (5, 0, 0, 0, 0, True)
    assert (anna.half_points, anna.losses, anna.spread, anna.total, anna.annulled) == (0, 0, 0, 0, False)
    standings_explanations.fill_texts([anna], {player.player_id: player.player_id for player in players}, "en")
    (term,) = anna.point_arithmetic.terms
    assert term.text == "Round 1, eloi: 0 (not scored: a player who left before half of the games, FIDE C.05 6.6)"

    rows = crosstable(lines, {player.player_id: player for player in players}, rounds)
    cells = {row.standing.player_id: row.cells[0] for row in rows}
    assert {player for player, cell in cells.items() if cell.annulled} == {"anna", "eloi"}
    assert (cells["eloi"].half_points, cells["eloi"].score, list(cells["anna"].opponent_ranks)) == (2, 500, [5])
    people = {player.player_id: Person(player.player_id, player.player_id.title(), "") for player in players}
    told = report(of, players, rows, Arrangements(), people, ANNULLING, Edition.TRF26, {(1, "anna"), (1, "carme")})
    again = read_trf(write_trf(told, Edition.TRF26))
    assert {player.name: (player.points, player.rank) for player in again.players}["Eloi"] == (10, 5)
