"""The obstacles to the pairing of a round, and the explanation of pairings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.event_store import Record
from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.text import say
from faristol.tournament.command_handling.duplicate_texts import refuse_of_games
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.outcome import to_obstacle
from faristol.tournament.conditions import found_round
from faristol.tournament.engines import swiss
from faristol.tournament.pairing_explanations import player_pairs
from faristol.tournament.pairing_explanations import team_pairs as team_explanation
from faristol.tournament.rounds.knock_out import is_decided
from faristol.tournament.rounds.pairing import obstacles
from faristol.tournament.rounds.systems import WayOut, ways_out
from faristol.tournament.state import TournamentState, evolve, stream
from faristol.tournament.teams.tournament import between, rules_between

ROUNDS_OF: Mapping[str, str] = {"WRONG_ROUNDS": "expected", "TOO_MANY_ROUNDS": "most"}
"""The parameter of a refusal that has the possible number of rounds, by reason."""


async def list_obstacles(
    handler: PairingHandler, request: pb.ListObstaclesRequest, context: Context
) -> pb.ListObstaclesResponse:
    """Return all reasons why the next round cannot be paired."""
    state = (await handler.load(request.tournament_id)).state
    number = len(state.played) + 1
    if state.over or number > state.rounds:
        return pb.ListObstaclesResponse()
    language, ruleset = language_of(context), ruleset_of(state.ruleset)
    if is_decided(state, ruleset):
        return pb.ListObstaclesResponse()
    found = [refuse_of_games(each, ruleset) for each in await asyncio.to_thread(obstacles, state, ruleset, number)]
    impossible = any(obstacle.reason in swiss.IMPOSSIBLE for obstacle in found)
    return pb.ListObstaclesResponse(
        round=number,
        rounds=next((int(each.params[ROUNDS_OF[each.reason]]) for each in found if each.reason in ROUNDS_OF), 0),
        obstacles=[to_obstacle(each, language) for each in found],
        ways_out=[
            pb.WayOut(
                way=way.way,
                exceptions=[pb.Exception(player_ids=group) for group in way.players],
                text=say(way.message, way.params, language),
            )
            for way in (await asyncio.to_thread(_ways_out, state, ruleset, number) if impossible else ())
        ],
    )


def _ways_out(state: TournamentState, ruleset: Ruleset, number: int) -> tuple[WayOut, ...]:
    if ruleset.championship.team_boards is None:
        return ways_out(state, ruleset, number)
    return ways_out(between(state, ruleset), rules_between(ruleset), number)


async def explain_pairing(
    handler: PairingHandler, request: pb.ExplainPairingRequest, context: Context
) -> pb.ExplainPairingResponse:
    """Explain the opponent of a player in a round, or why two players do not meet."""
    if request.player_id == request.other_player_id:
        raise Invalid("other_player_id", N_("expected a player other than player_id, or none"))
    after = (await handler.load(request.tournament_id)).state
    paired = found_round(after, request.round)
    if paired.changed_by_hand:
        text = N_("Officials changed the pairing of round {round} by hand before it was published.")
        said_by_hand = say(text, {"round": request.round}, language_of(context))
        return pb.ExplainPairingResponse(reason="CHANGED_BY_HAND", text=said_by_hand)
    before = await _before(handler.record, request.tournament_id, request.round)
    ruleset = ruleset_of(after.ruleset)
    player, other = request.player_id, request.other_player_id
    found: tuple[player_pairs.Explanation, ...]
    if ruleset.championship.team_boards is None:
        found = (player_pairs.explain(before, ruleset, paired, player, other),)
    else:
        found = team_explanation.explain(before, ruleset, paired, player, other)
    sentences = (say(part.message, part.params, language_of(context)) for part in found)
    return pb.ExplainPairingResponse(reason=found[0].reason, article=found[0].article, text=" ".join(sentences))


async def _before(record: Record, tournament_id: str, number: int) -> TournamentState:
    """Return the tournament before the last pairing of a round, or before its draft. Raises ``NotFound``."""
    state = TournamentState()
    before: TournamentState | None = None
    drafted: TournamentState | None = None
    last: Message | None = None
    for event in await record.events(stream(tournament_id)):
        match event:
            case events.RoundDrafted() if event.round == number:
                # The draft of an unpublished round repeats its pairing.
                drafted = before if isinstance(last, events.RoundUnpublished) else state
            case events.RoundPaired() if event.round == number:
                before = drafted or state
            case events.DraftDiscarded() | events.RoundUnpaired() if event.round == number:
                drafted = None
            case _:
                pass
        last = event
        state = evolve(state, event)
    if before is None:
        raise NotFound("round", f"{tournament_id}/{number}")
    return before
