"""The answers of the game service, from events and from the state of a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.host.table_store import Settled, game_stream
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Placement, TurnKind, full_bag, without
from faristol.table import Table, of_clock
from faristol.table.decide.checks import awaits_mover, in_doubt
from faristol.table.draw_log import RackAtTurn, draws_of, racks_of
from faristol.table.final_score import awaited_signers
from faristol.table.game.state import UNENTERED_TILE, Game, Interruption, LastRuling, Phase
from faristol.table.offers import Offer

M = TypeVar("M", bound=Message)


def answer(response: type[M], position: int, new_events: Sequence[Message]) -> M:
    """Build the answer of type ``response`` to a command that led to ``new_events``."""
    answered: Any = response(position=position)
    for event in new_events:
        _copy_fields(answered, event)
    return answered  # type: ignore[no-any-return] # it is of the type asked for


def _copy_fields(answered: Any, event: Message) -> None:
    """Copy the fields of ``event`` to an answer that has them."""
    match answered, event:
        case game_pb2.PlacePlayResponse(), events.PlayPlaced():
            answered.turn, answered.score, answered.off_centre = event.turn, event.score, event.off_centre
            answered.words.extend(event.words)
        case game_pb2.PlacePlayResponse(), events.TurnLost(reason=events.TURN_LOST_REASON_TOUCH):
            answered.turn, answered.turn_lost = event.turn, True
        case game_pb2.TakeBackTilesResponse() | game_pb2.FreeExchangeResponse(), events.TurnLost():
            answered.turn_lost = True
        case game_pb2.ExchangeResponse(), events.TurnLost(reason=events.TURN_LOST_REASON_ILLEGAL_EXCHANGE):
            answered.turn_lost = True
        case game_pb2.ExchangeResponse(), events.IllegalExchangeFound():
            answered.illegal = True
        case (
            game_pb2.ExchangeResponse() | game_pb2.FreeExchangeResponse() | game_pb2.DrawTilesResponse(),
            events.TilesDrawn(),
        ):
            answered.drawn.extend(event.faces)
        case game_pb2.WriteScoreResponse(), events.CountDisputed():
            answered.disputed = True
        case game_pb2.ChallengeResponse(), events.ChallengeRaised():
            answered.challenge = event.challenge
        case game_pb2.ClaimOverdrawResponse(), events.OverdrawFound():
            answered.surplus, answered.choose, answered.arbiter = event.surplus, event.choose, event.arbiter
        case game_pb2.ClaimUnderdrawResponse(), events.UnderdrawFound():
            answered.arbiter = event.arbiter
        case game_pb2.ReportTilesFoundResponse(), events.TilesFound():
            answered.into_bag = event.into_bag
        case game_pb2.SettleBlankResponse(), events.BlankSettled():
            answered.face = event.face
        case game_pb2.CorrectPlayResponse(), events.PlayCorrected():
            answered.total = event.total
        case game_pb2.RecordOverholdingResponse(), events.SanctionImposed():
            answered.count = event.overholding
            answered.expulsion = event.kind == events.SANCTION_KIND_EXPULSION


def build_game_response(settled: Settled, player_id: str) -> game_pb2.GetGameResponse:
    """Build the state of a table, with the rack of ``player_id`` unless that is empty.

    It has only data that the player may see, or without a player the public.
    """
    table, game = settled.table, settled.game
    refused = awaits_mover(game, table.ruleset)
    return like(
        game_pb2.GetGameResponse,
        game,
        phase=game_pb2.PHASE_REFUSED if refused else game_pb2.Phase.Value(f"PHASE_{game.phase.name}"),
        turn_player_id=game.mover,
        sides=[
            game_pb2.Side(
                player_id=player,
                score=game.scores[player],
                rack_size=len(game.racks[player]),
                signed=player in game.signed,
            )
            for player in game.player_ids
        ],
        board=[_tile(Placement(square, tile)) for square, tile in game.board.items()],
        pending=game.pending,
        pending_ruled_valid=bool(game.ruled),
        rack=game.racks.get(player_id, ()),
        version=settled.versions[game_stream(game.game_id)],
        occurred_at=timestamp(table.last_at),
        ruleset=game.ruleset.message(),
        lexicon=game.lexicon.optional_message(),
        end_condition=game.condition,
        laid=[_tile(laid) for laid in game.course.laid],
        open_play=None if game.pending else in_doubt(game, table.clock, table.ruleset),
        written=game.course.written.values(),
        interruption=_interruption(game, player_id),
        arbiter_called_by=game.arbiter_called,
        arbiter_id=game.arbiter,
        unseen=_unseen(table, player_id),
        following=sum(not of_clock(event) for event in settled.missing),
        appealed=game.course.appealed,
        announced=game.course.announced,
        exchanged=game.taken is TurnKind.EXCHANGE,
        ruling=_ruling(game.last_ruling),
        awaited_signer_ids=awaited_signers(game, table.ruleset) if game.phase is Phase.ENDED else (),
    )


def build_offers_response(settled: Settled, found: Sequence[Offer], player_id: str) -> game_pb2.ListOffersResponse:
    """Build the list of possible commands at the table: of all persons, or of ``player_id`` unless that is empty."""
    return game_pb2.ListOffersResponse(
        offers=[
            game_pb2.Offer(
                service=offer.service,
                method=offer.command,
                player_id=offer.who.player_id,
                drawer_id=offer.who.drawer_id,
                by_arbiter=offer.who.is_arbiter,
                article=offer.article,
                field=offer.field,
                choices=offer.choices,
            )
            for offer in found
            if not player_id or (offer.who.player_id == player_id and not offer.who.is_arbiter)
        ],
        version=settled.versions[game_stream(settled.game.game_id)],
    )


def _ruling(last: LastRuling | None) -> game_pb2.Ruling | None:
    if last is None:
        return None
    return game_pb2.Ruling(
        turn=last.event.turn,
        challenge=last.event.challenge,
        appeal=isinstance(last.event, events.AppealRuled),
        valid=last.event.valid,
        word=last.play.words[0].word,
        words=last.event.words if isinstance(last.event, events.ChallengeRuled) else (),
    )


def _unseen(table: Table, player_id: str) -> tuple[str, ...]:
    """Return the tiles that ``player_id`` has not seen on the board or own rack; empty without a player."""
    if not player_id:
        return ()
    board = [tile.in_rack for tile in table.game.board.values()]
    own = [face for face in table.game.racks[player_id] if face != UNENTERED_TILE]
    return without(full_bag(table.ruleset.tile_set), [*board, *own, *table.game.out])


def _tile(placement: Placement) -> events.Placement:
    square, tile = placement
    return events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)


def _interruption(game: Game, player_id: str) -> game_pb2.Interruption | None:
    """Return the open interruption, without the tiles that ``player_id`` may not see."""
    found: Interruption | None = game.interruption
    opponent = player_id in game.player_ids and found is not None and player_id != found.player_id
    match found:
        case None:
            return None
        case events.OverdrawFound():
            overdraw = events.OverdrawFound()
            overdraw.CopyFrom(found)
            if not (opponent and found.seen_by_opponent):
                overdraw.ClearField("shown")
            return game_pb2.Interruption(overdraw=overdraw)
        case events.UnderdrawFound():
            return game_pb2.Interruption(underdraw=found)
        case events.IllegalExchangeFound():
            revealed = events.IllegalExchangeFound()
            revealed.CopyFrom(found)
            if not opponent:
                revealed.ClearField("from_rack")
                revealed.ClearField("bag")
            return game_pb2.Interruption(illegal_exchange=revealed)
        case events.CountDisputed():
            return game_pb2.Interruption(count=found)


def racks(settled: Settled, past_events: Sequence[Message]) -> list[RackAtTurn]:
    """Return the rack before every turn of a table. Raises ``Refusal`` as ``draws`` does."""
    _check_revealed(settled.game, past_events)
    return racks_of(past_events)


def _check_revealed(game: Game, past_events: Sequence[Message]) -> None:
    if not game.hosted:
        raise Refusal("NO_DRAWS", N_("This table is played over the board: players draw the tiles, not the system."))
    revealed = any(isinstance(event, events.SeedRevealed) for event in past_events)
    if not revealed and game.phase is not Phase.FINAL:
        raise Refusal("DRAWS_SECRET", N_("Draws are shown when the result is final: now they would reveal the racks."))


def draws(settled: Settled, past_events: Sequence[Message]) -> game_pb2.ListDrawsResponse:
    """Build the list of a table's draws from its events. Raises ``Refusal`` if they are secret or not by the system."""
    game = settled.game
    _check_revealed(game, past_events)
    committed = next((event.commitment for event in past_events if isinstance(event, events.DrawsCommitted)), b"")
    return game_pb2.ListDrawsResponse(
        seed=game.seed,
        commitment=committed,
        draws=[
            game_pb2.Draw(
                number=drawn.number,
                player_id=drawn.player_id,
                source=game_pb2.DrawSource.Value(f"DRAW_SOURCE_{drawn.source.name}"),
                among=drawn.among,
                faces=drawn.faces,
            )
            for drawn in draws_of(past_events, settled.table.ruleset)
        ],
        ruleset=game.ruleset.message(),
        racks=[
            game_pb2.HeldRack(turn=held.turn, player_id=held.player_id, faces=held.faces)
            for held in racks_of(past_events)
        ],
    )
