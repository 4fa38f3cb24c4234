"""Who sits on an appeal (FISE 50). Pure.

Of what country somebody is comes as an argument and goes nowhere: the events hold no personal data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from faristol.host.errors import Invalid
from faristol.pairing.model import Member
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import N_, Refusal

ORGANISERS, FEDERATION, PLAYERS, SUBSTITUTE = (
    events.TRIBUNAL_ROLE_ORGANISERS,
    events.TRIBUNAL_ROLE_FEDERATION,
    events.TRIBUNAL_ROLE_PLAYERS,
    events.TRIBUNAL_ROLE_SUBSTITUTE,
)

COMPOSITION: Mapping[events.TribunalRole.ValueType, int] = {ORGANISERS: 1, FEDERATION: 1, PLAYERS: 1, SUBSTITUTE: 2}
"""How many there are of each."""

UNELECTED: Mapping[events.TribunalRole.ValueType, int] = {ORGANISERS: 1, FEDERATION: 1}
"""The same of a tribunal for which the players elected nobody while they could."""

Countries = Mapping[str, str]
"""The code of the country of each person, by id."""


def check_composition(members: Sequence[Member], countries: Countries, article: str, *, elected: bool = True) -> None:
    """Refuse a tribunal in which two of those who would sit are of one country.

    ``elected`` says that the players have, or can have, a representative in it. Raises ``Invalid`` when it does not
    have the members that the book wants, or one of them twice.
    """
    roles = Counter(one.role for one in members)
    if not elected and roles != UNELECTED:
        raise Invalid("appointments", N_("expected one for the organisers and one for the federation, and nobody else"))
    if elected and roles != COMPOSITION:
        raise Invalid(
            "appointments",
            N_("expected one for the organisers, one for the federation, one for the players and two substitutes"),
        )
    for person_id, times in Counter(one.person_id for one in members).items():
        if times > 1:
            raise Invalid("appointments", N_("{person} is named twice"), {"person": person_id})
    sitting: list[Member] = []
    for one in _in_order(members, (ORGANISERS, FEDERATION, PLAYERS)):
        if (reason := _bar(one, sitting, (), countries, article)) is not None:
            raise reason
        sitting.append(one)


def convened(
    members: Sequence[Member], involved: Collection[str], countries: Countries, article: str
) -> tuple[Member, ...]:
    """The three who sit where the players ``involved`` are in dispute: for the players the first who can.

    There are two where the players elected nobody. Refuses, with everybody who is barred and why, where a place stays
    empty. Raises ``Invalid`` when the country of somebody who matters is not known.
    """
    sitting: list[Member] = []
    barred: list[Refusal] = []
    for candidates in ((ORGANISERS,), (FEDERATION,), (PLAYERS, SUBSTITUTE)):
        reasons: list[Refusal] = []
        for one in _in_order(members, candidates):
            reason = _bar(one, sitting, involved, countries, article)
            if reason is None:
                sitting.append(one)
                break
            reasons.append(reason)
        else:
            barred += reasons
    if barred:
        first, *others = barred
        raise Refusal(first.reason, first.article, first.message, first.params, subject=first.subject, others=others)
    return tuple(sitting)


def _bar(
    one: Member, sitting: Sequence[Member], involved: Collection[str], countries: Countries, article: str
) -> Refusal | None:
    """Why somebody cannot sit beside those who do; None when they can."""
    person = one.person_id
    if person in involved:
        message, other = N_("{person} cannot sit on the tribunal: they are involved in the dispute."), ""
    elif other := _compatriot(person, sorted(involved), countries):
        message = N_("{person} cannot sit on the tribunal: {other}, who is involved, is of the same country.")
    elif other := _compatriot(person, [member.person_id for member in sitting], countries):
        message = N_("{person} cannot sit on the tribunal: {other}, who sits on it, is of the same country.")
    else:
        return None
    return Refusal("TRIBUNAL_BARRED", article, message, {"person": person, "other": other}, subject=f"persons/{person}")


def _compatriot(person: str, others: Sequence[str], countries: Countries) -> str:
    """The first of ``others`` who is of the country of ``person``; empty when none is."""
    mine = _country(person, countries)
    return next((other for other in others if _country(other, countries) == mine), "")


def _country(person: str, countries: Countries) -> str:
    if not (country := countries.get(person, "")):
        raise Invalid("countries", N_("expected the country of {person}"), {"person": person})
    return country


def _in_order(members: Sequence[Member], roles: Sequence[events.TribunalRole.ValueType]) -> Iterator[Member]:
    for role in roles:
        yield from (one for one in members if one.role == role)
