"""The draft of the next round, and its preview, for officials."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.likeness import like
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.rules import Ruleset
from faristol.text import say
from faristol.tournament.command_handling.duplicate_texts import refuse_of_games
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.outcome import to_obstacle
from faristol.tournament.rounds.draft_checks import list_checks
from faristol.tournament.rounds.drafts import against_publication
from faristol.tournament.rounds.preview import preview_round
from faristol.tournament.state import RoundState, TournamentState


async def get_draft(handler: PairingHandler, request: pb.GetDraftRequest, context: Context) -> pb.GetDraftResponse:
    """Return the draft of the next round with its checks; an answer with round 0 without one."""
    loaded = await handler.load(request.tournament_id)
    state = loaded.state
    answer = pb.GetDraftResponse(
        draft=pb.ProposedRound(),
        version=loaded.version,
        publication=state.publication or events.PAIRING_PUBLICATION_AT_ONCE,
    )
    draft = state.draft
    if draft is None:
        return answer
    language, ruleset = language_of(context), ruleset_of(state.ruleset)
    played = draft.played
    answer.draft.CopyFrom(await _propose(handler, state, ruleset, played, language, outdated=draft.outdated))
    answer.changed_by_hand = draft.content.changed_by_hand
    answer.drafted_at.CopyFrom(draft.content.occurred_at)
    if draft.publish_at is not None:
        answer.publish_at.CopyFrom(to_timestamp(draft.publish_at))
    answer.obstacles.extend(
        to_obstacle(refuse_of_games(each, ruleset), language) for each in against_publication(state, ruleset, draft)
    )
    return answer


async def preview(
    handler: PairingHandler, request: pb.PreviewRoundRequest, context: Context
) -> pb.PreviewRoundResponse:
    """Return the pairing of the next round under the assumed results."""
    state = (await handler.load(request.tournament_id)).state
    ruleset = ruleset_of(state.ruleset)
    after, played = await asyncio.to_thread(preview_round, state, ruleset, request.results, request.system)
    return pb.PreviewRoundResponse(preview=await _propose(handler, after, ruleset, played, language_of(context)))


async def _propose(
    handler: PairingHandler,
    state: TournamentState,
    ruleset: Ruleset,
    played: RoundState,
    language: str,
    *,
    outdated: bool = False,
) -> pb.ProposedRound:
    """Return a pairing with its checks, whose sentences are in ``language``."""
    clubs = await _clubs(handler, played.player_ids)
    return like(
        pb.ProposedRound,
        played.message(),
        checks=[
            like(pb.DraftCheck, each, text=say(each.message, each.params, language))
            for each in list_checks(state, ruleset, played, clubs, outdated=outdated)
        ],
    )


async def _clubs(handler: PairingHandler, player_ids: Collection[str]) -> Mapping[str, str]:
    known = await people.names(handler.record, player_ids)
    return {person.player_id: person.club for person in known.values() if person.club}
