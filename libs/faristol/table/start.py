"""Opening a table: the starting draw, the first racks, the start (FISC I.5). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.kernel.pairings import seats_of
from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset, commitment, derive_seed, draw, full_bag, without
from faristol.rules.draws.bag import starting_draw
from faristol.table.game.state import UNENTERED_TILE
from faristol.table.views import TableTournament


def open_table(
    tournament: TableTournament, round_: int, pairing: pairing_events.Pairing, ruleset: Ruleset, at: Instant
) -> list[Message]:
    """Return all events of a table until its first clock may run.

    The table's seed is derived from that of the tournament and the id of the game, so it cannot be chosen. If the rules
    do not draw for the start, the pairing names the first player. A game that requires an arbiter starts when the table
    has one (PES Γ.γ). A recorded table starts when the first player is entered.
    """
    seed = derive_seed(tournament.seed, pairing.game_id)
    players = seats_of(pairing)
    new_events: list[Message] = [
        events.GameOpened(
            game_id=pairing.game_id,
            tournament_id=tournament.tournament_id,
            round=round_,
            table=pairing.table,
            hall=pairing.hall,
            player_ids=players,
            ruleset=tournament.ruleset.message(),
            lexicon=tournament.lexicon.optional_message(),
            seed=seed,
            keeping=tournament.keeping,
            occurred_at=timestamp(at),
            drawn_at=timestamp(tournament.drawn[round_]) if round_ in tournament.drawn else None,
        )
    ]
    if tournament.keeping == events.KEEPING_RECORDED:
        return [*new_events, *_dealt_unseen(players, ruleset, at)]
    new_events.append(events.DrawsCommitted(commitment=commitment(seed, pairing.game_id), occurred_at=timestamp(at)))
    first, number = players[0], 0
    if ruleset.start.method == "draw":
        drawn = starting_draw(ruleset, players, seed)
        first, number = drawn.first, drawn.next_counter
        new_events.extend(
            events.StartTileDrawn(player_id=tile.player, face=tile.face, draw=tile.counter, occurred_at=timestamp(at))
            for tile in drawn.tiles
        )
    new_events.append(events.StartDecided(player_id=first, occurred_at=timestamp(at)))
    bag = full_bag(ruleset.tile_set)
    for player in sorted(players, key=lambda player: player != first):
        rack = draw(bag, ruleset.game.rack_size, seed, number)
        bag = without(bag, rack)
        new_events.append(
            events.TilesDrawn(player_id=player, faces=rack, draw=number, bag_left=len(bag), occurred_at=timestamp(at))
        )
        number += 1
    if not ruleset.arbiter.required:
        new_events.append(events.GameStarted(first_player_id=first, occurred_at=timestamp(at)))
    return new_events


def _dealt_unseen(players: Sequence[str], ruleset: Ruleset, at: Instant) -> list[Message]:
    """Return the first racks at a recorded table: full, with unknown tiles."""
    size, left = ruleset.game.rack_size, len(full_bag(ruleset.tile_set))
    new_events: list[Message] = []
    for number, player in enumerate(players):
        left -= size
        new_events.append(
            events.TilesDrawn(
                player_id=player, faces=[UNENTERED_TILE] * size, draw=number, bag_left=left, occurred_at=timestamp(at)
            )
        )
    return new_events
