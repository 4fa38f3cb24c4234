"""Commands possible at a table at a time, and their players: every command is tried, and refused ones are not offered.

Decisions are pure, so a trial costs only time. No other code knows which commands the rules allow next.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset
from faristol.table import Table
from faristol.table.decide import CLOCK_COMMANDS, GAME_COMMANDS, decide
from faristol.table.offers.examples import CHOSEN, make_examples

_LAW: Mapping[type[Message], str] = {
    game_pb2.PlacePlayRequest: "announce",
    game_pb2.LayTilesRequest: "rearranged",
    game_pb2.TakeBackTilesRequest: "rearranged",
    game_pb2.WriteScoreRequest: "write",
    game_pb2.DrawTilesRequest: "refill",
    game_pb2.AcceptRulingRequest: "withdrawn",
    game_pb2.CancelPlayRequest: "leaked",
    game_pb2.ClaimOverdrawRequest: "overdraw_claim",
    game_pb2.ChooseSurplusRequest: "overdraw_claim",
    game_pb2.ResolveOverdrawRequest: "overdraw_claim",
    game_pb2.DisputeCountRequest: "correction",
    game_pb2.SettleCountRequest: "correction",
    game_pb2.ImposeSanctionRequest: "sanctions",
    game_pb2.SignSheetRequest: "signatures",
    game_pb2.TakeBackEntriesRequest: "correction",
    game_pb2.ChallengeRequest: "challenge_words",
    game_pb2.RecordOverholdingRequest: "sanctions",
    clock_pb2.PressRequest: "play_complete",
    clock_pb2.LeaveTableRequest: "absence",
    clock_pb2.ReturnToTableRequest: "absence",
}
"""Rules without a value in the rule set, or silent about it: a field of ``Law``."""

_VALUES: Mapping[type[Message], str] = {
    game_pb2.DecideOffCentreRequest: "first_move.centre",
    game_pb2.AcceptPlayRequest: "challenge.closes_on",
    game_pb2.ChallengeRequest: "challenge.by",
    game_pb2.AppealRequest: "challenge.appeal_by",
    game_pb2.RuleAppealRequest: "challenge.appeal_by",
    game_pb2.ClaimFakeBlankRequest: "blank.fake",
    game_pb2.SettleBlankRequest: "blank.claims",
    game_pb2.ExchangeRequest: "exchange.limit",
    game_pb2.AnnounceExchangeRequest: "exchange.number_fixed",
    game_pb2.KeepAfterExchangeRequest: "exchange.illegal",
    game_pb2.FreeExchangeRequest: "free_exchange.allowed",
    game_pb2.PassRequest: "passing.allowed",
    game_pb2.DeclareCannotPlayRequest: "passing.cannot_play",
    game_pb2.ClaimUnderdrawRequest: "underdraw.racked",
    game_pb2.ResolveUnderdrawRequest: "underdraw.racked",
    game_pb2.ReportTilesFoundRequest: "found_tiles.rule",
    game_pb2.CorrectPlayRequest: "scoresheet.plays_until",
    game_pb2.CorrectTotalRequest: "scoresheet.totals_until",
    game_pb2.AssignArbiterRequest: "arbiter.required",
    game_pb2.CallArbiterRequest: "clock.neutralised_by",
    game_pb2.DismissArbiterRequest: "clock.neutralised_by",
    game_pb2.RecordOverholdingRequest: "overdraw.expulsion_after_in_game",
    game_pb2.RecordWordAskedRequest: "arbiter.asked_word",
    game_pb2.AgreeEndRequest: "end.agreement",
    game_pb2.AbandonRequest: "abandon.rule",
    game_pb2.ReopenGameRequest: "scoresheet.reopen_by",
    game_pb2.StartGameRequest: "start.method",
    clock_pb2.StopRequest: "clock.stopped_by_mover",
    clock_pb2.ClaimTimeRequest: "clock.model",
    clock_pb2.NeutraliseRequest: "clock.neutralised_by",
    clock_pb2.ResumeRequest: "clock.neutralised_by",
    clock_pb2.CorrectClockRequest: "clock.forgotten_heard",
    clock_pb2.ExpireRoundTimeRequest: "round_time.rule",
    clock_pb2.ReportAbsenceRequest: "lateness.loses_after_minutes",
    clock_pb2.RecordArrivalRequest: "lateness.loses_after_minutes",
}
"""Values of a rule set, as ``Ruleset.article`` names them."""


def article_of(kind: type[Message], ruleset: Ruleset) -> str:
    """Return the article that allows a command; empty if the book is silent."""
    value, law = _VALUES.get(kind), _LAW.get(kind)
    article = ruleset.article(value) if value else ""
    return article or (str(getattr(ruleset.law, law)) if law else "")


class CommandActor(NamedTuple):
    """The actor of a command and its subject."""

    player_id: str
    """The acting player; for a command of an arbiter, the player it is about, or empty."""
    drawer_id: str
    """The player whose rack a claim is about."""
    is_arbiter: bool
    """Whether an arbiter acts."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that would be accepted now."""

    example: Message
    """An accepted request. At a hosted table it may contain tiles that no other player may see."""
    who: CommandActor
    article: str
    """The article that allows it; empty if the book is silent."""
    choices: tuple[int, ...] = ()
    """The accepted values of the field that ``CHOSEN`` names for the command."""

    @property
    def command(self) -> str:
        """The method of the contract, such as ``PlacePlay``."""
        return self.example.DESCRIPTOR.name.removesuffix("Request")

    @property
    def service(self) -> str:
        """The service of the method: ``game`` or ``clock``."""
        return "clock" if type(self.example) in CLOCK_COMMANDS else "game"

    @property
    def field(self) -> str:
        """The field of ``choices``; empty without one."""
        return CHOSEN.get(type(self.example), "")


def offers(table: Table, at: Instant, arbiter_id: str = "", methods: Collection[str] = ()) -> list[Offer]:
    """Return the commands accepted at a settled ``table`` at a time, in the order of the contract.

    Without the id of an arbiter, commands of arbiters are not included. With the names of methods, only these are
    tried. Other games of the tournament are not checked: no command is refused for them.
    """
    found: list[Offer] = []
    for kind in (*GAME_COMMANDS, *CLOCK_COMMANDS):
        if not methods or kind.DESCRIPTOR.name.removesuffix("Request") in methods:
            found.extend(_of_command(kind, table, at, arbiter_id))
    return found


def is_accepted(table: Table, request: Message, at: Instant) -> bool:
    """Check whether ``request`` would be accepted at ``at``."""
    try:
        decide(table, request, at)
    except (Refusal, Invalid):
        return False
    return True


def find_actor(request: Message) -> CommandActor:
    """Return the actor of a request."""
    asked: Any = request
    known = request.DESCRIPTOR.fields_by_name
    is_arbiter = bool("arbiter_id" in known and asked.arbiter_id)
    several = list(asked.player_ids) if "player_ids" in known and not is_arbiter else []
    player = asked.player_id if "player_id" in known else several[0] if len(several) == 1 else ""
    drawer = asked.drawer_id if "drawer_id" in known else ""
    return CommandActor(player, drawer, is_arbiter)


def _of_command(kind: type[Message], table: Table, at: Instant, arbiter_id: str) -> list[Offer]:
    field = CHOSEN.get(kind, "")
    first: dict[CommandActor, Message] = {}
    choices: dict[CommandActor, list[int]] = {}
    for example in make_examples(kind, table, at, arbiter_id):
        who = find_actor(example)
        if who in first and not field:
            continue
        if not is_accepted(table, example, at):
            continue
        first.setdefault(who, example)
        if field:
            choices.setdefault(who, []).append(_value(example, field))
    article = article_of(kind, table.ruleset)
    return [Offer(example, who, article, tuple(choices.get(who, ()))) for who, example in first.items()]


def _value(example: Any, field: str) -> int:
    if field == "square":
        return int(example.row * 15 + example.column)
    return int(getattr(example, field))
