from __future__ import annotations

from typing import Any

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.model import View, apply
from faristol.results.rounds import change_round
from faristol.results.standings import last_counted, rank
from faristol.rules import Ruleset, load_ruleset, with_options
from faristol.rules.options import written

FISC = load_ruleset("fisc-2023")


def tournament(ruleset: Ruleset) -> results.Tournament:
    pin = game.Pin(
        name=ruleset.name,
        digest=ruleset.digest,
        options=[game.ChosenOption(name=name, value=written(value)) for name, value in ruleset.chosen.items()],
    )
    return results.Tournament(tournament_id="lliga", rounds=5, ruleset=pin)


TOURNAMENT = tournament(FISC)
PLAYERS = [results.Player(player_id=player) for player in ("anna", "biel", "carme", "dolors", "eloi")]


def table(first: str, second: str, scores: tuple[int, int], *, final: bool = True) -> results.Table:
    seats = [
        results.Seat(player_id=first, score=scores[0]),
        results.Seat(player_id=second, score=scores[1]),
    ]
    return results.Table(table=1, game_id="g", seats=seats, final=final)


def paired(round_: int, *tables: results.Table, bye: str = "") -> results.GetPairingsResponse:
    answer = results.GetPairingsResponse(round=round_, phase=results.ROUND_PHASE_STARTED, tables=tables)
    if bye:
        answer.bye.player_id = bye
    return answer


FIRST = paired(1, table("anna", "carme", (400, 300)), table("biel", "dolors", (350, 350)), bye="eloi")
SECOND = paired(2, table("anna", "eloi", (380, 390)), table("carme", "biel", (410, 310)), bye="dolors")


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
    half = paired(1, table("anna", "carme", (400, 300)), table("biel", "dolors", (20, 10), final=False), bye="eloi")
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [half])}
    assert (lines["eloi"].half_points, lines["eloi"].bye) == (0, False)
    assert (lines["anna"].half_points, lines["biel"].half_points) == (2, 0)


def test_while_a_round_is_played_nobody_at_a_table_or_with_the_bye_counts_as_absent() -> None:
    live = paired(2, table("anna", "eloi", (380, 390)), table("carme", "biel", (200, 0), final=False), bye="dolors")
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST, live])}
    values = {
        player: [one.quarters for one in line.tie_breaks if one.name in {"median-buchholz", "berger"}]
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
    assert [one.name for one in lines[0].tie_breaks] == ["median-buchholz", "berger", "spread", "total"]
    anna = next(line for line in lines if line.player_id == "anna")
    assert {one.name: one.quarters for one in anna.tie_breaks}["berger"] == 4  # one win, over carme with one point
    assert {one.name: one.quarters for one in anna.tie_breaks}["spread"] == 4 * 90


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
    assert last_counted([FIRST, paired(2, table("anna", "eloi", (0, 0), final=False))]) == 1
    assert last_counted([]) == 0


def test_a_forfeit_is_a_point_and_no_game_for_the_tie_breaks() -> None:
    forfeit = table("anna", "carme", (0, 0))
    forfeit.winner_id, forfeit.unplayed = "anna", True
    lines = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [paired(1, forfeit)])}

    assert (lines["anna"].half_points, lines["anna"].wins) == (2, 0)
    assert (lines["carme"].half_points, lines["carme"].losses) == (0, 0)


def test_a_bye_that_was_asked_for_counts_as_granted_once_its_round_is_in() -> None:
    live = paired(1, table("anna", "biel", (400, 300)), table("carme", "dolors", (1, 2), final=False))
    live.requested_byes.add(seat=results.Seat(player_id="eloi"), kind=pairing.BYE_KIND_HALF_POINT)
    before = {line.player_id: line.half_points for line in rank(TOURNAMENT, PLAYERS, [live])}
    live.tables[1].final = True
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [live])}

    assert before["eloi"] == 0
    assert (after["eloi"].half_points, after["eloi"].bye) == (1, False)


def test_who_withdrew_before_the_first_round_has_no_place_in_the_standings() -> None:
    gone = results.Player(player_id="flora", entered_round=1, withdrawn_round=1)

    assert "flora" not in {line.player_id for line in rank(TOURNAMENT, [*PLAYERS, gone], [FIRST])}


def test_a_ruling_put_right_changes_the_spread_and_neither_points_nor_total() -> None:
    before = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST])}
    adjusted = results.GetPairingsResponse()
    adjusted.CopyFrom(FIRST)
    adjusted.tables[0].spread_adjustments.add(player_id="anna", points=64, article="PES Δ.ε")
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [adjusted])}

    assert after["anna"].spread - before["anna"].spread == 64
    assert (after["anna"].half_points, after["anna"].total) == (before["anna"].half_points, before["anna"].total)
    tie_breaks = {one.name: one.quarters for one in after["anna"].tie_breaks}
    assert tie_breaks["spread"] == 4 * after["anna"].spread


def test_a_sanction_beside_the_result_changes_spread_and_total_and_no_points() -> None:
    before = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [FIRST])}
    punished = results.GetPairingsResponse()
    punished.CopyFrom(FIRST)
    change_round(
        punished, pairing.PointsAdjusted(round=1, game_id=FIRST.tables[0].game_id, player_id="anna", points=-30)
    )
    after = {line.player_id: line for line in rank(TOURNAMENT, PLAYERS, [punished])}

    assert after["anna"].spread - before["anna"].spread == -30
    assert after["anna"].total - before["anna"].total == -30
    assert [line.half_points for line in after.values()] == [before[one].half_points for one in after]


def test_points_that_a_sanction_takes_off_a_score_are_told_until_it_is_lifted() -> None:
    def taken(round_: results.GetPairingsResponse | None) -> list[tuple[str, int, str]]:
        assert round_ is not None
        return [(one.player_id, one.points, one.article) for one in round_.tables[0].score_sanctions]

    game_id, points = FIRST.tables[0].game_id, pairing.SANCTION_KIND_POINTS
    imposed = pairing.PlayerSanctioned(
        player_id="anna", round=1, kind=points, game_id=game_id, points=25, article="FISE 49"
    )
    head = results.Tournament(tournament_id="lliga", rounds=5)
    view = apply(View(tournament=head, round=FIRST), imposed, 40)
    view = apply(view, imposed, 44)
    assert taken(view.round) == [("anna", 25, "FISE 49")] * 2
    view = apply(view, pairing.SanctionLifted(player_id="anna", round=1, version=40, kind=points, game_id=game_id), 47)
    assert taken(view.round) == [("anna", 25, "FISE 49")]

    # Under PES Ζ they come off beside the result, which the fact after it says.
    beside = apply(view, imposed, 50)
    beside = apply(beside, pairing.PointsAdjusted(round=1, game_id=game_id, player_id="anna", points=-25), 51)
    assert taken(beside.round) == [("anna", 25, "FISE 49")]


def test_a_sanction_in_rounds_or_before_any_is_paired_changes_no_round() -> None:
    out = pairing.PlayerSanctioned(player_id="anna", round=1, kind=pairing.SANCTION_KIND_ROUNDS, rounds=[2])
    before = View(tournament=results.Tournament(tournament_id="lliga", rounds=5))
    assert apply(before, out, 9) == before


def test_what_the_organiser_chose_for_tie_breaks_holds() -> None:
    # eloi had the bye and won over anna, who has one point: an unplayed round may add nothing to Berger.
    zero = tournament(with_options(FISC, {"unplayed": "zero"}))
    for rules, expected in ((TOURNAMENT, 8 + 4), (zero, 4)):
        eloi = next(line for line in rank(rules, PLAYERS, [FIRST, SECOND]) if line.player_id == "eloi")
        assert {one.name: one.quarters for one in eloi.tie_breaks}["berger"] == expected


def of_several(round_: int, *scores: int, **how: Any) -> results.GetPairingsResponse:
    seats = [results.Seat(player_id=one.player_id, score=score) for one, score in zip(PLAYERS, scores, strict=False)]
    return paired(round_, results.Table(table=1, game_id="g", seats=seats, final=True, **how))


def test_a_table_of_several_that_was_not_played_is_no_game_for_anybody() -> None:
    festa = tournament(load_ruleset("festa-major"))
    played = of_several(1, 300, 200, 100, winner_id="anna")
    forfeit = of_several(2, 0, 0, 0, unplayed=True, loser_ids=["anna"])
    before, after = rank(festa, PLAYERS[:3], [played]), rank(festa, PLAYERS[:3], [played, forfeit], arithmetic=True)

    assert [(line.player_id, line.wins, line.draws, line.losses) for line in after] == [
        ("anna", 1, 0, 0),
        ("biel", 0, 0, 1),
        ("carme", 0, 0, 1),
    ]
    for one, other in zip(before, after, strict=True):
        assert (one.tie_breaks[0].quarters, one.tie_breaks[0].divisor) == (
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
    assert outcomes(loser_ids=["anna"]) == {"anna": "l", "biel": "d", "carme": "d"}
    assert outcomes(loser_ids=["anna", "biel"], winner_id="carme") == {"anna": "l", "biel": "l", "carme": "w"}
    assert outcomes(lost_by_all=True) == {"anna": "l", "biel": "l", "carme": "l"}
