"""Appeals against sanctions, and the tribunal that decides on them (FISE 49, 50). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.details import Person
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_id, check_name, is_named_person
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import check_open
from faristol.tournament.discipline import tribunal
from faristol.tournament.discipline.checks import (
    FINAL,
    appeal_final,
    check_not_appealed,
    check_not_lifted,
    sanction_of,
)
from faristol.tournament.discipline.sanctions import lift_sanction
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import Appeal, AppealPhase, Phase, Sanction, TournamentState

MAX_APPEAL_PERSONS = 100
"""Limit of the persons, countries and affiliations in a command on an appeal."""


def appoint(situation: Situation, request: pb.AppointTribunalRequest) -> list[Message]:
    """Appoint the tribunal, replacing an earlier one. The players' members are chosen before the tournament begins.

    If they were not, the other two are appointed without them. Raises ``Invalid`` if the roles are not those of the
    book, or if a country is missing. Raises ``Refusal`` if the book has no tribunal. Raises ``Refusal`` if two members
    have the same country and no known different affiliations. Raises ``Refusal`` for a change of the players' members
    after the start of a round.
    """
    state, article = situation.state, situation.ruleset.law.tribunal
    _check_number("appointments", len(request.appointments))
    _check_number("affiliations", len(request.affiliations))
    affiliations = _affiliations(request.affiliations)
    countries = {member.person_id: member.country for member in request.appointments}
    corrected = {
        member.person_id for member in request.appointments if member.name and is_named_person(member.person_id)
    }
    known = situation.origins.without(corrected)
    origins = known.with_given("appointments", countries, affiliations)
    members = [events.TribunalMember(person_id=each.person_id, role=each.role) for each in request.appointments]
    check_open(state)
    if not article:
        raise Refusal("NO_TRIBUNAL", N_("These rules provide for no tribunal of appeals."))
    for member in request.appointments:
        check_id("appointments", member.person_id)
        is_stored = member.name or state.player(member.person_id) is not None
        if is_stored and not origins.countries.get(member.person_id):
            person = check_name("appointments", member.name) if member.name else member.person_id
            raise Invalid("appointments", N_("expected the country of {person}"), {"person": person})
    begun, elected = _has_begun(state), _players_own(state.tribunal)
    if begun and not elected and _players_own(members):
        raise Refusal(
            "TOURNAMENT_BEGUN",
            N_(
                "The players’ representative and the substitutes had to be chosen before the tournament began: "
                "appoint only the representatives of the organisers and the federation."
            ),
            article=article,
        )
    tribunal.check_composition(members, origins, article, elected=bool(elected) or not begun)
    if begun and _players_own(members) != elected:
        raise Refusal(
            "TOURNAMENT_BEGUN",
            N_("The players’ representative and the substitutes must be chosen before the tournament begins."),
            article=article,
        )
    return [situation.event(events.TribunalAppointed, members=members, article=article)]


def lodge(situation: Situation, request: pb.LodgeAppealRequest) -> list[Message]:
    """Lodge an appeal against the sanction of a version.

    Three members of the tribunal sit. They differ in country or affiliation from the player, ``player_ids`` and the
    players of the game. Raises ``Invalid`` if a country is missing, and for persons who are not players. Raises
    ``Refusal`` if the book has no appeals, or if the sanction was appealed before. Raises ``Refusal`` if there is no
    tribunal, or if too few members can sit. Raises ``Refusal`` unless the version is a sanction in force on the player.
    """
    state, ruleset, version = situation.state, situation.ruleset, request.version
    _check_number("countries", len(request.countries))
    _check_number("player_ids", len(request.player_ids))
    _check_number("affiliations", len(request.affiliations))
    countries = _parse_by_person("countries", ((person.person_id, person.country) for person in request.countries))
    affiliations = _affiliations(request.affiliations)
    situation.act(version)
    origins = situation.origins.with_given("countries", countries, affiliations)
    check_open(state)
    act = sanction_of(situation, version)
    _check_appeal(state, ruleset, act, request.player_id, version)
    check_not_lifted(situation, act, version)
    involved = sorted({request.player_id, *request.player_ids, *_players_of_game(state, act)})
    for player_id in involved:
        if state.player(player_id) is None:
            raise Invalid("player_ids", N_("{player} is not a player of the tournament"), {"player": player_id[:100]})
    national = origins.of_one_country(player.player_id for player in state.players)
    members = tribunal.choose_tribunal(state.tribunal, involved, origins, ruleset.law.tribunal, national=national)
    return [
        situation.event(
            events.AppealLodged,
            request,
            appeal=len(state.appeals) + 1,
            version=version,
            player_ids=involved,
            members=members,
            article=ruleset.law.appeal,
        )
    ]


def is_appealable(situation: Situation, player_id: str, version: int) -> bool:
    """Check whether a player can appeal against the sanction of a version, by the rules and earlier appeals."""
    try:
        check_open(situation.state)
        act = sanction_of(situation, version)
        _check_appeal(situation.state, situation.ruleset, act, player_id, version)
        check_not_lifted(situation, act, version)
    except Refusal:
        return False
    return True


def decide_appeal(situation: Situation, request: pb.DecideAppealRequest) -> list[Message]:
    """Record the tribunal's final decision on an appeal. An upheld appeal lifts the sanction.

    Raises ``Refusal`` if the appeal is unknown, decided or withdrawn.
    """
    if request.upheld == request.dismissed:
        raise Invalid("upheld", N_("expected one of upheld=true and dismissed=true"))
    found = _waiting(situation, request.appeal)
    decided = situation.event(
        events.AppealDecided,
        request,
        player_id=found.player_id,
        version=found.version,
        members=found.members,
        article=situation.ruleset.law.appeal,
    )
    if not request.upheld:
        return [decided]
    return [decided, *lift_sanction(situation, found.version, [member.person_id for member in found.members], "")]


def withdraw_appeal(situation: Situation, request: pb.WithdrawAppealRequest) -> list[Message]:
    """Withdraw an appeal, such as one lodged by mistake. The player can then appeal again.

    Raises ``Refusal`` if the appeal is unknown, decided or withdrawn.
    """
    found = _waiting(situation, request.appeal)
    return [situation.event(events.AppealWithdrawn, request, player_id=found.player_id, version=found.version)]


def _waiting(situation: Situation, appeal: int) -> Appeal:
    """Return the open appeal with a number. Raises ``Refusal``."""
    state, ruleset = situation.state, situation.ruleset
    check_open(state)
    if not 1 <= appeal <= len(state.appeals):
        raise Refusal("NO_APPEAL", N_("There is no appeal {appeal}."), {"appeal": appeal})
    found = state.appeals[appeal - 1]
    if found.phase in FINAL:
        raise appeal_final(ruleset, found)
    if found.phase is AppealPhase.WITHDRAWN:
        raise Refusal(
            "APPEAL_WITHDRAWN",
            N_("Appeal {appeal} of {player} was withdrawn: lodge a new one."),
            {"appeal": appeal, "player": found.player_id},
            article=ruleset.law.appeal,
        )
    return found


def _check_appeal(state: TournamentState, ruleset: Ruleset, act: Sanction, player_id: str, version: int) -> None:
    """Raise ``Refusal`` if the book has no appeals, if the player cannot appeal, or if an appeal was lodged."""
    if not ruleset.law.appeal:
        raise Refusal(
            "SANCTION_FINAL",
            N_("These rules provide for no appeal: the person who decided on a sanction can lift it."),
            article=ruleset.law.sanctions,
        )
    if player_id != act.player_id:
        raise Refusal(
            "NOT_SANCTIONED",
            N_("The sanction is on {sanctioned}: {player} cannot appeal against it."),
            {"sanctioned": act.player_id, "player": player_id[:100]},
            article=ruleset.law.appeal,
        )
    check_not_appealed(state, ruleset, version)
    if not state.tribunal and _has_begun(state):
        raise Refusal(
            "NO_TRIBUNAL",
            N_(
                "No tribunal of appeals was appointed before the tournament began, and the players can no longer "
                "choose its members. The organisers can still appoint their representative and one of the "
                "federation, or the person who decided on the sanction can lift it."
            ),
            article=ruleset.law.tribunal,
        )
    if not state.tribunal:
        raise Refusal(
            "NO_TRIBUNAL", N_("No tribunal of appeals was appointed: appoint one first."), article=ruleset.law.tribunal
        )


def _players_of_game(state: TournamentState, act: Sanction) -> tuple[str, ...]:
    """Return the players of a sanction's game; an empty tuple without a game."""
    found = (
        state.find_game(act.game_id) if isinstance(act, events.PlayerSanctioned | events.TableSanctionNoted) else None
    )
    return found[1].player_ids if found else ()


def _has_begun(state: TournamentState) -> bool:
    return any(played.phase is not Phase.PAIRED for played in state.played)


def _players_own(members: Sequence[events.TribunalMember]) -> set[tuple[str, events.TribunalRole.ValueType]]:
    return {(member.person_id, member.role) for member in members if member.role in tribunal.PLAYERS_OWN}


def _affiliations(given: Sequence[pb.PersonAffiliation]) -> dict[str, str]:
    """Return the affiliations of a request, by person id. Raises ``Invalid``."""
    parsed = _parse_by_person("affiliations", ((person.person_id, person.affiliation) for person in given))
    return {person_id: check_name("affiliations", name) for person_id, name in parsed.items()}


def _parse_by_person(field: str, given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return values of a request by person id. Raises ``Invalid`` for a malformed id, or two values of one person."""
    parsed: dict[str, str] = {}
    for person_id, value in given:
        if parsed.setdefault(check_id(field, person_id), value) != value:
            raise Invalid(field, N_("{person} is named twice"), {"person": person_id})
    return parsed


def _check_number(field: str, persons: int) -> None:
    if persons > MAX_APPEAL_PERSONS:
        raise Invalid(
            field,
            N_("names {persons} people; expected at most {most}"),
            {"persons": persons, "most": MAX_APPEAL_PERSONS},
        )


def _list_appointed(state: TournamentState, request: pb.AppointTribunalRequest) -> Collection[str]:
    named = {*(member.person_id for member in request.appointments)}
    return named | {person.person_id for person in request.affiliations}


def _persons_of(state: TournamentState, request: pb.AppointTribunalRequest) -> Sequence[Person]:
    """Return the members whose data are stored: those whose names are given, and players with a country or a club.

    A player has no name here, keeps the data of the registration, and gets those that are missing.
    """
    affiliations = {each.person_id: each.affiliation for each in request.affiliations}
    found = []
    for each in request.appointments:
        club = affiliations.get(each.person_id, "")
        if state.player(each.person_id) is not None:
            found += [Person(each.person_id, "", club, each.country)] if club or each.country else []
        elif each.name:
            found.append(Person(each.person_id, check_name("appointments", each.name), club, each.country))
    return found


def _appellant(state: TournamentState, request: pb.LodgeAppealRequest) -> Sequence[Person]:
    """Return the player who appeals with the given own country and club. Those of others are not stored."""
    country = next((each.country for each in request.countries if each.person_id == request.player_id), "")
    club = next((each.affiliation for each in request.affiliations if each.person_id == request.player_id), "")
    return [Person(request.player_id, "", club, country)] if country or club else []


def _in_dispute(state: TournamentState, request: pb.LodgeAppealRequest) -> Collection[str]:
    known = {player.player_id for player in state.players} | {member.person_id for member in state.tribunal}
    named = {person.person_id for person in request.countries} | {person.person_id for person in request.affiliations}
    return known | named


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.AppointTribunalRequest: PairingCommand(appoint, persons=_list_appointed, keeps=_persons_of),
    pb.LodgeAppealRequest: PairingCommand(
        lodge, tells=events.AppealLodged, needs_past_events=True, persons=_in_dispute, keeps=_appellant
    ),
    pb.WithdrawAppealRequest: PairingCommand(withdraw_appeal),
    pb.DecideAppealRequest: PairingCommand(decide_appeal, needs_past_events=True, divisions=True),
}


def _rests(act: events.AppealLodged, later: Message) -> bool:
    return isinstance(later, events.AppealDecided | events.AppealWithdrawn) and later.appeal == act.appeal


UNDO: Mapping[type[Message], Undo] = {events.AppealLodged: Undo(pb.WithdrawAppealRequest, rests=_rests)}
