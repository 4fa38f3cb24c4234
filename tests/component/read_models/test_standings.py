"""Standings are updated as results arrive: only the data that a result concerns is read and recomputed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from sqlalchemy import event, select

from faristol.consumers import generations
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.projections import ranks
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.rows import Game, Seat, Standing
from faristol.read_models.storage.tables import TABLES_VERSION, schema
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options

PLAYERS = [f"player-{number}" for number in range(16)]
ROUND_COUNT = 4
FISC = load_ruleset("fisc-2023")
ANNULLING = with_options(load_ruleset("fise"), {"pairing": "round-robin", "left_early": "annulled"})
"""A player who leaves before half of the games has them annulled; here all leavers do."""


def scores(chance: random.Random, players: list[str]) -> list[game.FinalScore]:
    return [game.FinalScore(player_id=player, score=chance.randint(250, 550)) for player in players]


def afterwards(chance: random.Random, told: list[pairing.ResultRecorded]) -> Iterator[Message]:
    """Yield the events that may change a recorded result or the participants."""
    of = chance.choice(told)
    players = [each.player_id for each in of.scores]
    match chance.randrange(8):
        case 0:
            yield pairing.ResultCorrected(round=of.round, game_id=of.game_id, scores=scores(chance, players))
        case 1:
            unplayed = pairing.ResultCorrected(round=of.round, game_id=of.game_id, scores=scores(chance, players))
            unplayed.unplayed, unplayed.winner_id = True, players[0]
            yield unplayed
        case 2:
            yield pairing.SpreadAdjusted(round=of.round, game_id=of.game_id, player_id=players[0], points=-7)
        case 3:
            yield pairing.PlayerWithdrawn(player_id=chance.choice(PLAYERS), round=chance.choice([1, of.round + 1]))
        case 4:
            yield pairing.PlayerReinstated(player_id=chance.choice(PLAYERS), round=of.round + 1)


def championship(chance: random.Random, rules: Ruleset = FISC) -> list[Message]:
    """Return a tournament in the order in which it happens; results come in any order, and some are changed later."""
    names, told = list(PLAYERS), list[pairing.ResultRecorded]()
    events: list[Message] = [
        pairing.TournamentCreated(tournament_id="copa", name="Copa", rounds=ROUND_COUNT),
        pairing.RulesetPinned(
            ruleset=game.Pin(
                name=rules.name,
                digest=rules.digest,
                options=[game.ChosenOption(name=name, value=str(value)) for name, value in rules.chosen.items()],
            )
        ),
        *(pairing.PlayerRegistered(player_id=name, rating=1_000) for name in names),
    ]
    for number in range(1, ROUND_COUNT + 1):
        chance.shuffle(names)
        pairs = [
            pairing.Pairing(
                table=table, game_id=f"copa-r{number}-t{table}", first_player_id=first, second_player_id=second
            )
            for table, (first, second) in enumerate(zip(names[1::2], names[2::2], strict=False), 1)
        ]
        events.append(pairing.RoundPaired(round=number, pairings=pairs))
        events.append(pairing.ByeAwarded(round=number, player_id=names[0]))
        events.append(pairing.RoundStarted(round=number))
        for pair in chance.sample(pairs, len(pairs)):
            played = [pair.first_player_id, pair.second_player_id]
            told.append(pairing.ResultRecorded(round=number, game_id=pair.game_id, scores=scores(chance, played)))
            events += [told[-1], *afterwards(chance, told)]
    return events


async def append(record: Record, events: list[Message], rules: Ruleset = FISC) -> None:
    kept = pairing.RulesetKept(digest=rules.digest, content=rules.canonical)
    writes = [Write(f"ruleset-{rules.digest}", 0, [kept], "copa"), Write("tournament-copa", 0, events, "copa")]
    await record.append(Decision(writes), Metadata(actor="test"))


@pytest.mark.parametrize(("seed", "rules"), [(0, FISC), (1, FISC), (2, ANNULLING)], ids=["0", "1", "annulling"])
async def test_standings_kept_up_result_by_result_are_those_made_at_once(
    record: Record, seed: int, rules: Ruleset
) -> None:
    chance = random.Random(seed)
    kept_up, at_once = projection(1), projection(2)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, kept_up)
        await generations.add(connection, at_once)
    await append(record, championship(chance, rules), rules)
    events = list(await record.read(limit=1_000))
    left = list(events)
    while left:
        some = [left.pop(0) for _ in range(min(len(left), chance.choice([1, 1, 1, 4])))]
        async with record.writing() as connection:
            await kept_up.apply(connection, some)
    ranks._known.clear()
    async with record.writing() as connection:
        await at_once.apply(connection, events)
    async with record.reading() as connection:
        found: dict[type, list[list[Any]]] = {}
        for generation in (1, 2):
            for cls, table in schema(TABLES_VERSION, generation).items():
                rows = sorted(map(tuple, await connection.execute(select(table))))
                found.setdefault(cls, []).append(rows)
    assert len(found[Standing][0]) > ROUND_COUNT * len(PLAYERS) / 2
    assert all(kept == made for kept, made in found.values())
    annulled = list(schema(TABLES_VERSION, 1)[Standing].c.keys()).index("annulled")
    assert any(row[annulled] for row in found[Standing][0]) is (rules is ANNULLING)


async def test_of_a_round_that_goes_on_only_the_table_of_a_new_result_is_read(record: Record) -> None:
    work = projection(1)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    await append(record, championship(random.Random(7)))
    events = list(await record.read(limit=1_000))
    last = max(place for place, each in enumerate(events) if each.name == "ResultRecorded")
    before = max(place for place, each in enumerate(events[:last]) if each.name == "ResultRecorded")
    for some in (events[:before], events[before:last]):
        async with record.writing() as connection:
            await work.apply(connection, some)
    asked: list[str] = []
    async with record.writing() as connection:
        event.listen(connection.sync_connection, "before_cursor_execute", lambda *given: asked.append(given[2]))
        await work.apply(connection, events[last : last + 1])
    names = [schema(TABLES_VERSION, 1)[cls].name for cls in (Game, Seat)]
    assert any(name in statement for name in names for statement in asked)
    assert [each for each in asked if any(f"{name}.round = " in each for name in names)] == []
