"""The next steps at a table: the commands that its services accept, by actor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.casebook.case import ARBITER, JUDGE
from faristol.kernel.spellings import kebab
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset

NextStep = tuple[str, Sequence[str]]
"""An actor and the verbs possible for it. An arbiter may always do more."""

NEXT_VERBS = (
    *("assign-arbiter", "start-game", "record-arrival", "return-to-table", "resume", "dismiss-arbiter"),
    *("choose-surplus", "resolve-overdraw", "resolve-underdraw", "keep-after-exchange", "settle-count"),
    *("rule-appeal", "accept-ruling", "challenge", "appeal", "decide-off-centre", "place-play", "take-back-tiles"),
    *("exchange", "announce-exchange", "free-exchange", "pass", "declare-cannot-play", "accept-play"),
    *("stop", "write-score", "draw-tiles", "press", "state-rack", "sign-sheet"),
)
"""The commands that continue a game, in the order of a turn; others are possible at most times."""

ONLY_IN: Mapping[str, game_pb2.Phase.ValueType] = {
    "assign-arbiter": game_pb2.PHASE_UNSPECIFIED,
    "take-back-tiles": game_pb2.PHASE_TURN,
    "state-rack": game_pb2.PHASE_ENDED,
}
"""Phases in which some of these are a next step; they are accepted in others too."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table and its clock as their services show them, and the rules in use."""

    table: game_pb2.GetGameResponse
    clock: clock_pb2.GetClockResponse
    ruleset: Ruleset
    offers: Sequence[game_pb2.Offer] = ()
    """The commands that the table accepts."""
    judged: bool = False
    """Whether judges rule on the pending appeal instead of the arbiter at the table."""

    @property
    def players(self) -> Sequence[str]:
        """In the order of turns."""
        return [side.player_id for side in self.table.sides]

    @property
    def entered_again(self) -> bool:
        """Whether a turn with a pressed clock is being re-entered: the clock is at the next turn."""
        return self.clock.turn > self.table.turn > 0

    def others(self, player_id: str) -> Sequence[str]:
        """Return all players but one."""
        return [player for player in self.players if player != player_id]


def list_next_steps(shown: ShownTable) -> list[NextStep]:
    """Return the actors that can act now, by id, and their verbs: players in their order, then officials."""
    found = {player: set[str]() for player in (*shown.players, ARBITER)}
    for offer in shown.offers:
        who = ARBITER if offer.by_arbiter else offer.player_id
        found.setdefault(who, set()).add(kebab(offer.method))
    steps = [(who, list(_in_order(shown, verbs))) for who, verbs in found.items()]
    if shown.table.phase == game_pb2.PHASE_CHALLENGED:
        steps.insert(0, (JUDGE, ["rule"]))
    return [(who, verbs) for who, verbs in steps if who and verbs]


def _in_order(shown: ShownTable, verbs: Collection[str]) -> Iterator[str]:
    """Yield those of ``verbs`` that continue the game, in the order of a turn."""
    phase = shown.table.phase
    left_out = {verb for verb, only in ONLY_IN.items() if only != phase}
    left_out |= set() if shown.ruleset.arbiter.required else {"assign-arbiter"}
    left_out |= {"rule-appeal"} if shown.judged else set()
    for verb in (verb for verb in NEXT_VERBS if verb in verbs and verb not in left_out):
        if verb == "place-play":
            yield "turn"
        yield verb
