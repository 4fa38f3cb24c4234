"""A tournament as a whole: how it begins, and how it ends. Pure."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import available_timezones

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, systems
from faristol.pairing.model import AppealPhase, Phase, Tournament
from faristol.pairing.team_tournament import of_teams
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset, check_settled
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
    division: str = "",
    division_of: str = "",
) -> list[Message]:
    """A tournament under ``ruleset`` and ``lexicon``, pinned by content. FISC I.1 wants at least 5 rounds.

    ``time_zone`` is that of the halls by its IANA name, UTC when empty. ``division`` is its name among the divisions of
    a championship, and ``division_of`` the first of these, where it is a further one.
    """
    if state.exists:
        raise AlreadyExists("tournament", tournament_id)
    if len(seed) != SEED_SIZE:
        raise Invalid(
            "seed",
            N_("has {length} {length:byte|bytes}; expected {expected}, or none to have it drawn"),
            {"length": len(seed), "expected": SEED_SIZE},
        )
    check_settled(ruleset)
    _check_number(rounds, ruleset)
    check_first_round(rounds, ruleset)
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
            division=division,
            division_of=division_of,
        ),
        events.RulesetPinned(ruleset=pin_of(ruleset).message()),
        events.LexiconPinned(lexicon=lexicon.message()),
    ]


def change_rounds(
    state: Tournament, ruleset: Ruleset, *, rounds: int, note: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Add rounds, or drop those that are not paired.

    The book's least number holds (FISC I.1: 5), and nobody can be made to meet twice. Until the final standings are
    published a round can follow the one that was the last; its rating list stands until that is closed too, and is
    revised then. Where each meets each, their number is that of the table.
    """
    if state.over:
        raise conditions.over(state)
    article = ruleset.article("championship.rounds_min")
    if rounds == state.rounds:
        raise Refusal(
            "SAME_ROUNDS", "", N_("The championship has {rounds} {rounds:round|rounds} already."), {"rounds": rounds}
        )
    if ruleset.championship.system in systems.CYCLES and state.played:
        raise Refusal(
            "PAIRED_BY_TABLE",
            ruleset.article("championship.system"),
            N_("Each meets each by the table of rounds, which has been drawn: it has {rounds} {rounds:round|rounds}."),
            {"rounds": state.rounds},
        )
    _check_number(rounds, ruleset)
    if not state.played:
        check_first_round(rounds, ruleset)
    if rounds < len(state.played):
        raise Refusal(
            "ROUND_PAIRED",
            article,
            N_("Round {round} has been paired: the championship cannot have {rounds} {rounds:round|rounds}."),
            {"round": len(state.played), "rounds": rounds},
        )
    players = sum(one.takes_part(len(state.played) + 1) for one in state.entries)
    more = state.played and rounds > state.rounds
    if more and (refusal := systems.too_many_rounds(players, rounds, ruleset)):
        raise of_teams(refusal) if state.teams else refusal
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.RoundsChanged(rounds=rounds, before=state.rounds, note=note, occurred_at=occurred_at)]


def _check_number(rounds: int, ruleset: Ruleset) -> None:
    check_rounds(rounds, ruleset)
    if rounds > MOST_ROUNDS:
        raise Invalid("rounds", N_("is {rounds}; expected at most {most}"), {"rounds": rounds, "most": MOST_ROUNDS})


def pin_of(ruleset: Ruleset) -> Pin:
    """A ruleset by its name, its content, and what was chosen for it."""
    chosen = tuple((name, written(value)) for name, value in sorted(ruleset.chosen.items()))
    return Pin(ruleset.name, ruleset.digest, chosen)


def publish(state: Tournament, ruleset: Ruleset, *, at: datetime | None, now: datetime) -> list[Message]:
    """Publish the final standings once the last round is closed and every appeal is decided."""
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
    conditions.check_none(
        [
            Refusal(
                "APPEAL_OPEN",
                ruleset.law.appeal,
                N_("Appeal {appeal}, of {player}, has not been decided."),
                {"appeal": number, "player": one.player_id},
            )
            for number, one in enumerate(state.appeals, start=1)
            if one.phase is AppealPhase.OPEN
        ]
    )
    return [events.StandingsPublished(round=state.rounds, occurred_at=to_timestamp(conditions.moment(state, at, now)))]


def reopen(state: Tournament, *, note: str, at: datetime | None, now: datetime) -> list[Message]:
    """Take the final standings back that were published. Refuses where they are not."""
    if not state.over:
        raise Refusal(
            "NOT_PUBLISHED",
            "",
            N_("The final standings of {tournament} are not published."),
            {"tournament": state.tournament_id},
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.StandingsReopened(round=state.rounds, note=note, occurred_at=occurred_at)]
