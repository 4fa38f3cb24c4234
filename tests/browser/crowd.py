"""Championships that are hard to fit on a phone: long names, many rounds, halls, divisions, teams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

from google.protobuf.message import Message
from tests.support.league import League
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship, Step, append, append_all, full_game, game_id

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.people import store_player
from faristol.rules import load_ruleset
from faristol.rules.tiles import load_tile_set
from faristol.words import About, Library

ROUND_COUNT = 12
LATEST_ROUND_NUMBER = 9
STREAM = "tournament-lliga"
TITLE = "Campionat internacional de Scrabble de les terres de parla catalana, memorial Bartomeu Puigdomènech"
HALL = "Biblioteca Nacional, sala de lectura"
DIVISIONS = {"lliga": "Primera categoria absoluta", "segona": "Παλαίμαχοι και πρωτοεμφανιζόμενοι"}
PEOPLE = {
    "anna": ("Maria del Remei Puigdomènech-Casadevall i Vilarrodona de Montfalcó", "Club de Scrabble de Vilafranca"),
    "biel": ("Κωνσταντίνος Παπαδημητρακοπουλοχαραλαμπίδης", "Σύλλογος Φίλων του Scrabble Θεσσαλονίκης"),
    "carme": ("Wolfeschlegelsteinhausenbergerdorff-Donaudampfschifffahrt", ""),
    "dolors": ("Li", "C"),
    "eloi": ("José María Fernández-Villaverde y Álvarez de Toledo", "Asociación Española de Jugadores"),
    "fina": ("Santa Coloma de Gramenet-Sant Sadurní d’Anoia, Josefina", ""),
}
GOOD, BAD = ("S", "O", "L"), tuple("DESINSTITUCIONA")
"""Challenged words, of which only the first is in the lexicon."""
TEAMS = {
    "tarragona": "Associació de jugadors de Tarragona i de les comarques de ponent",
    "sabadell": "Παπαδημητρακοπουλοχαραλαμπίδης",
    "lleida": "Ll",
}
OF_PLAYERS = (
    "/",
    "/tournaments/lliga",
    "/tournaments/lliga?round=3",
    "/tournaments/lliga/standings/anna",
    "/tournaments/lliga/crosstable",
    "/tournaments/lliga/prizes",
    "/tournaments/lliga/players",
    "/tournaments/lliga/round/1",
    "/tournaments/lliga/round/2",
    f"/tournaments/lliga/round/{LATEST_ROUND_NUMBER}",
    "/games/lliga-r1-t1",
    "/games/lliga-r1-t2",
    "/games/lliga-r2-t1",
    f"/games/lliga-r{LATEST_ROUND_NUMBER}-t1",
    "/tournaments/segona",
    "/tournaments/nowhere",
    "/status",
    "/search?q=c",
    "/players/anna",
    "/players/biel",
    "/tournaments/lliga/find",
    f"/tournaments/lliga/round/{LATEST_ROUND_NUMBER}?by=name",
    "/games/lliga-r1-t1/replay?move=5",
    "/games/lliga-r1-t1/embed",
)
OF_TEAMS = (
    "/tournaments/lliga",
    "/tournaments/lliga/round/2",
    "/tournaments/lliga/round/3",
    "/tournaments/lliga/teams",
    "/tournaments/lliga/teams/tarragona",
)


async def fill_stage(stage: Stage) -> Sequence[str]:
    """Prepare a championship in its ninth round; return the addresses of one page of each kind."""
    await append_all(stage.record, _steps())
    second = _build_tournament("segona")
    await append(stage.record, {"tournament-segona": second}, "segona")
    await _store_names(stage)
    return OF_PLAYERS


@asynccontextmanager
async def crowded_rulings(folder: Path) -> AsyncIterator[Stage]:
    """Start all services that the page of rulings needs, with challenges of many long words in a closed round."""
    library = Library(folder / "lexicons")
    about = About("catalan", "second of March", "CC0-1.0", "written for the tests", date(2026, 3, 2))
    installed = library.install("catalan", [GOOD], tile_set=load_tile_set("ca-100"), about=about)
    hall = Championship()
    hall.ruleset = game.Pin(name="pes-2024", digest=load_ruleset("pes-2024").digest)
    hall.lexicon = game.Pin(name="catalan", digest=installed.digest)
    async with open_stage(folder, "lexicon", lexicons=library.path) as stage:
        for step in (*hall.create(), *hall.first_round()):
            for event in (event for new_events in step.values() for event in new_events):
                if isinstance(event, game.ChallengeRaised):
                    event.words.extend([game.Word(faces=GOOD), *[game.Word(faces=BAD)] * 4])
            await append(stage.record, step)
        position = await stage.caught_up()
        assert await stage.running.runtime.progress("docket@1").wait_until_reached(position, 60)
        yield stage


async def crowded_teams(stage: Stage) -> Sequence[str]:
    """Prepare a tournament of teams; return the addresses of one page of each kind for teams."""
    for step in League().steps():
        for event in (event for new_events in step.values() for event in new_events):
            if isinstance(event, pairing.TeamRegistered):
                event.name = TEAMS[event.team_id]
        await append(stage.record, step)
    await _store_names(stage)
    return OF_TEAMS


async def _store_names(stage: Stage) -> None:
    async with stage.record.writing() as connection:
        for player, (name, club) in PEOPLE.items():
            await store_player(connection, player, name, club, "AND")
    await stage.caught_up()


def _build_tournament(tournament_id: str) -> list[Message]:
    hall = Championship()
    first = "" if tournament_id == "lliga" else "lliga"
    created = pairing.TournamentCreated(
        tournament_id=tournament_id,
        name=TITLE,
        rounds=ROUND_COUNT,
        occurred_at=hall.at(),
        division=DIVISIONS[tournament_id],
        division_of=first,
    )
    return [created, pairing.RulesetPinned(ruleset=hall.ruleset), pairing.LexiconPinned(lexicon=hall.lexicon)]


def _steps() -> Iterator[Step]:
    hall = Championship()
    players = ("anna", "biel", "carme", "dolors", "eloi")
    halls = pairing.HallsSet(halls=[pairing.Hall(name=HALL, first_table=101, last_table=199)])
    second = pairing.Division(tournament_id="segona", name=DIVISIONS["segona"])
    registered = [pairing.PlayerRegistered(player_id=player, rating=1500) for player in players]
    yield {STREAM: [*_build_tournament("lliga"), pairing.DivisionAdded(division=second), halls, *registered]}
    for number in range(1, LATEST_ROUND_NUMBER + 1):
        turned = (*players[number % 5 :], *players[: number % 5])
        pairs = ((turned[0], turned[1]), (turned[2], turned[3]))
        yield {STREAM: list(_pair_round(number, pairs, turned[4]))}
        if number == LATEST_ROUND_NUMBER:
            table = hall.table(number, 1, *pairs[0])
            yield from table.open(hall.ruleset, hall.lexicon)
            yield from table.play("H5", "F E R I R", 22)
            continue
        if number == 1:
            table = hall.table(1, 1, *pairs[0])
            yield from table.open(hall.ruleset, hall.lexicon)
            yield from full_game(table)
        new_events = [
            event for at, pair in enumerate(pairs, 1) if number > 1 or at > 1 for event in _result(number, at, pair)
        ]
        yield {STREAM: [*new_events, pairing.RoundClosed(round=number)]}
    _, corrected = _result(2, 1, players[2:4])
    assert isinstance(corrected, pairing.ResultRecorded)
    late = pairing.ResultCorrected(
        round=2, game_id=corrected.game_id, scores=corrected.scores, winner_id=corrected.winner_id
    )
    sanctioned = pairing.PlayerSanctioned(
        player_id=players[2],
        round=2,
        kind=pairing.SANCTION_KIND_POINTS,
        game_id=corrected.game_id,
        points=25,
        article="FISE 49",
    )
    yield {STREAM: [pairing.PlayerWithdrawn(player_id="eloi", round=LATEST_ROUND_NUMBER), sanctioned, late]}


def _pair_round(number: int, pairs: Sequence[tuple[str, str]], bye: str) -> Iterator[Message]:
    tables = [
        pairing.Pairing(
            table=100 + at,
            game_id=game_id(number, at),
            hall=HALL,
            first_player_id=first,
            second_player_id=second,
        )
        for at, (first, second) in enumerate(pairs, 1)
    ]
    yield pairing.RoundPaired(round=number, pairings=tables, algorithm="swiss-1")
    yield pairing.ByeAwarded(round=number, player_id=bye)
    yield pairing.RoundStarted(round=number)


def _result(number: int, at: int, pair: tuple[str, str]) -> Iterator[Message]:
    own, other = 300 + 17 * number, 410 - 13 * at
    scores = [game.FinalScore(player_id=player, score=score) for player, score in zip(pair, (own, other), strict=True)]
    winner = pair[0] if own > other else pair[1]
    yield pairing.ResultEntered(round=number, game_id=game_id(number, at), arbiter_id="a" * 40)
    yield pairing.ResultRecorded(round=number, game_id=game_id(number, at), scores=scores, winner_id=winner)
