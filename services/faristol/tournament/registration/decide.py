"""The decisions on a registration: its settings, entries, places and the waiting list. Pure.

A place is held by a player who takes part, and by an undecided entry that is not on the waiting list. Places are not
guarded against concurrent changes of the tournament: a player whom the director adds in the same moment may exceed them
by one, and the director's stream never waits for the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from google.protobuf.message import Message

from faristol.kernel.details import DETAILS
from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.likeness import like
from faristol.kernel.names import MAX_CATEGORY_CHARACTERS, check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import moment_of, to_datetime, to_timestamp
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import check_open
from faristol.tournament.players.registration import check_entry_possible
from faristol.tournament.registration.state import (
    ENDED,
    EntryOfForm,
    EntryPhase,
    RegistrationState,
    evolve_registration,
)
from faristol.tournament.situation import latest
from faristol.tournament.state import TournamentState

M = TypeVar("M", bound=Message)

CATEGORY = "category"
"""The field of the form that is not a personal detail."""

FORM_FIELDS = (*(name for name in DETAILS if name not in ("name", "email")), CATEGORY)
"""The fields that a form may have besides name and e-mail."""

_TIMES: tuple[Literal["opens_at"], Literal["closes_at"]] = ("opens_at", "closes_at")

MAX_PLACES_COUNT = 10_000
"""Limit of places, and of places on the waiting list."""

MAX_CATEGORIES_COUNT = 40
"""Limit of the categories of a form."""

MAX_ENTRIES_COUNT = 50_000
"""Limit of the entries for a tournament, withdrawn ones included."""


@dataclass(frozen=True, slots=True)
class RegistrationInput:
    """The input of a decision."""

    state: RegistrationState
    tournament: TournamentState
    now: datetime
    at: datetime | None = None
    """The requested time; None for ``now``."""
    rules: Ruleset | None = None
    """The rules of the tournament; None if a late entry is refused by its acceptance only."""

    @property
    def moment(self) -> datetime:
        """The time of the command."""
        return self.at or self.now

    @property
    def has_begun(self) -> bool:
        """Whether a round is paired, as a draft or in public."""
        return bool(self.tournament.played or self.tournament.draft)

    @property
    def taking_part_count(self) -> int:
        """The number of players who take part."""
        return sum(player.withdrawn is None for player in self.tournament.players)

    @property
    def free_places(self) -> int | None:
        """The number of free places; None without a limit."""
        places = self.state.settings.places if self.state.settings else 0
        return max(0, places - self.taking_part_count - self.state.held_count) if places else None


@dataclass(frozen=True, slots=True)
class Submission:
    """What an entrant filled in, without personal details."""

    player_id: str
    category: str = ""
    listing: events.EntryListing.ValueType = events.ENTRY_LISTING_HIDDEN
    language: str = ""
    confirmed: bool = False


def set_registration(current: RegistrationInput, request: pb.SetRegistrationRequest) -> list[Message]:
    """Set the form, and move entries up to places that become free.

    Raises ``Invalid`` for an unknown field, a number outside its limits, or an end before the beginning. Raises
    ``Refusal`` if the tournament is over or removed.
    """
    check_open(current.tournament)
    _check_places(request)
    _check_times(request)
    _check_fields(request)
    if len(request.categories) > MAX_CATEGORIES_COUNT:
        raise Invalid("categories", N_("expected at most {most}"), {"most": MAX_CATEGORIES_COUNT})
    categories = [check_name("categories", each, longest=MAX_CATEGORY_CHARACTERS) for each in request.categories]
    event = like(
        events.RegistrationSet,
        request,
        fields=[name for name in FORM_FIELDS if name in request.fields],
        required_fields=[name for name in FORM_FIELDS if name in request.required_fields],
        categories=dict.fromkeys(categories),
        occurred_at=to_timestamp(current.moment),
    )
    return with_moves(current, [event])


def _check_places(request: pb.SetRegistrationRequest) -> None:
    """Check the numbers of places and of the waiting list. Raises ``Invalid``."""
    for name in ("places", "waiting_places"):
        check_range(name, getattr(request, name), 0, MAX_PLACES_COUNT)
    if request.waiting_places and not request.places:
        raise Invalid("waiting_places", N_("expected none if the number of places has no limit"))


def _check_times(request: pb.SetRegistrationRequest) -> None:
    """Check the opening and the closing of the form. Raises ``Invalid``."""
    for name in _TIMES:
        if request.HasField(name):
            moment_of(name, getattr(request, name))
    times = request.HasField("opens_at") and request.HasField("closes_at")
    if times and request.closes_at.ToNanoseconds() <= request.opens_at.ToNanoseconds():
        raise Invalid("closes_at", N_("expected a time after the opening"))


def _check_fields(request: pb.SetRegistrationRequest) -> None:
    """Check that each field is known, and that the form has each required one. Raises ``Invalid``."""
    for name in ("fields", "required_fields"):
        for value in getattr(request, name):
            if value not in FORM_FIELDS:
                params = {"given": repr(value), "expected": ", ".join(FORM_FIELDS)}
                raise Invalid(name, N_("{given} is unknown; expected one of {expected}"), params)
    for value in request.required_fields:
        if value not in request.fields:
            raise Invalid("required_fields", N_("{given} is not a field of the form"), {"given": repr(value)})


def accepts(current: RegistrationInput) -> bool:
    """Check whether the form accepts entries now."""
    return is_form_open(current) and not is_too_late(current)


def is_form_open(current: RegistrationInput) -> bool:
    """Check whether the organiser's settings accept entries now."""
    settings, tournament = current.state.settings, current.tournament
    if settings is None or not settings.open or tournament.over or tournament.removed:
        return False
    if settings.HasField("opens_at") and current.now < to_datetime(settings.opens_at):
        return False
    return not (settings.HasField("closes_at") and current.now >= to_datetime(settings.closes_at))


def is_too_late(current: RegistrationInput) -> bool:
    """Check whether the rules accept no further player because of the rounds that were started (FISC I.4)."""
    try:
        check_not_too_late(current)
    except Refusal:
        return True
    return False


def check_not_too_late(current: RegistrationInput) -> None:
    """Raise ``Refusal`` if the rules accept no further player because of the rounds that were started (FISC I.4)."""
    if current.rules is None:
        return
    try:
        check_entry_possible(current.tournament, current.rules, "")
    except Refusal as refusal:
        text = N_("The tournament has advanced too far for another entry.")
        raise Refusal("TOO_LATE_TO_ENTER", text, article=refusal.article) from None


def check_accepts(current: RegistrationInput) -> None:
    """Raise ``Refusal`` unless the form accepts entries and a place, or one on the waiting list, is free."""
    settings = current.state.settings
    if settings is None or not is_form_open(current):
        raise Refusal("FORM_CLOSED", N_("The registration is not open."))
    check_not_too_late(current)
    is_full = current.free_places == 0 and sum(1 for _ in current.state.waiting) >= settings.waiting_places
    if is_full or len(current.state.entries) >= MAX_ENTRIES_COUNT:
        raise Refusal("NO_PLACE_LEFT", N_("All places are taken, and so is the waiting list."))


def receive(current: RegistrationInput, given: Submission) -> list[Message]:
    """Receive an entry; it goes to the waiting list if no place is free. Raises ``Refusal`` as ``check_accepts``."""
    check_accepts(current)
    return [
        like(
            events.EntryReceived,
            given,
            entry=len(current.state.entries) + 1,
            waiting=current.free_places == 0 or any(True for _ in current.state.waiting),
            occurred_at=to_timestamp(current.now),
        )
    ]


def found_entry(current: RegistrationInput, number: int) -> EntryOfForm:
    """Return an entry. Raises ``Invalid`` without a number, ``NotFound`` for an unknown one."""
    if not number:
        raise Invalid("entry", N_("is missing; expected the number of the entry"))
    entry = current.state.find(number)
    if entry is None:
        raise NotFound("entry", f"{current.tournament.tournament_id}/{number}")
    return entry


def undecided_entry(current: RegistrationInput, number: int) -> EntryOfForm:
    """Return an entry that waits for a decision. Raises ``Refusal`` if it is decided."""
    entry = found_entry(current, number)
    if not entry.is_undecided:
        raise _build_decided_refusal(number)
    return entry


def _build_decided_refusal(number: int) -> Refusal:
    return Refusal("ENTRY_DECIDED", N_("Entry {entry} is already decided or withdrawn."), {"entry": number})


def ask(current: RegistrationInput, request: pb.AskEntrantRequest) -> list[Message]:
    """Ask an entrant a question. Raises ``Invalid`` without one."""
    check_open(current.tournament)
    entry = undecided_entry(current, request.entry)
    if not request.note:
        raise Invalid("note", N_("is missing; expected the question"))
    return [_build_event(current, events.EntryAsked, entry, note=request.note)]


def answer(current: RegistrationInput, number: int, note: str) -> list[Message]:
    """Answer the question. Raises ``Invalid`` without an answer, ``Refusal`` without an open question."""
    entry = found_entry(current, number)
    if not note:
        raise Invalid("note", N_("is missing; expected the answer"))
    if not entry.asked:
        raise Refusal("NOT_ASKED", N_("Entry {entry} has no open question."), {"entry": number})
    return [_build_event(current, events.EntryAnswered, entry, note=note)]


def _build_event(current: RegistrationInput, kind: type[M], entry: EntryOfForm, **fields: Any) -> M:
    """Return an event on an entry, with the time of the command."""
    return kind(entry=entry.number, player_id=entry.player_id, occurred_at=to_timestamp(current.moment), **fields)


def accept(current: RegistrationInput, entry: EntryOfForm, player_id: str) -> list[Message]:
    """Accept an entry as that of a player. The caller registers the player."""
    return [events.EntryAccepted(entry=entry.number, player_id=player_id, occurred_at=to_timestamp(current.moment))]


def reject(current: RegistrationInput, request: pb.RejectEntryRequest) -> list[Message]:
    """Reject an entry, with a reason or without, and move up the first of the waiting list."""
    check_open(current.tournament)
    entry = undecided_entry(current, request.entry)
    return with_moves(current, [_build_event(current, events.EntryRejected, entry, note=request.note)])


def withdraw(current: RegistrationInput, number: int, *, by_entrant: bool, with_player: bool = False) -> list[Message]:
    """Withdraw an entry, and move up the first of the waiting list.

    ``with_player``: the player is withdrawn from the tournament too, in the same decision or before. Raises ``Refusal``
    for an ended entry, and for an accepted one otherwise.
    """
    entry = found_entry(current, number)
    if entry.phase in ENDED:
        raise _build_decided_refusal(number)
    if entry.phase is EntryPhase.ACCEPTED and not with_player:
        raise Refusal(
            "ENTRY_ACCEPTED",
            N_("{player} is a player of the tournament: withdraw the player instead, with `player withdraw`."),
            {"player": entry.player_id},
        )
    return with_moves(current, [_build_event(current, events.EntryWithdrawn, entry, by_entrant=by_entrant)])


def reinstate(current: RegistrationInput, request: pb.ReinstateEntryRequest) -> list[Message]:
    """Reinstate a rejected or withdrawn entry; on the waiting list if no place is free.

    Raises ``Refusal`` for any other entry, and for one whose player is registered: that player is reinstated.
    """
    check_open(current.tournament)
    entry = found_entry(current, request.entry)
    if entry.phase not in ENDED:
        raise Refusal("ENTRY_STANDS", N_("Entry {entry} is neither rejected nor withdrawn."), {"entry": entry.number})
    if current.tournament.player(entry.player_id) is not None:
        raise Refusal(
            "ENTRY_ACCEPTED",
            N_("{player} is registered: reinstate the player instead, with `player reinstate`."),
            {"player": entry.player_id},
        )
    return [_build_event(current, events.EntryReinstated, entry, waiting=current.free_places == 0)]


def move_up(current: RegistrationInput, request: pb.MoveEntryUpRequest) -> list[Message]:
    """Give an entry of the waiting list a place, even if none is free: the director decides."""
    check_open(current.tournament)
    entry = found_entry(current, request.entry)
    if entry.phase is not EntryPhase.WAITING:
        raise Refusal("NOT_WAITING", N_("Entry {entry} is not on the waiting list."), {"entry": entry.number})
    return [_build_event(current, events.EntryMovedUp, entry)]


def with_moves(current: RegistrationInput, new_events: Sequence[Message]) -> list[Message]:
    """Return events, and those that move entries up to the places that are free after them, if the settings say so.

    After the first pairing no entry moves up: each is a late entry, which the director decides on.
    """
    state = current.state
    for event in new_events:
        state = evolve_registration(state, event)
    found = list(new_events)
    after = replace(current, state=state)
    if state.settings is None or not state.settings.moves_up or current.has_begun:
        return found
    free = after.free_places
    for entry in state.waiting:
        if free is not None:
            if free <= 0:
                break
            free -= 1
        found.append(_build_event(current, events.EntryMovedUp, entry))
    return found


_Decided = (
    events.EntryAccepted | events.EntryRejected | events.EntryWithdrawn | events.EntryReinstated | events.EntrantCleared
)
"""Events after which an earlier one on the same entry cannot be undone."""


def undo_of_entry(
    past_events: Sequence[Message], version: int, state: RegistrationState, tournament: TournamentState
) -> Message | None:
    """Return the command that undoes a version of a registration, from 1, or None.

    ``past_events`` are all events of the registration, and ``state`` is the state after them. An acceptance is undone
    by the withdrawal of its player from the tournament.
    """
    act: Any = past_events[version - 1]
    before, later = past_events[: version - 1], past_events[version:]
    match act:
        case events.RegistrationSet():
            if any(isinstance(each, events.RegistrationSet) for each in later):
                return None
            # The form as it was before; closed if it had never been set.
            return like(pb.SetRegistrationRequest, latest(events.RegistrationSet, before), occurred_at=None)
        case events.EntryRejected() | events.EntryWithdrawn() | events.EntryReinstated():
            if any(isinstance(each, _Decided) and each.entry == act.entry for each in later):
                return None
            entry = state.find(act.entry)
            if entry is None or tournament.player(entry.player_id) is not None:
                return None
            if entry.phase in ENDED:
                return pb.ReinstateEntryRequest(entry=act.entry)
            of_entry = [each for each in before if isinstance(each, _Decided) and each.entry == act.entry]
            if of_entry and isinstance(of_entry[-1], events.EntryRejected):
                return pb.RejectEntryRequest(entry=act.entry)
            return pb.WithdrawEntryRequest(entry=act.entry)
        case _:
            return None
