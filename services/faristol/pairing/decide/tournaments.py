"""A tournament as a whole: how it begins, and how it ends. Pure."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import available_timezones

from google.protobuf.message import Message

from faristol.host.errors import AlreadyExists, Invalid
from faristol.host.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.model import Phase, Pin, Tournament
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Refusal, Ruleset, check_settled
from faristol.rules.championship import check_first_round, check_rounds
from faristol.rules.options import written

MOST_ROUNDS = 100
"""Rounds of a tournament; no calendar has room for more."""

SEED_SIZE = 32
"""Bytes of a tournament's seed."""


def create(
    state: Tournament,
    *,
    tournament_id: str,
    name: str,
    rounds: int,
    seed: bytes,
    ruleset: Ruleset,
    lexicon: Pin,
    at: datetime | None,
    now: datetime,
    keeping: game_events.Keeping.ValueType = game_events.KEEPING_UNSPECIFIED,
    time_zone: str = "",
) -> list[Message]:
    """A tournament under ``ruleset`` and ``lexicon``, pinned by content. FISC I.1 wants at least 5 rounds.

    ``time_zone`` is that of the halls by its IANA name, UTC when empty.
    """
    if state.exists:
        raise AlreadyExists("tournament", tournament_id)
    if len(seed) != SEED_SIZE:
        raise Invalid(
            "seed",
            N_("has {length} bytes; expected {expected}, or none to have it drawn"),
            {"length": len(seed), "expected": SEED_SIZE},
        )
    check_settled(ruleset)
    check_rounds(rounds, ruleset)
    check_first_round(rounds, ruleset)
    if rounds > MOST_ROUNDS:
        raise Invalid("rounds", N_("is {rounds}; expected {most} at the most"), {"rounds": rounds, "most": MOST_ROUNDS})
    if time_zone and time_zone not in available_timezones():
        raise Invalid(
            "time_zone",
            N_("there is no time zone {given}; expected a name such as Europe/Athens"),
            {"given": repr(time_zone[:100])},
        )
    occurred_at = to_timestamp(at or now)
    return [
        events.TournamentCreated(
            tournament_id=tournament_id,
            name=name,
            rounds=rounds,
            seed=seed,
            occurred_at=occurred_at,
            keeping=keeping,
            time_zone=time_zone or "UTC",
        ),
        events.RulesetPinned(ruleset=pin_of(ruleset).message()),
        events.LexiconPinned(lexicon=lexicon.message()),
    ]


def pin_of(ruleset: Ruleset) -> Pin:
    """A ruleset by its name, its content, and what was chosen for it."""
    chosen = tuple((name, written(value)) for name, value in sorted(ruleset.chosen.items()))
    return Pin(ruleset.name, ruleset.digest, chosen)


def publish(state: Tournament, *, at: datetime | None, now: datetime) -> list[Message]:
    """Publish the final standings once the last round is closed."""
    if state.over:
        raise conditions.over(state)
    closed = sum(one.phase is Phase.CLOSED for one in state.played)
    if closed < state.rounds:
        raise Refusal(
            "ROUNDS_LEFT",
            "",
            N_("Final standings follow the last round: {closed} of {rounds} rounds are closed, round {next} is not."),
            {"closed": closed, "rounds": state.rounds, "next": closed + 1},
        )
    return [events.StandingsPublished(round=state.rounds, occurred_at=to_timestamp(conditions.moment(state, at, now)))]
