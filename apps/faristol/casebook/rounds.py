"""The tournament of one round around a game of a case, and the other games of its round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.casebook.case import TOURNAMENT_ID, TOURNAMENT_STREAM
from faristol.casebook.forms import moment
from faristol.casebook.table.position import CASE_GAME_ID
from faristol.host.table_store import game_stream
from faristol.kernel.pins import Pin
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset
from faristol.tournament.administration.tournaments import pin_of

OTHER_GAME_ID = "other"


def founding(ruleset: Ruleset, lexicon: Pin) -> list[Message]:
    """Return the events that create a tournament of one round."""
    return [
        pairing_events.TournamentCreated(tournament_id=TOURNAMENT_ID, rounds=1),
        pairing_events.RulesetPinned(ruleset=pin_of(ruleset).message()),
        pairing_events.LexiconPinned(lexicon=lexicon.message()),
    ]


def pairing_of(past_events: Sequence[Message]) -> list[Message]:
    """Return the event that pairs the round of the table that these events open."""
    opened = next(event for event in past_events if isinstance(event, events.GameOpened))
    first, second, *more = opened.player_ids
    pairing = pairing_events.Pairing(table=1, game_id=CASE_GAME_ID, first_player_id=first, second_player_id=second)
    if more:
        pairing.player_ids.extend(opened.player_ids)
    return [pairing_events.RoundPaired(round=opened.round, pairings=[pairing])]


def start_of_the_round(at_ms: int) -> list[Message]:
    """Return the event that starts the round."""
    return [pairing_events.RoundStarted(round=1, occurred_at=moment(at_ms))]


def end_of_the_others(opened: events.GameOpened, at_ms: int) -> Mapping[str, Sequence[Message]]:
    """Return the events, by stream, with which all other games of the round are over."""
    pairings = [
        pairing_events.Pairing(table=table, game_id=game_id)
        for table, game_id in enumerate((CASE_GAME_ID, OTHER_GAME_ID), start=1)
    ]
    paired = pairing_events.RoundPaired(round=opened.round, pairings=pairings)
    other = events.GameOpened()
    other.CopyFrom(opened)
    other.game_id = OTHER_GAME_ID
    ended = events.GameEnded(condition=events.END_CONDITION_OUT, occurred_at=moment(at_ms))
    return {TOURNAMENT_STREAM: [paired], game_stream(OTHER_GAME_ID): [other, ended]}
