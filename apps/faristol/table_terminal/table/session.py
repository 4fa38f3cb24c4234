"""Steps at a live table: their actors, their times, and their commands."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import ARBITER, JUDGE, Step
from faristol.casebook.commands import Commands, Verb
from faristol.casebook.document import Value
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.quotation import likely
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, timestamp
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2
from faristol.presentation.names import Named
from faristol.rules import Ruleset
from faristol.table_terminal.table.guide import WORDS, arguments_of
from faristol.table_terminal.table.lines import Typed
from faristol.table_terminal.table.offers import ShownTable
from faristol.table_terminal.table.rulings import TableJudge
from faristol.table_terminal.table.services import POLL_INTERVAL_SECONDS, LiveTable
from faristol.table_terminal.table.shorthand import LineParser

NO_VERB = N_("there is no verb {verb}; `help` lists all of them")
VERB_NEAR = N_("there is no verb {verb}; did you mean {near}? `help` lists all of them")
RULED_ALREADY = N_("The challenge of turn {turn} already has the opposite ruling.")
CASE_SECONDS = 10.0
"""The timeout for a challenge to become a case."""


class Session:
    """One table and its players.

    Steps happen when they are sent, until one has ``at``. From then on times are explicit, from the start of the round.
    A step without a time then happens at the time of the previous step, as in a case.
    """

    def __init__(
        self,
        services: LiveTable,
        table_judge: TableJudge,
        table: game_pb2.GetGameResponse,
        public: results_pb2.GetGameResponse,
    ) -> None:
        self.ruleset = ruleset_of(table.ruleset)
        self.players: Sequence[str] = [side.player_id for side in table.sides]
        self.names = {seat.player_id: seat.name or seat.player_id for seat in public.seats}
        self.people = _people(self.names)
        self._services = services
        services.ids = {**services.ids, **self.people}
        services.known = [Named(player, name) for player, name in self.names.items()]
        self._table_judge = table_judge
        self._opened_ns = table.opened_at.ToNanoseconds()
        self._told_ms: int | None = None
        self._step_id = ""
        self._ruling_awaited = False
        """Whether a challenge was made here, and no step of a judge has followed yet."""
        self.position = 0
        """The highest position of the record in an answer."""
        self._commands = Commands(services, self.ruleset, self.players, self._complete)

    @property
    def who(self) -> frozenset[str]:
        """All names that may act."""
        return frozenset(self.people)

    @property
    def now(self) -> Instant:
        """The time of steps here: explicit, or the present."""
        return time.time_ns() if self._told_ms is None else self._opened_ns + self._told_ms * NANOSECONDS_PER_MS

    async def load_shown(self) -> ShownTable:
        """Return the table and its clock after all automatic events."""
        table, clock = await self._services.wait_until_idle()
        judged = table.appealed and await self._table_judge.has_judges(table.tournament_id)
        return ShownTable(table, clock, self.ruleset, await self._services.offers(), judged=judged)

    async def expand(self, typed: Typed, words: Collection[str]) -> Typed:
        """Expand a typed line to a step, as ``LineParser.expand`` does."""
        table, racks = await self._services.table(), await self._racks()
        clock, offers = await self._services.clock(), await self._services.offers()
        shown = ShownTable(table, clock, self.ruleset, offers)
        return LineParser(shown, self.names, self.people, self._services.verbs, racks).expand(typed, words)

    def find_person(self, name: str) -> str:
        """Return the player or official that ``name`` means; empty for no match."""
        player = self._services.id_of(name)
        return name if name in (ARBITER, JUDGE) else self.names.get(player, "")

    async def rack(self, name: str) -> Sequence[str] | None:
        """Return the rack of a player, with an empty text for an unknown tile; None for an unknown player."""
        player = self._services.id_of(name)
        return (await self._services.table(player)).rack if player in self.players else None

    async def _racks(self) -> Mapping[str, Sequence[str]]:
        return {player: (await self._services.table(player)).rack for player in self.players}

    async def do(self, step: Step, step_id: str) -> Sequence[Message]:
        """Execute a step and return the answers; the ids of its commands derive from ``step_id``.

        Raises ``CaseError`` for an invalid step and ``grpc.aio.AioRpcError`` for a refusal.
        """
        self._step_id = step_id
        await self._tell_time(step)
        actor = self.people.get(step.actor, step.actor)
        answers: list[Any] = []
        if actor == JUDGE:
            await self._judge(step)
        elif step.verb == "turn":
            _check_words(step, ())
            await self._commands.whole_turn(actor, step.place, step.argument, answers)
        elif actor:
            argument, fields = self._in_contract(actor, step)
            if step.verb == "rule-appeal":
                await self._check_appeal()
            answers.append(await self._commands.send(actor, step.verb, step.place, argument, fields))
            self._ruling_awaited |= step.verb in ("challenge", "appeal")
        self.position = max([self.position, *(answer.position for answer in answers)])
        return answers

    def _in_contract(self, actor: str, step: Step) -> tuple[Value | None, Mapping[str, Value]]:
        """Return the arguments of a step by the names of the contract; raise ``CaseError`` for unknown ones."""
        verb = self._services.verbs.get(step.verb)
        if verb is None:
            near = likely(step.verb, (*self._services.verbs, "turn"), 3)
            raise step.place.wrong(VERB_NEAR if near else NO_VERB, {"verb": step.verb, "near": ", ".join(near)})
        known = verb.request.DESCRIPTOR.fields_by_name
        _check_actor(step, verb, actor, self.names[self.players[0]])
        words = arguments_of(verb)
        fields = dict(step.fields)
        _check_words(step, words, known)
        if "told" in known and step.argument is None and "told" not in step.fields:
            check_announced(self.ruleset, step.actor)
        for name in step.fields:
            for field, word in WORDS.items():
                if name == word and field in known and word != "square":
                    fields[field] = fields.pop(name)
        argument = step.argument
        if verb.argument == "player_ids" and argument is not None:
            if "score" in known and "score" not in fields and argument.text().isdecimal():
                fields["score"], argument = argument, None
            else:
                self._check_players(argument)
        if verb.argument == "row" and argument is not None:
            fields["square"], argument = argument, None
        if (
            actor == ARBITER
            and {"arbiter_id", "player_id"} <= set(known)
            and not {"player_id", "player-id"} & set(fields)
        ):
            raise step.place.wrong(
                N_("specify the player: `arbiter: {verb} …, with: {{player: {who}}}`"),
                {"verb": verb.name, "who": self.names[self.players[0]]},
            )
        return argument, fields

    async def _check_appeal(self) -> None:
        """Raise ``Refusal`` if a judge rules on the appeal: the arbiter does only after the lexicon (FISE 42.4)."""
        table = await self._services.table()
        if table.appealed and await self._table_judge.has_judges(table.tournament_id):
            article = self.ruleset.article("challenge.appeal_by")
            raise Refusal(
                "JUDGES_RULE", N_("A judge rules on this appeal, not the arbiter at the table."), article=article
            )

    def _check_players(self, written: Value) -> None:
        """Check that ``written`` names players of the table. Raises ``CaseError``."""
        for item in written.items():
            for name in filter(None, re.split(r"\s*(?:,|\s–\s)\s*", item.text())):
                if self._services.id_of(name) not in self.players:
                    players = ", ".join(self.names.values())
                    raise item.wrong(N_("expected players ({players}), got {name}"), {"players": players, "name": name})

    async def _tell_time(self, step: Step) -> None:
        if step.at_ms is not None:
            self._told_ms = step.at_ms
        elif step.after_ms is not None:
            if self._told_ms is None:
                last = (await self._services.table()).occurred_at.ToNanoseconds()
                self._told_ms = (last - self._opened_ns) // NANOSECONDS_PER_MS
            self._told_ms += step.after_ms

    def _complete(self, actor: str, verb: str, request: Any) -> None:
        """Set the fields that no step has. A turn has each verb once per player, so the ids are unique."""
        request.command_id = str(uuid.uuid5(uuid.UUID(self._step_id), f"{actor} {verb}"))
        if "occurred_at" in request.DESCRIPTOR.fields_by_name and self._told_ms is not None:
            request.occurred_at.CopyFrom(timestamp(self.now))

    async def _judge(self, step: Step) -> None:
        """Rule on the play in question, if judges rule; wait for the ruling from any source."""
        text = step.argument.text() if step.argument else ""
        if step.verb != "rule" or text not in ("", "valid", "invalid"):
            raise step.place.wrong(
                N_("expected `rule`, `rule valid` or `rule invalid`, got {text}"),
                {"text": f"{step.verb} {text}".rstrip()},
            )
        table = await self._services.table()
        valid = {"valid": True, "invalid": False}.get(text)
        if table.phase != game_pb2.PHASE_CHALLENGED:
            ruled = table.HasField("ruling") and table.ruling.turn >= table.turn - 1
            awaited, self._ruling_awaited = self._ruling_awaited, False
            if not (awaited or ruled or table.pending_ruled_valid or table.phase == game_pb2.PHASE_REFUSED):
                raise step.place.wrong(N_("no play was challenged"))
            if ruled and valid is not None and valid is not table.ruling.valid:
                raise Refusal("RULED_ALREADY", RULED_ALREADY, {"turn": table.ruling.turn})
            return  # the ruling arrived by itself
        fields = {name: value.text() for name, value in step.fields.items()}
        give_up, done = time.monotonic() + CASE_SECONDS, False
        while table.phase == game_pb2.PHASE_CHALLENGED:
            if not done:
                done = await self._table_judge.rule(table, fields, self._step_id, valid=valid)
                if not done and time.monotonic() > give_up:
                    raise Refusal("NO_CASE", N_("The challenge at this table has not become a case yet."))
            await asyncio.sleep(POLL_INTERVAL_SECONDS)
            table = await self._services.table()
        self._ruling_awaited = False


def _check_actor(step: Step, verb: Verb, actor: str, somebody: str) -> None:
    """Check that the actor may give a command. Raises ``CaseError``."""
    known = verb.request.DESCRIPTOR.fields_by_name
    if actor == ARBITER and "player_id" in known and "arbiter_id" not in known:
        raise step.place.wrong(
            N_("{verb} is for a player: write `{who}: {verb} …`"), {"verb": verb.name, "who": somebody}
        )
    if actor != ARBITER and "arbiter_id" in known and "player_ids" not in known and verb.name != "settle-blank":
        raise step.place.wrong(N_("{verb} is for an arbiter: write `arbiter: {verb} …`"), {"verb": verb.name})


def check_announced(ruleset: Ruleset, who: str) -> None:
    """Raise ``Refusal`` if a step must state whether the absence was announced (UF 28.4, FISE 37, PES Δ.η)."""
    match ruleset.absence.told:
        case "arbiter":
            message = N_("Specify if the arbiter was told before: `{who}: leave-table yes` or `{who}: leave-table no`.")
        case "opponent":
            message = N_(
                "Specify if the opponent was told before: `{who}: leave-table yes` or `{who}: leave-table no`."
            )
        case "nobody":
            return
    raise Refusal("TOLD_NOT_SAID", message, {"who": who}, article=ruleset.article("absence.told"))


def _check_words(step: Step, words: Collection[str], fields: Collection[str] = ()) -> None:
    """Check that a step has only known arguments: ``words`` as typed, or ``fields`` of the contract."""
    for name, value in step.fields.items():
        if name not in words and name.replace("-", "_") not in fields:
            raise value.wrong(
                N_("{verb} does not take {name}; it takes: {known}"),
                {"verb": step.verb, "name": repr(name), "known": ", ".join(words) or "–"},
            )


def _people(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return player ids by their aliases: id, name, and first name if it is unique."""
    people = {player: player for player in names}
    firsts = [name.split()[0] for name in names.values()]
    for player, name in names.items():
        for alias in (name, name.split()[0]):
            if (alias == name or firsts.count(alias) == 1) and alias not in (ARBITER, JUDGE):
                people.setdefault(alias, player)
    return people
