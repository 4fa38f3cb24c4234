"""The divisions of a championship on pages: together in the list, and each page beside those of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from faristol.gateway.results import Results
from faristol.pb.results.v1 import results_pb2 as pb


def titled(tournament: pb.Tournament) -> str:
    """The name of a tournament, with that of its division."""
    return ", ".join(filter(None, (tournament.name, tournament.division)))


def together(tournaments: Iterable[pb.Tournament]) -> list[pb.Tournament]:
    """Tournaments in their order; the divisions of a championship together, where the first of them comes."""
    championships: dict[str, list[pb.Tournament]] = {}
    for tournament in tournaments:
        championships.setdefault(tournament.division_of or tournament.tournament_id, []).append(tournament)
    return [division for divisions in championships.values() for division in sorted(divisions, key=_place)]


def _place(tournament: pb.Tournament) -> int:
    """Where a tournament stands among the divisions of its championship."""
    return next(
        (place for place, each in enumerate(tournament.divisions) if each.tournament_id == tournament.tournament_id), 0
    )


def pages_beside(tournament: pb.Tournament, part: str = "") -> dict[str, str]:
    """The addresses of a part of every division, such as ``/players``; of the standings when that is empty."""
    return {division.tournament_id: f"/t/{division.tournament_id}{part}" for division in tournament.divisions}


async def rounds_beside(results: Results, tournament: pb.Tournament, number: int) -> Mapping[str, str]:
    """The addresses of a round of every division: the last that is paired where there are fewer, else the standings.

    Divisions have rounds and a pace of their own.
    """
    others = [
        division.tournament_id
        for division in tournament.divisions
        if division.tournament_id != tournament.tournament_id
    ]
    heads = await asyncio.gather(*(results.tournament(tournament_id) for tournament_id in others))
    beside = pages_beside(tournament)
    for division in (tournament, *(head.tournament for head in heads)):
        if last := max((round_.round for round_ in division.played), default=0):
            beside[division.tournament_id] = f"/t/{division.tournament_id}/r/{min(number, last)}"
    return beside
