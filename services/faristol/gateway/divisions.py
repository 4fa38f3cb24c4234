"""The divisions of a championship on pages: together in the list, and each page beside those of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from faristol.gateway.results import Results
from faristol.pb.results.v1 import results_pb2 as pb


def together(tournaments: Iterable[pb.Tournament]) -> list[pb.Tournament]:
    """Tournaments in their order; the divisions of a championship together, where the first of them comes."""
    championships: dict[str, list[pb.Tournament]] = {}
    for one in tournaments:
        championships.setdefault(one.division_of or one.tournament_id, []).append(one)
    return [one for divisions in championships.values() for one in sorted(divisions, key=_place)]


def _place(one: pb.Tournament) -> int:
    """Where a tournament stands among the divisions of its championship."""
    return next((place for place, each in enumerate(one.divisions) if each.tournament_id == one.tournament_id), 0)


def pages_beside(tournament: pb.Tournament, part: str = "") -> dict[str, str]:
    """The addresses of a part of every division, such as ``/players``; of the standings when that is empty."""
    return {one.tournament_id: f"/t/{one.tournament_id}{part}" for one in tournament.divisions}


async def rounds_beside(results: Results, tournament: pb.Tournament, number: int) -> Mapping[str, str]:
    """The addresses of a round of every division: the last that is paired where there are fewer, else the standings.

    Divisions have rounds and a pace of their own.
    """
    others = [one.tournament_id for one in tournament.divisions if one.tournament_id != tournament.tournament_id]
    heads = await asyncio.gather(*(results.tournament(one) for one in others))
    beside = pages_beside(tournament)
    for one in (tournament, *(head.tournament for head in heads)):
        if last := max((round_.round for round_ in one.played), default=0):
            beside[one.tournament_id] = f"/t/{one.tournament_id}/r/{min(number, last)}"
    return beside
