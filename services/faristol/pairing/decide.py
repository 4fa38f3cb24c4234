"""What a director may do with a tournament, and what follows. Pure: time and randomness are arguments.

Each function takes the tournament as it is and gives the facts to append. ``at`` is when the act happened, or None
for ``now``. ``Invalid`` is raised for a malformed argument, ``AlreadyExists`` for an id that is taken, ``Refusal`` for
what the rules or the state of the tournament do not allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.host.errors import AlreadyExists, Invalid
from faristol.host.times import to_timestamp
from faristol.pairing import conditions, systems
from faristol.pairing.model import Decided, Phase, Pin, Tournament, game_id
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Refusal, Ruleset, check_settled, derive_seed
from faristol.rules.championship import check_rounds
from faristol.rules.options import written

UNRATED = 1000
"""Where RaScCat lets a player without a rating start."""

MOST_ROUNDS = 100
"""Rounds of a tournament; no calendar has room for more."""

MOST_PLAYERS = 1_000
"""Players of a tournament: all tables of a round open in one transaction."""

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
) -> list[Message]:
    """A tournament under ``ruleset`` and ``lexicon``, pinned by content. FISC I.1 wants at least 5 rounds."""
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
    if rounds > MOST_ROUNDS:
        raise Invalid("rounds", N_("is {rounds}; expected {most} at the most"), {"rounds": rounds, "most": MOST_ROUNDS})
    occurred_at = to_timestamp(at or now)
    return [
        events.TournamentCreated(
            tournament_id=tournament_id,
            name=name,
            rounds=rounds,
            seed=seed,
            occurred_at=occurred_at,
            keeping=keeping,
        ),
        events.RulesetPinned(ruleset=pin_of(ruleset).message()),
        events.LexiconPinned(lexicon=lexicon.message()),
    ]


def pin_of(ruleset: Ruleset) -> Pin:
    """A ruleset by its name, its content, and what was chosen for it."""
    chosen = tuple((name, written(value)) for name, value in sorted(ruleset.chosen.items()))
    return Pin(ruleset.name, ruleset.digest, chosen)


def register(
    state: Tournament, ruleset: Ruleset, *, player_id: str, rating: int | None, at: datetime | None, now: datetime
) -> list[Message]:
    """A player takes part. ``rating`` is the last published one, None for a player without."""
    if state.played:
        raise Refusal(
            "REGISTRATION_CLOSED",
            ruleset.article("championship.late_entry"),
            N_("Registration of {player} came after round 1 was paired; late entry is not possible yet."),
            {"player": player_id},
        )
    if state.player(player_id) is not None:
        raise AlreadyExists("player", player_id)
    if len(state.players) >= MOST_PLAYERS:
        raise Refusal(
            "TOO_MANY_PLAYERS",
            "",
            N_("A tournament takes {most} players; {player} would be one more."),
            {"most": MOST_PLAYERS, "player": player_id},
        )
    if rating is not None and not 0 <= rating <= 9999:
        raise Invalid(
            "rating", N_("is {rating}; expected 0 to 9999, or none for an unrated player"), {"rating": rating}
        )
    # Desks register side by side, so only what comes before the tournament itself is out of order.
    if at is not None and at < state.created_at:
        raise conditions.too_early(at, state.created_at)
    return [
        events.PlayerRegistered(
            player_id=player_id,
            rating=UNRATED if rating is None else rating,
            unrated=rating is None,
            occurred_at=to_timestamp(at or max(now, state.created_at)),
        )
    ]


def pair(state: Tournament, ruleset: Ruleset, *, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """Pair round ``number``, which has to be the next one (FISC I.1), by the system of the rules."""
    conditions.check_next(state, ruleset, number)
    seed = derive_seed(state.seed, f"pairing round {number}")
    if number == 1:
        conditions.check_players(state, ruleset)
    paired = systems.propose(state, ruleset, number, seed)
    pairings = [
        events.Pairing(
            table=table,
            game_id=game_id(state.tournament_id, number, table),
            first_player_id=first,
            second_player_id=second,
        )
        for table, (first, second) in enumerate(paired.pairs, start=1)
    ]
    facts: list[Message] = [
        events.RoundPaired(
            round=number,
            pairings=pairings,
            algorithm=paired.algorithm,
            seed=seed,
            inputs_digest=paired.inputs,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]
    if paired.bye is not None:
        facts.append(events.ByeAwarded(round=number, player_id=paired.bye))
    return facts


def start(state: Tournament, *, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """The judge's signal for a paired round."""
    one = conditions.paired_round(state, number)
    if one.phase is not Phase.PAIRED:
        raise Refusal("ROUND_STARTED", "", N_("Round {round} has been started already."), {"round": number})
    return [events.RoundStarted(round=number, occurred_at=to_timestamp(conditions.moment(state, at, now)))]


def record_result(
    state: Tournament,
    *,
    game: str,
    scores: Sequence[tuple[str, int]],
    occurred_at: Timestamp,
    decided: Decided | None = None,
) -> list[Message]:
    """A table's final result, ``scores`` in the order of the pairing. Nothing when it is known already.

    ``decided`` says who won where that is not the higher score, and that the result was opened again (FISE 44): then it
    takes the place of the one before, whatever became of the round since. Raises ``Refusal`` when no such game was
    paired, when others played it, when its round is not being played, or when another result of it is on the record.
    """
    decided = decided or Decided()
    found = state.find_game(game)
    if found is None:
        raise Refusal(
            "GAME_NOT_PAIRED",
            "",
            N_("A result came in for {game}, which is not a game of {tournament}."),
            {"game": game, "tournament": state.tournament_id},
        )
    one, pairing = found
    names = tuple(player_id for player_id, _ in scores)
    if names != pairing.player_ids:
        raise Refusal(
            "WRONG_PLAYERS",
            "",
            N_("The result of {game} is of {found}; it was paired for {expected}, in this order."),
            {"game": game, "found": ", ".join(names), "expected": ", ".join(pairing.player_ids)},
        )
    result = (scores[0][1], scores[1][1])
    corrects = False
    if (known := one.results.get(game)) is not None:
        before = one.decided.get(game, Decided())
        corrects = decided.revision > before.revision
        if decided.revision < before.revision or (known == result and not corrects):
            return []
    if known is not None and not corrects:
        raise Refusal(
            "RESULT_KNOWN",
            "",
            N_("{game} ended {known} on the record; {found} came in after that."),
            {"game": game, "known": f"{known[0]}–{known[1]}", "found": f"{result[0]}–{result[1]}"},
        )
    if one.phase is not Phase.STARTED and not corrects:
        raise Refusal(
            "ROUND_NOT_STARTED",
            "",
            N_("A result of {game} came in, but round {round} is not being played."),
            {"game": game, "round": one.number},
        )
    return [
        events.ResultRecorded(
            round=one.number,
            game_id=game,
            scores=[game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores],
            occurred_at=occurred_at,
            winner_id=decided.winner_id,
            lost_by_all=decided.lost_by_all,
            revision=decided.revision,
            condition=decided.condition,
            loser_ids=decided.losers,
            unplayed=decided.unplayed,
        )
    ]


def close(state: Tournament, ruleset: Ruleset, *, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """Close a round of which every result is in; its scores are beyond correction then (FISC I.9)."""
    one = conditions.paired_round(state, number)
    if one.phase is Phase.CLOSED:
        raise Refusal(
            "ROUND_CLOSED", ruleset.law.result_final, N_("Round {round} has been closed already."), {"round": number}
        )
    if one.phase is Phase.PAIRED:
        raise Refusal(
            "ROUND_NOT_STARTED", "", N_("Round {round} cannot be closed: it has not been started."), {"round": number}
        )
    if one.missing:
        raise Refusal(
            "RESULTS_MISSING",
            ruleset.law.signatures,
            N_("Round {round} cannot be closed: {count} results are missing, of tables {tables}."),
            {
                "round": number,
                "count": len(one.missing),
                "tables": ", ".join(f"{pairing.table} ({pairing.game_id})" for pairing in one.missing),
            },
        )
    return [events.RoundClosed(round=number, occurred_at=to_timestamp(conditions.moment(state, at, now)))]


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
