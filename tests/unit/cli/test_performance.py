"""The summary that the demonstration prints at its end."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from faristol.demo.championship import ChampionshipOutcome
from faristol.demo.terminal import standings
from faristol.pb.rating.v1 import events_pb2, rating_pb2
from faristol.pb.results.v1 import results_pb2 as results

FISC = {"median-buchholz": 333.75, "berger": 421.75, "spread": -4992, "total": 22612}
ALL = {"buchholz": 333.75, "head-to-head": 6.5, "cusca": 814.25, "spread": -4992, "total": 22612}
NAME = "Montserrat Puigdomènech i Casadevall"


def build_outcome(breaks: dict[str, float], names: list[str]) -> ChampionshipOutcome:
    """Return a championship of 12 rounds with values as wide as they come, in quarters of a point."""
    lines = [
        results.Standing(
            rank=rank,
            player_id=f"p{rank}",
            name=name,
            half_points=15,
            wins=7,
            draws=1,
            losses=4,
            tie_breaks=[results.TieBreak(name=each, quarters=int(4 * value)) for each, value in breaks.items()],
        )
        for rank, name in enumerate(names, 98)
    ]
    ratings = [events_pb2.RatingUpdated(player_id=line.player_id, before=1500, after=1487) for line in lines]
    listed = rating_pb2.GetRatingListResponse(ratings=ratings)
    return ChampionshipOutcome(results.Tournament(name="Copa de primavera"), lines, listed)


@pytest.mark.parametrize("breaks", [FISC, ALL])
def test_the_standings_of_the_demonstration_fit_80_columns_and_nothing_is_cut(breaks: dict[str, float]) -> None:
    out = StringIO()
    Console(file=out, width=80).print(standings(build_outcome(breaks, ["Anna Puig", NAME, "Ωραιοζήλη-Παναγιώτα Κ."])))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in out.getvalue()
    for rank in ("98", "99", "100"):
        line = next(line.split() for line in lines if line.split()[:1] == [rank])
        figures = [f"{value:g}" for value in breaks.values()]
        assert line[-len(figures) - 3 :] == ["7.5", *figures, "7-1-4", "1500→1487"]
    start = lines[1].index("player")
    width = lines[1].index("points") - start
    told = "".join(line[start : start + width].strip() for line in lines[3:])
    assert "".join(NAME.split()) in told.replace(" ", "")
