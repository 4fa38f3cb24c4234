"""The creation of a tournament, its options and its number of rounds. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.errors import AlreadyExists, Invalid
from faristol.kernel.likeness import like
from faristol.kernel.pins import UNPINNED, Pin, no_lexicon
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, check_settled
from faristol.rules.championship import check_first_round, check_rounds
from faristol.rules.ruleset.options import format_value
from faristol.tournament.administration.description import check_zone
from faristol.tournament.administration.qualification import adjust_rounds, count_present
from faristol.tournament.administration.stages import check_carries_over
from faristol.tournament.conditions import check_open
from faristol.tournament.rounds.systems import CYCLES, too_many_rounds
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.teams.tournament import of_teams

MOST_ROUNDS = 100
"""Limit of rounds in a tournament."""

SEED_SIZE = 32
"""Size of a tournament's seed, in bytes."""


def create(situation: Situation, request: pb.CreateTournamentRequest, lexicon: Pin = UNPINNED) -> list[Message]:
    """Create a tournament with its rules and ``lexicon``, pinned by content. FISC I.1 requires 5 rounds or more.

    Without a lexicon, results are typed: raises ``Refusal`` for duplicate games, and if the system would hold the bag.
    ``time_zone`` is the IANA name of the halls' zone, UTC if empty. ``division`` is its name as a division, and
    ``division_of`` the first division if it is a further one. The request has an id and a seed.
    """
    ruleset, rounds, time_zone = situation.ruleset, request.rounds, request.time_zone
    if situation.state.exists:
        raise AlreadyExists("tournament", request.tournament_id)
    if len(request.seed) != SEED_SIZE:
        raise Invalid(
            "seed",
            N_("has {length} {length:byte|bytes}; expected {expected}, or an empty field to have it drawn"),
            {"length": len(request.seed), "expected": SEED_SIZE},
        )
    check_settled(ruleset)
    if lexicon == UNPINNED:
        _check_needs_no_lexicon(ruleset, request.keeping)
    _check_number(rounds, ruleset)
    check_first_round(rounds, ruleset)
    if time_zone:
        check_zone(time_zone)
    pinned = [] if lexicon == UNPINNED else [events.LexiconPinned(lexicon=lexicon.message())]
    return [
        like(
            events.TournamentCreated,
            request,
            rounds=rounds,
            occurred_at=to_timestamp(situation.at or situation.now),
            time_zone=time_zone or "UTC",
        ),
        events.RulesetPinned(ruleset=pin_of(ruleset).message()),
        *pinned,
    ]


def change_options(situation: Situation, ruleset: Ruleset) -> list[Message]:
    """Pin ``ruleset``, the same rule book with other options, before the first round is paired.

    A stage gets the number of rounds of its new format, if that determines one.
    Raises ``Refusal`` if a round is paired, or if teams are registered for another number of boards. Raises ``Refusal``
    if an option is not chosen, or if no option changes.
    """
    state = situation.state
    check_open(state)
    if state.played:
        raise Refusal(
            "ROUND_PAIRED",
            N_("Round {round} has been paired under the present rules: they can no longer change."),
            {"round": 1},
            subject="rounds/1",
        )
    if pin_of(ruleset) == state.ruleset:
        raise Refusal("SAME_OPTIONS", N_("No change to the rules: specify a new option."))
    if state.teams and ruleset.championship.team_boards != situation.ruleset.championship.team_boards:
        raise Refusal(
            "TEAMS_REGISTERED",
            N_("Teams are registered with their boards: the number of boards of a match can no longer change."),
            article=ruleset.article("championship.team_boards"),
        )
    check_settled(ruleset)
    changed: list[Message] = []
    if state.stage is not None:
        check_carries_over(state.stage, ruleset)
        changed = adjust_rounds(situation, ruleset, count_present(state))
    rounds = next((event.rounds for event in changed if isinstance(event, events.RoundsChanged)), state.rounds)
    _check_number(rounds, ruleset)
    check_first_round(rounds, ruleset)
    return [events.RulesetPinned(ruleset=pin_of(ruleset).message()), *changed]


def choose_lexicon(situation: Situation, lexicon: Pin) -> list[Message]:
    """Pin ``lexicon`` to a tournament without one. Raises ``Refusal`` if it has one."""
    state = situation.state
    check_open(state)
    if state.lexicon != UNPINNED:
        raise Refusal(
            "LEXICON_PINNED",
            N_("{name} is pinned to the lexicon {lexicon}, which cannot change."),
            {"name": state.name, "lexicon": state.lexicon.name},
        )
    return [events.LexiconPinned(lexicon=lexicon.message())]


def change_rounds(situation: Situation, request: pb.ChangeRoundsRequest) -> list[Message]:
    """Add rounds, or drop rounds that are not paired.

    The minimum of the book applies (FISC I.1: 5), and no pair has to meet twice. A round can follow the last one until
    the final standings are published. Its rating list is then revised after the added round. The number of a round
    robin is that of its table.
    """
    state, ruleset, rounds = situation.state, situation.ruleset, request.rounds
    check_open(state)
    article = ruleset.article("championship.rounds_min")
    if rounds == state.rounds:
        raise Refusal(
            "SAME_ROUNDS", N_("The championship already has {rounds} {rounds:round|rounds}."), {"rounds": rounds}
        )
    if ruleset.championship.system in CYCLES and state.played:
        raise Refusal(
            "PAIRED_BY_TABLE",
            N_("The table of rounds for all players has already been drawn: it has {rounds} {rounds:round|rounds}."),
            {"rounds": state.rounds},
            article=ruleset.article("championship.system"),
        )
    _check_number(rounds, ruleset)
    if not state.played:
        check_first_round(rounds, ruleset)
    if rounds < len(state.played):
        raise Refusal(
            "ROUND_PAIRED",
            N_("Round {round} has been paired: the championship cannot have {rounds} {rounds:round|rounds}."),
            {"round": len(state.played), "rounds": rounds},
            article=article,
        )
    players = sum(entry.takes_part(len(state.played) + 1) for entry in state.entries)
    more = state.played and rounds > state.rounds
    if more and (refusal := too_many_rounds(players, rounds, ruleset)):
        raise of_teams(refusal) if state.teams else refusal
    return [situation.event(events.RoundsChanged, rounds=rounds, before=state.rounds, note=request.note)]


def _check_needs_no_lexicon(ruleset: Ruleset, keeping: game.Keeping.ValueType) -> None:
    if ruleset.game.mode == "duplicate":
        raise no_lexicon(
            N_(
                "A duplicate game is scored with a lexicon and cannot be played without one. Choose a lexicon that "
                "is installed here; the operator of the server installs others."
            )
        )
    if keeping != game.KEEPING_RECORDED:
        raise no_lexicon(
            N_(
                "If the system holds the bag, it rules on challenges with a lexicon. Without one, choose play over "
                "the board and enter the results; or choose a lexicon that is installed here. The operator of the "
                "server installs others."
            )
        )


def _check_number(rounds: int, ruleset: Ruleset) -> None:
    check_rounds(rounds, ruleset)
    if rounds > MOST_ROUNDS:
        raise Invalid("rounds", N_("is {rounds}; expected at most {most}"), {"rounds": rounds, "most": MOST_ROUNDS})


def pin_of(ruleset: Ruleset) -> Pin:
    """Return the pin of a ruleset: its name, digest and chosen options."""
    chosen = tuple((name, format_value(value)) for name, value in sorted(ruleset.chosen.items()))
    return Pin(ruleset.name, ruleset.digest, chosen)


COMMANDS: Mapping[type[Message], PairingCommand] = {pb.ChangeRoundsRequest: PairingCommand(change_rounds)}

UNDO: Mapping[type[Message], Undo] = {
    events.RoundsChanged: Undo(lambda act, before: pb.ChangeRoundsRequest(rounds=act.before), thing=("rounds",)),
}
