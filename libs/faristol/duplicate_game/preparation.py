"""The preparation of a game before its round starts: a sealed game, an embargo. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.message import Message

from faristol.duplicate_game.game import Duplicate, Embargo, embargo_of
from faristol.kernel.errors import Invalid, check_count, check_range
from faristol.kernel.event_types import find_fold, folds_in
from faristol.kernel.pins import UNPINNED, Pin
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules import Ruleset

MAX_EMBARGO_GAMES = 100
"""Games under one embargo."""


def duplicate_id(tournament_id: str, round_: int) -> str:
    """Return the id of the duplicate game of a tournament's round."""
    return f"{tournament_id}-r{round_}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The preparation of a game; empty by default."""

    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    seal: events.Seal | None = None
    embargo: Embargo | None = None


NOTHING_PREPARED = Prepared()


@dataclass(frozen=True, slots=True)
class PreparedRound:
    """The round of a tournament for which a game is prepared."""

    tournament_id: str
    number: int
    rounds: int
    """The number of rounds of the tournament."""
    started: bool
    ruleset: Ruleset
    pins: tuple[Pin, Pin]
    """The rules and the lexicon."""

    @property
    def game_id(self) -> str:
        """The id of its game."""
        return duplicate_id(self.tournament_id, self.number)

    def check(self) -> None:
        """Raise ``Refusal`` or ``Invalid`` if no game can be prepared for it."""
        if self.ruleset.game.mode != "duplicate":
            raise Refusal("NO_DUPLICATE", N_("These rules are for games at tables, not for duplicate games."))
        check_range("round", self.number, 1, self.rounds)
        if self.started:
            raise Refusal(
                "GAME_BEGUN",
                N_("The round {round} has started: its game can no longer be prepared."),
                {"round": self.number},
                article=self.ruleset.article("turns.late_entry"),
            )


def evolve(prepared: Prepared, event: Message) -> Prepared:
    """Return ``prepared`` after an event of its stream. Raises ``TypeError`` for another one."""
    fold = find_fold(_PREPARATION_FOLDS, event, "the preparation of a duplicate game")
    return fold(prepared, event)


def may_prepare(prepared: Prepared, of: PreparedRound, rerun_of: str) -> None:
    """Raise ``Refusal`` or ``Invalid`` if a game cannot be prepared.

    A preparation with other rules or words is void, and can be repeated; otherwise a game is drawn only once.
    """
    of.check()
    if prepared.seal is not None and (prepared.ruleset, prepared.lexicon) == of.pins:
        raise Refusal(
            "PREPARED", N_("The game {game} is already prepared and cannot be drawn again."), {"game": of.game_id}
        )
    if rerun_of == of.game_id:
        raise Invalid("rerun_of", N_("is the game itself"))


def may_rerun(of: PreparedRound, earlier: Duplicate) -> None:
    """Raise ``Refusal`` if an earlier game cannot be played again in a round: its rules and words must be the same.

    The embargo of an earlier game names the games that play it again.
    """
    known = {"game": earlier.game_id}
    if not earlier.end:
        raise Refusal("GAME_RUNS", N_("The game {game} is not over: it cannot be rerun yet."), known)
    if (earlier.ruleset, earlier.lexicon) != of.pins:
        raise Refusal(
            "OTHER_RULES",
            N_("The game {game} had other rules or another lexicon: a rerun requires the same ones."),
            known,
            article=of.ruleset.article("game.mode"),
        )
    if earlier.is_embargoed and earlier.embargo is not None and of.game_id not in earlier.embargo.game_ids:
        raise Refusal(
            "EMBARGO_OTHERS",
            N_("The game {game} is under embargo, and {other} is not one of its reruns."),
            {**known, "other": of.game_id},
        )


def build_prepared(of: PreparedRound, seal: events.Seal, embargo: Embargo | None, at: Instant) -> events.GamePrepared:
    """Return the event of a prepared game."""
    ruleset, lexicon = of.pins
    return events.GamePrepared(
        game_id=of.game_id,
        tournament_id=of.tournament_id,
        round=of.number,
        ruleset=ruleset.message(),
        lexicon=lexicon.message(),
        seal=seal,
        embargo=embargo_said(embargo) if embargo is not None and not embargo.lifted else None,
        occurred_at=timestamp(at),
    )


def set_embargo(prepared: Prepared, of: PreparedRound, request: pb.SetEmbargoRequest, at: Instant) -> events.EmbargoSet:
    """Return the event that puts a game and its reruns under embargo."""
    of.check()
    others = list(request.game_ids)
    check_count("game_ids", others, MAX_EMBARGO_GAMES - 1)
    if strange := [game for game in others if not place_of_duplicate(game)[0]]:
        raise Invalid(
            "game_ids",
            N_("{games}: expected a tournament and its round, such as cup-r1"),
            {"games": ", ".join(strange)},
        )
    if len({of.game_id, *others}) <= len(others):
        raise Invalid("game_ids", N_("name a game twice, or include the first game"))
    if prepared.seal is not None and prepared.seal.rerun_of:
        raise embargo_is_elsewhere(of.game_id)
    return events.EmbargoSet(
        game_id=of.game_id,
        tournament_id=of.tournament_id,
        round=of.number,
        embargo=events.Embargo(game_ids=[of.game_id, *others], together=request.together),
        occurred_at=timestamp(at),
    )


def embargo_is_elsewhere(game_id: str) -> Refusal:
    """Return the refusal of an embargo for a rerun of another game."""
    return Refusal(
        "RERUN", N_("The game {game} is a rerun of another game: set the embargo on that game."), {"game": game_id}
    )


def embargo_said(embargo: Embargo) -> events.Embargo:
    """Convert an embargo for the record."""
    return events.Embargo(game_ids=embargo.game_ids, together=embargo.together)


def _apply_game_prepared(prepared: Prepared, event: events.GamePrepared) -> Prepared:
    embargo = embargo_of(event.embargo) if event.HasField("embargo") else prepared.embargo
    return replace(
        prepared, ruleset=Pin.of(event.ruleset), lexicon=Pin.of(event.lexicon), seal=event.seal, embargo=embargo
    )


def _apply_embargo_set(prepared: Prepared, event: events.EmbargoSet) -> Prepared:
    return replace(prepared, embargo=embargo_of(event.embargo))


_PREPARATION_FOLDS: Mapping[type[Message], Callable[[Prepared, Any], Prepared]] = folds_in(__name__)
