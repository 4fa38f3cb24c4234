"""gRPC in: what was done in a tournament, and undoing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.host.errors import Invalid
from faristol.host.times import to_timestamp
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Tournament, stream
from faristol.pairing.ratings import ratings_stream
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.record import Recorded, people
from faristol.record.naming import players_of
from faristol.rules import N_

_TOLD = frozenset(("round", "player_id", "player_ids", "game_id", "inputs_digest"))
"""Fields of a fact that an act has by themselves, or that tell nobody anything."""

MOST_ACTS = 500
"""Acts in one answer."""


class History(Commands):
    """Acts, and undoing them."""

    async def ListActs(self, request: pairing.ListActsRequest, context: Context) -> pairing.ListActsResponse:
        """Everything that was done, in order, a page at a time."""
        if not 0 <= request.limit <= MOST_ACTS:
            raise Invalid("limit", N_("is {limit}; expected 0 to {most}"), {"limit": request.limit, "most": MOST_ACTS})
        loaded = await self.load(request.tournament_id)
        recorded = await self._record.read_stream(stream(request.tournament_id))
        left = [one for one in recorded if request.after_version < one.version <= loaded.version]
        page = left[: request.limit or MOST_ACTS]
        more = len(page) < len(left)
        facts = [one.message for one in recorded if one.version <= loaded.version]
        notes = await self._record.notes_of(stream(request.tournament_id))
        told = {one.version: _result_of(one.message, one.version, facts) for one in page}
        named = {player for fact in (*(one.message for one in page), *told.values()) for player in players_of(fact)}
        known = await people.names(self._record, named)
        return pairing.ListActsResponse(
            acts=[
                _act(
                    one,
                    facts[: one.version - 1],
                    notes.get(one.version, ""),
                    known,
                    told[one.version],
                    decide.can_undo(loaded.state, facts, one.version),
                )
                for one in page
            ],
            version=loaded.version,
            more=more,
            rating_choices=[] if more else await self._rating_choices(request.tournament_id),
        )

    async def _rating_choices(self, tournament_id: str) -> list[pairing.Act]:
        """Choices of the system by which a tournament is rated, which have no version of its own stream."""
        recorded = await self._record.read_stream(ratings_stream(tournament_id))
        chosen = [one for one in recorded if isinstance(one.message, rating.RatingSystemChosen)]
        acts = [_act(one, (), "", {}, one.message) for one in chosen]
        for act in acts:
            act.ClearField("version")
        return acts

    async def UndoAct(self, request: pairing.UndoActRequest, context: Context) -> pairing.UndoActResponse:
        """Undo an act by the act that compensates for it."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        by: list[str] = []

        def facts_of(state: Tournament, facts: list[Message], divisions: Sequence[Tournament]) -> list[Message]:
            by[:] = [decide.undone_by(facts[request.version - 1], facts[: request.version - 1])]
            ruleset = pinning.ruleset_of(state)
            return decide.undo(
                state, ruleset, facts, request.version, note=note, divisions=divisions, at=at, now=self._runtime.now()
            )

        return await self.act_on(
            context,
            request,
            facts_of,
            lambda position, _: pairing.UndoActResponse(position=position, undone_by=by[0]),
            pairing.UndoActResponse,
        )


def _result_of(fact: Message, version: int, facts: Sequence[Message]) -> Message:
    """The fact that tells the result of an act: what was recorded when it was entered, or else the fact itself.

    ``facts`` are all of the tournament, of which the act made ``version``, from 1.
    """
    if not isinstance(fact, events.ResultEntered):
        return fact
    after = islice(facts, version, None)
    recorded = (one for one in after if isinstance(one, events.ResultRecorded) and one.game_id == fact.game_id)
    return next(recorded, fact)


def _act(
    recorded: Recorded,
    before: Sequence[Message],
    note: str,
    known: Mapping[str, people.Person],
    told: Message,
    undone_by: str = "",
) -> pairing.Act:
    """An act with its ``note``, which in what older versions wrote stands in the event itself, and players' names.

    Scores and players are those of ``told``, the fact that has its result.
    """
    fact = recorded.message
    named = players_of(told)
    shown = pairing.Act(
        version=recorded.version,
        position=recorded.position,
        type=recorded.name,
        round=int(getattr(fact, "round", 0)),
        player_ids=named,
        players=[pairing.ActPlayer(player_id=one, name=known[one].name if one in known else "") for one in named],
        scores=getattr(told, "scores", ()),
        game_id=str(getattr(fact, "game_id", "")),
        note=note or str(getattr(fact, "note", "")),
        actor=recorded.metadata.actor,
        role=recorded.metadata.role,
        recorded_at=to_timestamp(recorded.recorded_at),
        undone_by=undone_by,
        details=[*_details(fact), *_scores_before(fact, before)],
    )
    if "occurred_at" in fact.DESCRIPTOR.fields_by_name:
        shown.occurred_at.CopyFrom(fact.occurred_at)  # type: ignore[attr-defined] # the line above has looked
    return shown


def _details(fact: Message) -> Iterator[str]:
    """What a fact says beside what every act has: halls and no other parts, no seeds, no free words."""
    if isinstance(fact, events.HallsSet):
        halls = (f"{hall.name} {hall.first_table}–{hall.last_table}" for hall in fact.halls)
        yield f"halls: {', '.join(halls) or 'none'}"
    for field, value in fact.ListFields():
        if field.name in _TOLD or field.message_type or field.type == field.TYPE_BYTES:
            continue
        if field.GetOptions().debug_redact:
            continue
        told = ", ".join(_told(field, one) for one in (value if field.is_repeated else (value,)))
        yield f"{field.name.replace('_', '-')}: {told}"


def _told(field: FieldDescriptor, value: object) -> str:
    """A value as a director writes it: ``points`` for ``SANCTION_KIND_POINTS``."""
    if field.enum_type is not None and isinstance(value, int):
        names = field.enum_type.values_by_number
        prefix = names[0].name.removesuffix("UNSPECIFIED")
        return names[value].name.removeprefix(prefix).lower().replace("_", "-")
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _scores_before(fact: Message, before: Sequence[Message]) -> Iterator[str]:
    """The scores that a corrected result takes the place of."""
    if not isinstance(fact, events.ResultCorrected):
        return
    for one in reversed(before):
        if isinstance(one, events.ResultRecorded | events.ResultCorrected) and one.game_id == fact.game_id:
            yield f"scores-before: {', '.join(f'{score.player_id} {score.score}' for score in one.scores)}"
            return
