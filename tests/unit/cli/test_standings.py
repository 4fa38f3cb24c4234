"""Standings at the terminal have names, and numbers in the format of the reader's language."""

from __future__ import annotations

import pytest

from faristol.cli.tournament.standings import format_standings
from faristol.pb.results.v1 import results_pb2 as pb


def line(rank: int, player_id: str, name: str, half_points: int, spread: int) -> pb.Standing:
    breaks = [pb.TieBreak(name="buchholz", quarters=10), pb.TieBreak(name="spread", quarters=4 * spread)]
    return pb.Standing(
        rank=rank, player_id=player_id, name=name, half_points=half_points, wins=2, losses=1, tie_breaks=breaks
    )


def test_standings_are_told_in_the_words_of_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ca")
    found = pb.GetStandingsResponse(
        round=3, standings=[line(1, "anna", "Anna Puig", 5, 120), line(2, "p-1", "", 3, -120)]
    )
    assert list(format_standings("Copa", found)) == [
        "Classificació de Copa després de la ronda 3.",
        "   Jugador    Punts  V–E–D  BH   Diferencial",
        "1  Anna Puig  2,5    2–0–1  2,5  +120",
        "2  p-1        1,5    2–0–1  2,5  −120",
    ]


def test_before_the_first_round_the_standings_say_that_none_is_counted() -> None:
    assert list(format_standings("Copa", pb.GetStandingsResponse())) == ["Standings of Copa: no round is scored yet."]


def test_teams_are_told_with_the_score_that_ranks_them() -> None:
    team = pb.TeamStanding(
        rank=1,
        team_id="t",
        name="Torres",
        wins=1,
        match_half_points=4,
        board_half_points=5,
        tie_breaks=[pb.TieBreak(name="board-points", quarters=10)],
    )
    assert list(format_standings("Copa", pb.GetTeamStandingsResponse(round=1, standings=[team])))[1:] == [
        "   Team    MP  W–D–L  BP",
        "1  Torres  2   1–0–0  2.5",
    ]
