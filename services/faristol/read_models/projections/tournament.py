"""A tournament itself: how an event changes its name, rules, rounds, halls and divisions. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import folds_in
from faristol.kernel.likeness import read_shared_fields
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as registration
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.changes import copies, sets
from faristol.read_models.storage.rows import Announced, Division, Option, StoredHall, Tournament
from faristol.rules.ruleset.options import NONE

TEAMS_OPTION = "teams"
"""The option of rulesets that makes a tournament one of teams (FISE 4.4)."""

DESCRIBED = ("name", "time_zone", "place", "country", "starts_on", "ends_on", "organiser", "link")
"""Columns of a tournament that its description sets."""


def build_championship(event: pairing.TournamentCreated) -> Championship:
    """Return a new tournament. Only the first division of a championship has its divisions."""
    first, stage = event.division and not event.division_of, event.stage
    return Championship(
        Tournament(
            event.tournament_id,
            name=event.name,
            rounds=event.rounds,
            created_at=event.occurred_at.ToNanoseconds(),
            division=event.division,
            division_of=event.division_of,
            divisions=(Division(event.tournament_id, event.division),) if first else (),
            time_zone=event.time_zone or "UTC",
            stage_number=stage.number or 1,
            stage_sources=tuple(stage.source_ids),
            stage_first_place=stage.first_place,
            stage_last_place=stage.last_place,
            final_place=stage.final_place or 1,
        )
    )


def _apply_division_added(tournament: Tournament, event: pairing.DivisionAdded) -> None:
    added = event.division
    tournament.divisions += (Division(added.tournament_id, added.name, added.stage),)
    if event.division.tournament_id == tournament.tournament_id:
        tournament.division = event.division.name


def _apply_division_renamed(tournament: Tournament, event: pairing.DivisionRenamed) -> None:
    renamed = event.division
    own = [Division(renamed.tournament_id, renamed.name, renamed.stage)] if renamed.name else []
    tournament.divisions = tuple(
        division
        for each in tournament.divisions
        for division in (own if each.tournament_id == renamed.tournament_id else [each])
    )
    if renamed.tournament_id == tournament.tournament_id:
        tournament.division = renamed.name


def _apply_ruleset_pinned(tournament: Tournament, event: pairing.RulesetPinned) -> None:
    tournament.ruleset, tournament.ruleset_digest = event.ruleset.name, event.ruleset.digest
    tournament.ruleset_options = tuple(Option(each.name, each.value) for each in event.ruleset.options)
    boards = next((option.value for option in tournament.ruleset_options if option.name == TEAMS_OPTION), NONE)
    tournament.team_boards = 0 if boards == NONE else int(boards)


def _apply_lexicon_pinned(tournament: Tournament, event: pairing.LexiconPinned) -> None:
    tournament.lexicon, tournament.lexicon_digest = event.lexicon.name, event.lexicon.digest


def _apply_halls_set(tournament: Tournament, event: pairing.HallsSet) -> None:
    tournament.halls = tuple(StoredHall(**read_shared_fields(each, StoredHall)) for each in event.halls)


def _apply_rounds_announced(tournament: Tournament, event: pairing.RoundsAnnounced) -> None:
    at = event.occurred_at.ToNanoseconds()
    tournament.announced = tuple(Announced(each.round, each.starts_at.ToNanoseconds(), at) for each in event.times)


def _apply_registration_set(tournament: Tournament, event: registration.RegistrationSet) -> None:
    tournament.form_open = event.open
    tournament.form_opens_at = event.opens_at.ToNanoseconds() if event.HasField("opens_at") else None
    tournament.form_closes_at = event.closes_at.ToNanoseconds() if event.HasField("closes_at") else None


TOURNAMENT_HANDLERS: Mapping[type[Message], Callable[[Tournament, Any], None]] = {
    **folds_in(__name__),
    pairing.TournamentDescribed: copies(**{name: name for name in DESCRIBED}),
    pairing.TournamentArchived: sets(archived=True),
    pairing.TournamentRemoved: sets(removed=True),
    pairing.TournamentRestored: sets(archived=False, removed=False),
    pairing.RoundsChanged: copies(rounds="rounds"),
    pairing.StandingsPublished: sets(over=True),
    pairing.StandingsReopened: sets(over=False),
}
"""The effect of an event on the tournament itself."""

WITH_WORDS: Mapping[type[Message], str] = {pairing.ContactSet: "contact_at", pairing.ArbitersNamed: "arbiters_at"}
"""Events with texts on the tournament, each with the column for the position of the last one."""
