"""The service that owns a kind of stream folds every event on it, and no other event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from google.protobuf.message import Message

from faristol.access_control import state as access
from faristol.adjudication import policy
from faristol.adjudication.cases import model as case
from faristol.duplicate_game import game as duplicate
from faristol.duplicate_game import hall as slips
from faristol.duplicate_game import preparation as prepared
from faristol.game.halls import model as halls
from faristol.kernel import event_types
from faristol.rating import model as ratings
from faristol.rating.federation import model as rating_lists
from faristol.register import model as register
from faristol.seasons import model as seasons
from faristol.table import clock
from faristol.table.game import evolution
from faristol.table.game.state import Game
from faristol.tournament import state as tournament
from faristol.tournament.fees.state import FeeState, evolve_fees
from faristol.tournament.registration.state import RegistrationState, evolve_registration

FOLDS: Mapping[str, tuple[Any, Callable[[Any, Message], object]]] = {
    "access": (access.Access(), lambda state, event: access.fold(state, [event])),
    "game": (Game(), evolution.evolve),
    "clock": (clock.Clock(), clock.evolve),
    "duplicate": (duplicate.Duplicate(), duplicate.evolve),
    "slips": (slips.Hall(), slips.evolve),
    "prepared": (prepared.Prepared(), prepared.evolve),
    "tournament": (tournament.TournamentState(), tournament.evolve),
    "case": (case.Case(), case.evolve),
    "lexicon": (policy.Adjudication(), policy.evolve),
    "ratings": (ratings.RatingList(), ratings.evolve),
    "fees": (FeeState(), evolve_fees),
    "ratinglists": (rating_lists.FederationLists(), rating_lists.evolve),
    "register": (register.Register(), register.evolve),
    "seasons": (seasons.Seasons(), seasons.evolve),
    "halls": (halls.Halls(), halls.evolve),
    "registration": (RegistrationState(), evolve_registration),
}
KEPT = {"people", "ruleset", "picture", "broadcast", "hall"}
"""Streams that are looked up and not folded."""


def knows(stream: str, kind: event_types.Kind) -> bool:
    """Return whether the fold of a stream accepts an event, though an empty one may be invalid for it."""
    state, evolve = FOLDS[stream]
    try:
        evolve(state, kind())
    except TypeError as problem:
        return f"{kind.DESCRIPTOR.full_name} is no" not in str(problem)
    except Exception:  # noqa: BLE001 # it was taken up
        return True
    return True


@pytest.mark.parametrize("stream", FOLDS)
def test_a_stream_is_folded_by_its_owner_to_the_last_event(stream: str) -> None:
    assert {kind for kind in event_types.RECORD_EVENT_TYPES if knows(stream, kind)} == event_types.on_streams(stream)


def test_every_event_is_on_a_stream_that_somebody_folds() -> None:
    assert {event_types.meaning(kind).stream for kind in event_types.RECORD_EVENT_TYPES} == FOLDS.keys() | KEPT
