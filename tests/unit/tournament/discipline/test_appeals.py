"""The tribunal of appeals: its members, and its decisions (FISE 49, 50)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.support.halls import Hall
from tests.support.refusals import refusal_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.tournament.command_handling.undo import can_undo
from faristol.tournament.discipline import tribunal
from faristol.tournament.state import Origins

FISE = load_ruleset("fise")
ROLES = (tribunal.ORGANISERS, tribunal.FEDERATION, tribunal.PLAYERS, tribunal.SUBSTITUTE, tribunal.SUBSTITUTE)
PERSONS = ("ona", "pau", "rep", "sub", "sus")


def member(person_id: str, role: events.TribunalRole.ValueType) -> events.TribunalMember:
    return events.TribunalMember(person_id=person_id, role=role)


TRIBUNAL = [member(person, role) for person, role in zip(PERSONS, ROLES, strict=True)]
OFFICIALS = {"ona": "AND", "pau": "POR", "rep": "COL", "sub": "VEN", "sus": "ARG"}
PLAYERS = {f"p{place}": "ESP" for place in range(1, 9)}
COUNTRIES = {**OFFICIALS, **PLAYERS}
NATIONAL = dict.fromkeys(COUNTRIES, "ESP")
CLUBS = {**{person: f"Association of {person}" for person in OFFICIALS}, **dict.fromkeys(PLAYERS, "Valls")}
NOBODY: Mapping[str, str] = {}


def hall_of(ruleset: Ruleset = FISE) -> Hall:
    return Hall(dict.fromkeys(PLAYERS, 2000), ruleset=ruleset)


def appoint(
    hall: Hall,
    members: Sequence[events.TribunalMember] = TRIBUNAL,
    countries: Mapping[str, str] = COUNTRIES,
    affiliations: Mapping[str, str] = NOBODY,
) -> Sequence[Message]:
    appointments = [pb.Appointment(person_id=member.person_id, role=member.role) for member in members]
    return hall.carry_out(
        pb.AppointTribunalRequest(appointments=appointments), origins=Origins(countries, affiliations)
    )


def warn(hall: Hall, player_id: str = "p1") -> int:
    hall.carry_out(pb.WarnPlayerRequest(player_id=player_id, arbiter_id="marta"))
    return len(hall.events)


def lodge(
    hall: Hall,
    version: int,
    player_id: str = "p1",
    others: Sequence[str] = (),
    countries: Mapping[str, str] = COUNTRIES,
    affiliations: Mapping[str, str] = NOBODY,
) -> events.AppealLodged:
    (event,) = hall.carry_out(
        pb.LodgeAppealRequest(version=version, player_id=player_id, player_ids=others),
        origins=Origins(countries, affiliations),
    )
    assert isinstance(event, events.AppealLodged)
    return event


def decide_appeal(hall: Hall, appeal: int = 1, *, upheld: bool = True) -> Sequence[Message]:
    return hall.carry_out(pb.DecideAppealRequest(appeal=appeal, upheld=upheld, dismissed=not upheld))


def test_an_appeal_that_is_upheld_takes_a_warning_back() -> None:
    hall = hall_of()
    appoint(hall)
    lodged = lodge(hall, warn(hall))
    decided, lifted = decide_appeal(hall)

    assert [member.person_id for member in lodged.members] == ["ona", "pau", "rep"]
    assert isinstance(decided, events.AppealDecided)
    assert isinstance(lifted, events.WarningLifted)
    assert (decided.article, decided.members, list(lifted.decided_by)) == (
        "FISE 49",
        lodged.members,
        ["ona", "pau", "rep"],
    )
    assert hall.state.players[0].warnings == 0


def test_an_appeal_that_is_dismissed_leaves_what_it_was_against() -> None:
    hall = hall_of()
    appoint(hall)
    lodge(hall, warn(hall))
    (decided,) = decide_appeal(hall, upheld=False)

    assert isinstance(decided, events.AppealDecided)
    assert hall.state.players[0].warnings == 1


@pytest.mark.parametrize("upheld", [True, False])
def test_what_the_tribunal_decided_is_final(upheld: bool) -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    lodge(hall, version)
    assert refusal_of(lambda: lodge(hall, version)).reason == "APPEAL_LODGED"
    assert refusal_of(lambda: undo(hall, version)).reason == "APPEAL_LODGED"
    decide_appeal(hall, upheld=upheld)
    before = hall.state

    again = refusal_of(lambda: lodge(hall, version))
    assert (again.reason, again.article) == ("APPEAL_FINAL", "FISE 49")
    assert refusal_of(lambda: decide_appeal(hall)).reason == "APPEAL_FINAL"
    if upheld:
        assert refusal_of(lambda: undo(hall, len(hall.events))).reason == "APPEAL_FINAL"
    else:
        assert refusal_of(lambda: undo(hall, version)).reason == "APPEAL_FINAL"
    assert hall.state == before


def withdraw_appeal(hall: Hall, appeal: int = 1) -> Sequence[Message]:
    return hall.carry_out(pb.WithdrawAppealRequest(appeal=appeal))


@pytest.mark.parametrize("by", ["command", "undoing"])
def test_an_appeal_that_was_lodged_by_a_slip_is_taken_back_and_another_lodged(by: str) -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    lodge(hall, version)
    (withdrawn,) = withdraw_appeal(hall) if by == "command" else undo(hall, len(hall.events))

    assert isinstance(withdrawn, events.AppealWithdrawn)
    assert (withdrawn.appeal, withdrawn.player_id, withdrawn.version) == (1, "p1", version)
    for act in (decide_appeal, withdraw_appeal):
        assert refusal_of(lambda act=act: act(hall)).reason == "APPEAL_WITHDRAWN"  # type: ignore[misc]
    assert lodge(hall, version).appeal == 2
    decide_appeal(hall, 2)
    assert hall.state.players[0].warnings == 0


def test_an_appeal_that_was_taken_back_holds_nothing_up() -> None:
    hall = hall_of()
    appoint(hall)
    for number in range(1, hall.state.rounds + 1):
        hall.play(number)
    version = warn(hall)
    lodge(hall, version)
    withdraw_appeal(hall)
    undo(hall, version)
    hall.carry_out(pb.PublishStandingsRequest())
    assert refusal_of(lambda: withdraw_appeal(hall)).reason == "TOURNAMENT_OVER"


@pytest.mark.parametrize("upheld", [True, False])
def test_an_appeal_that_was_decided_cannot_be_taken_back(upheld: bool) -> None:
    hall = hall_of()
    appoint(hall)
    lodge(hall, warn(hall))
    lodged = len(hall.events)
    decide_appeal(hall, upheld=upheld)
    before = hall.state

    assert refusal_of(lambda: withdraw_appeal(hall)).reason == "APPEAL_FINAL"
    assert refusal_of(lambda: undo(hall, lodged)).reason == "NOT_UNDONE"
    assert refusal_of(lambda: withdraw_appeal(hall, 2)).reason == "NO_APPEAL"
    assert hall.state == before


@pytest.mark.parametrize("upheld", [True, False])
def test_what_can_undo_a_sanction_is_the_appeal_where_there_is_a_tribunal_and_nothing_after_it(upheld: bool) -> None:
    hall = hall_of()
    version = warn(hall)
    assert can_undo(hall.state, hall.events, version) == "LiftSanction"
    appoint(hall)
    assert can_undo(hall.state, hall.events, version) == "LodgeAppeal"
    lodge(hall, version)
    assert can_undo(hall.state, hall.events, version) == "DecideAppeal"
    decide_appeal(hall, upheld=upheld)
    assert can_undo(hall.state, hall.events, version) == ""
    # a sanction that an appeal lifted is not imposed again
    assert can_undo(hall.state, hall.events, len(hall.events)) == ""


def undo(hall: Hall, version: int) -> Sequence[Message]:
    return hall.carry_out(pb.UndoActRequest(version=version))


def test_where_a_tribunal_was_appointed_only_an_appeal_or_a_slip_lifts_a_sanction() -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    refused = refusal_of(lambda: hall.decide(pb.LiftSanctionRequest(version=version, decided_by=["director"])))
    assert (refused.reason, refused.article) == ("APPEAL_NEEDED", "FISE 49")
    undo(hall, version)
    assert hall.state.players[0].warnings == 0


def test_an_expulsion_that_is_lifted_on_appeal_lets_the_player_back() -> None:
    hall = hall_of()
    appoint(hall)
    hall.carry_out(pb.ExpelPlayerRequest(player_id="p1", arbiter_id="marta", decided_by=["d"]))
    version = len(hall.events) - 1
    refused = refusal_of(lambda: hall.decide(pb.LiftExpulsionRequest(player_id="p1", decided_by=["d"])))
    assert refused.reason == "APPEAL_NEEDED"
    lodge(hall, version)
    kinds = [type(event) for event in decide_appeal(hall)]

    assert kinds == [events.AppealDecided, events.ExpulsionLifted, events.PlayerReinstated]
    assert hall.state.players[0].takes_part(1)


def test_who_played_the_game_of_a_sanction_is_involved() -> None:
    hall = hall_of()
    appoint(hall)
    hall.play(1)
    table = hall.state.played[0].pairings[0]
    player_id, other = table.pair
    hall.carry_out(
        pb.SanctionPlayerRequest(
            player_id=player_id,
            kind=events.SANCTION_KIND_POINTS,
            game_id=table.game_id,
            points=30,
            rounds=(),
            arbiter_id="marta",
            decided_by=["d"],
        )
    )
    version = len(hall.events) - 1
    countries = {**COUNTRIES, other: "COL"}
    lodged = lodge(hall, version, player_id, countries=countries)

    assert list(lodged.player_ids) == sorted((player_id, other))
    assert [member.person_id for member in lodged.members] == ["ona", "pau", "sub"]


def test_a_refusal_names_everybody_who_is_barred_and_why() -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    countries = {**COUNTRIES, "p2": "AND", "p3": "COL", "p4": "VEN", "p5": "ARG"}
    refused = refusal_of(lambda: lodge(hall, version, others=["p2", "p3", "p4", "p5"], countries=countries))

    assert (refused.reason, refused.article) == ("TRIBUNAL_BARRED", "FISE 50")
    told = [(reason.params["person"], reason.params["other"]) for reason in (refused, *refused.others)]
    assert told == [("ona", "p2"), ("rep", "p3"), ("sub", "p4"), ("sus", "p5")]


def test_a_country_that_matters_has_to_be_known() -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    before = hall.state
    with pytest.raises(Invalid, match="pau"):
        lodge(hall, version, countries={**COUNTRIES, "pau": ""})
    assert hall.state == before


def test_two_of_one_country_are_not_appointed_beside_each_other() -> None:
    hall = hall_of()
    for person, other in (("pau", "ona"), ("rep", "ona"), ("rep", "pau")):
        countries = {**COUNTRIES, person: COUNTRIES[other]}
        refused = refusal_of(lambda told=countries: appoint(hall, countries=told))  # type: ignore[misc]
        assert (refused.article, refused.params["person"], refused.params["other"]) == ("FISE 50", person, other)


@pytest.mark.parametrize(
    "members", [TRIBUNAL[:4], [*TRIBUNAL, member("x", tribunal.PLAYERS)], [*TRIBUNAL[:4], TRIBUNAL[3]]]
)
def test_a_tribunal_has_the_members_that_the_book_wants(members: Sequence[events.TribunalMember]) -> None:
    with pytest.raises(Invalid, match="appointments"):
        appoint(hall_of(), members)


def test_once_a_round_has_begun_the_players_own_stay_and_others_can_be_replaced() -> None:
    hall = hall_of()
    appoint(hall)
    hall.pair(1)
    hall.start(1)
    appoint(hall, [member("eva", tribunal.ORGANISERS), *TRIBUNAL[1:]], {**COUNTRIES, "eva": "FRA"})
    assert hall.state.tribunal[0].person_id == "eva"

    other = [*TRIBUNAL[:4], member("p8", tribunal.SUBSTITUTE)]
    refused = refusal_of(lambda: appoint(hall, other))
    assert (refused.reason, refused.article) == ("TOURNAMENT_BEGUN", "FISE 50")


def test_where_no_tribunal_was_appointed_before_the_first_round_it_sits_without_the_players_own() -> None:
    hall = hall_of()
    version = warn(hall)
    assert "appoint one first" in str(refusal_of(lambda: lodge(hall, version)))
    hall.pair(1)
    hall.start(1)
    refused = refusal_of(lambda: lodge(hall, version))
    assert (refused.reason, refused.article) == ("NO_TRIBUNAL", "FISE 50")
    assert "can still appoint" in refused.message
    for members in (TRIBUNAL, TRIBUNAL[:3]):
        late = refusal_of(lambda members=members: appoint(hall, members))  # type: ignore[misc]
        assert (late.reason, late.article, "appoint only" in late.message) == ("TOURNAMENT_BEGUN", "FISE 50", True)
    with pytest.raises(Invalid, match="only one for the organisers"):
        appoint(hall, TRIBUNAL[:1])

    appoint(hall, TRIBUNAL[:2])
    lodged = lodge(hall, version)
    assert [member.person_id for member in lodged.members] == ["ona", "pau"]
    barred = refusal_of(lambda: lodge(hall, warn(hall, "p2"), "p2", countries={**COUNTRIES, "p2": "POR"}))
    assert (barred.reason, barred.params["person"]) == ("TRIBUNAL_BARRED", "pau")
    decide_appeal(hall)
    assert hall.state.players[0].warnings == 0


def test_before_the_first_round_a_tribunal_is_appointed_with_the_players_own() -> None:
    with pytest.raises(Invalid, match="appointments"):
        appoint(hall_of(), TRIBUNAL[:2])


def test_an_appeal_is_of_who_was_sanctioned_against_a_sanction_before_a_tribunal() -> None:
    hall = hall_of()
    version = warn(hall)
    assert refusal_of(lambda: lodge(hall, version)).reason == "NO_TRIBUNAL"
    appoint(hall)
    assert refusal_of(lambda: lodge(hall, version, "p2")).reason == "NOT_SANCTIONED"
    assert refusal_of(lambda: lodge(hall, version + 1)).reason == "NO_SANCTION"
    assert refusal_of(lambda: decide_appeal(hall)).reason == "NO_APPEAL"
    with pytest.raises(Invalid, match="nobody"):
        lodge(hall, version, others=["nobody"])
    undo(hall, version)
    lifted = refusal_of(lambda: lodge(hall, version))
    assert (lifted.reason, lifted.article) == ("SANCTION_LIFTED", "FISE 47")


@pytest.mark.parametrize(("book", "article"), [("pes-2024", "PES Ζ"), ("fisc-2023", "FISC I.7.2")])
def test_where_the_book_knows_no_appeal_who_decided_had_the_last_word(book: str, article: str) -> None:
    hall = hall_of(load_ruleset(book))
    version = warn(hall)
    refused = refusal_of(lambda: lodge(hall, version))

    assert (refused.reason, refused.article) == ("SANCTION_FINAL", article)
    assert refusal_of(lambda: appoint(hall)).reason == "NO_TRIBUNAL"


def test_nothing_on_the_record_tells_of_what_country_somebody_is() -> None:
    hall = hall_of()
    new_events = [*appoint(hall), lodge(hall, warn(hall))]

    assert not any(country in str(event) for event in new_events for country in set(COUNTRIES.values()))


codes = st.sampled_from(["AND", "ARG", "COL", "ESP"])
clubs = st.sampled_from(["", "Reus", "REUS ", "Valls", "FISE"])
ALL = (*PERSONS, "p1", "p2")


@given(
    st.fixed_dictionaries(dict.fromkeys(ALL, codes)),
    st.fixed_dictionaries(dict.fromkeys(ALL, clubs)),
    st.sampled_from(["p2", "rep", "sub"]),
    st.booleans(),
)
@settings(max_examples=scale_examples(500), deadline=None)
def test_those_who_sit_are_all_that_the_book_allows(
    countries: dict[str, str], told: dict[str, str], other: str, national: bool
) -> None:
    involved = {"p1", other}
    folded = {person: club.strip().casefold() for person, club in told.items()}

    def apart(person: str, other: str) -> bool:
        known = folded[person] and folded[other]
        return bool(countries[person] != countries[other] or (known and folded[person] != folded[other]))

    def is_allowed(sitting: Sequence[str]) -> bool:
        for_players = sitting[2]
        return (
            all(apart(person, other) for person, other in combinations(sitting, 2))
            and all(apart(person, other) for person, other in product(sitting, involved))
            and (national or countries[for_players] not in {countries[person] for person in involved})
            and not involved & set(sitting)
        )

    possible = [three for three in product(["ona"], ["pau"], ["rep", "sub", "sus"]) if is_allowed(three)]
    origins = Origins(countries, told)
    try:
        sitting = tribunal.choose_tribunal(TRIBUNAL, involved, origins, "FISE 50", national=national)
    except Refusal:
        assert possible == []
    else:
        assert tuple(member.person_id for member in sitting) == possible[0]


def test_in_a_national_championship_another_affiliation_keeps_everybody_apart() -> None:
    hall = hall_of()
    appoint(hall, countries=NATIONAL, affiliations=CLUBS)
    version = warn(hall)
    clubs = {**CLUBS, "rep": "valls"}
    lodged = lodge(hall, version, countries=NATIONAL, affiliations=clubs)

    assert [member.person_id for member in lodged.members] == ["ona", "pau", "sub"]
    assert "Association" not in str(hall.events)


@pytest.mark.parametrize("unknown", [[], ["p8"], ["p2", "p3", "p4", "p5", "p6", "p7", "p8"]])
def test_a_championship_is_national_only_where_the_country_of_every_player_is_known(unknown: list[str]) -> None:
    told = {**COUNTRIES, "rep": "ESP"}
    for countries in ({**told, **dict.fromkeys(unknown, "")}, {key: told[key] for key in told.keys() - set(unknown)}):
        hall = hall_of()
        appoint(hall)
        lodged = lodge(hall, warn(hall), countries=countries, affiliations=CLUBS)
        assert [member.person_id for member in lodged.members] == ["ona", "pau", "sub" if unknown else "rep"]


def test_where_nothing_says_that_affiliations_differ_country_alone_keeps_apart() -> None:
    hall = hall_of()
    for clubs in (NOBODY, {**CLUBS, "pau": ""}, {**CLUBS, "pau": CLUBS["ona"].upper()}):
        refused = refusal_of(lambda told=clubs: appoint(hall, countries=NATIONAL, affiliations=told))  # type: ignore[misc]
        assert (refused.reason, refused.params["person"]) == ("TRIBUNAL_BARRED", "pau")
        assert "different affiliation" in refused.message
    appoint(hall, countries={**NATIONAL, "pau": "POR"}, affiliations={**CLUBS, "pau": CLUBS["ona"]})


@pytest.mark.parametrize(
    ("own", "other", "apart"),
    [
        ("Club d'Escrable", "CLUB  d\u2019escrable", False),
        ("Associació Sòria", "Associacio Soria", False),
        ("Όμιλος Πάτρας", "ΟΜΙΛΟΣ ΠΑΤΡΑΣ", False),
        ("Col·legi de Reus", "Colŀegi de Reus", False),
        ("Club de Reus", "Club de Valls", True),
        ("Reus 1", "Reus 2", True),
    ],
)
def test_another_spelling_makes_no_other_affiliation(own: str, other: str, apart: bool) -> None:
    assert Origins({"a": "ESP", "b": "ESP"}, {"a": own, "b": other}).apart("a", "b") is apart


def test_a_country_is_not_asked_for_where_the_affiliation_settles_it() -> None:
    hall = hall_of()
    appoint(hall, countries=NOBODY, affiliations=CLUBS)
    with pytest.raises(Invalid, match="pau"):
        appoint(hall, countries={**NATIONAL, "pau": ""}, affiliations={**CLUBS, "pau": ""})


def test_where_players_are_of_several_countries_their_own_is_of_none_involved_whatever_the_affiliation() -> None:
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    countries = {**COUNTRIES, "p8": "POR", "ona": "ESP", "rep": "ESP"}
    lodged = lodge(hall, version, countries=countries, affiliations=CLUBS)

    assert [member.person_id for member in lodged.members] == ["ona", "pau", "sub"]
    countries = {**countries, "sub": "ESP", "sus": "ESP"}
    hall = hall_of()
    appoint(hall)
    version = warn(hall)
    refused = refusal_of(lambda: lodge(hall, version, countries=countries, affiliations=CLUBS))
    assert [reason.params["person"] for reason in (refused, *refused.others)] == ["rep", "sub", "sus"]
    assert "affiliation" not in refused.message


def test_final_standings_wait_for_every_appeal() -> None:
    hall = hall_of()
    appoint(hall)
    for number in range(1, hall.state.rounds + 1):
        hall.play(number)
    for player_id in ("p1", "p2"):
        lodge(hall, warn(hall, player_id), player_id)
    refused = refusal_of(lambda: hall.decide(pb.PublishStandingsRequest()))
    assert refused.reason == "APPEAL_OPEN"
    assert [reason.params["player"] for reason in (refused, *refused.others)] == ["p1", "p2"]
    decide_appeal(hall, 1)
    decide_appeal(hall, 2, upheld=False)
    hall.carry_out(pb.PublishStandingsRequest())
    assert hall.state.over


def test_the_players_own_are_the_same_in_another_order() -> None:
    hall = hall_of()
    appoint(hall)
    hall.pair(1)
    hall.start(1)
    appoint(hall, [*TRIBUNAL[3:], *TRIBUNAL[:3]])
    assert list(hall.state.tribunal) == [*TRIBUNAL[3:], *TRIBUNAL[:3]]
