"""Who sits on an appeal (FISE 50). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.pairing.model import Origins
from faristol.pb.pairing.v1 import events_pb2 as events

Member = events.TribunalMember

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

PLAYERS_OWN = (PLAYERS, SUBSTITUTE)
"""Who is elected by the players, before the tournament begins."""


def check_composition(members: Sequence[Member], origins: Origins, article: str, *, elected: bool) -> None:
    """Refuse a tribunal in which two of those who would sit are not apart.

    ``elected`` says that the players have, or can have, a representative in it. Raises ``Invalid`` when it does not
    have the members that the book wants, or one of them twice.
    """
    roles = Counter(member.role for member in members)
    if not elected and roles != UNELECTED:
        raise Invalid("appointments", N_("expected one for the organisers and one for the federation, and nobody else"))
    if elected and roles != COMPOSITION:
        raise Invalid(
            "appointments",
            N_("expected one for the organisers, one for the federation, one for the players and two substitutes"),
        )
    for person_id, times in Counter(member.person_id for member in members).items():
        if times > 1:
            raise Invalid("appointments", N_("{person} is named twice"), {"person": person_id})
    sitting: list[Member] = []
    for member in _in_order(members, (ORGANISERS, FEDERATION, PLAYERS)):
        if (reason := _bar(member, sitting, (), origins, article)) is not None:
            raise reason
        sitting.append(member)


def convened(
    members: Sequence[Member], involved: Collection[str], origins: Origins, article: str, *, national: bool = False
) -> tuple[Member, ...]:
    """The three who sit where the players ``involved`` are in dispute: for the players the first who can.

    There are two where the players elected nobody. All who sit are apart from each other, and those of the organisers
    and the federation from ``involved``. Who sits for the players is of another country than ``involved``; where all
    players are known to be of one country, ``national``, nobody could be, and another affiliation does. Refuses, with
    everybody who is barred and why, where a place stays empty. Raises ``Invalid`` when the country of somebody who
    matters is not known.
    """
    sitting: list[Member] = []
    barred: list[Refusal] = []
    for candidates in ((ORGANISERS,), (FEDERATION,), (PLAYERS, SUBSTITUTE)):
        reasons: list[Refusal] = []
        for member in _in_order(members, candidates):
            reason = _bar(member, sitting, involved, origins, article, national=national)
            if reason is None:
                sitting.append(member)
                break
            reasons.append(reason)
        else:
            barred += reasons
    check_none(barred)
    return tuple(sitting)


def _bar(
    member: Member,
    sitting: Sequence[Member],
    involved: Collection[str],
    origins: Origins,
    article: str,
    *,
    national: bool = False,
) -> Refusal | None:
    """Why somebody cannot sit beside those who do; None when they can."""
    person, by_country = member.person_id, member.role in PLAYERS_OWN and not national
    apart = origins.of_other_country if by_country else origins.apart
    if person in involved:
        message, other = N_("{person} cannot sit on the tribunal: they are involved in the dispute."), ""
    elif other := _first_of_same(person, sorted(involved), apart):
        message = (
            N_("{person} cannot sit on the tribunal: {other}, who is involved, is of the same country.")
            if by_country
            else N_(
                "{person} cannot sit on the tribunal: {other}, who is involved, is of the same country, and not known"
                " to be of another affiliation."
            )
        )
    elif other := _first_of_same(person, [member.person_id for member in sitting], origins.apart):
        message = N_(
            "{person} cannot sit on the tribunal: {other}, who sits on it, is of the same country, and not known to be"
            " of another affiliation."
        )
    else:
        return None
    return Refusal("TRIBUNAL_BARRED", article, message, {"person": person, "other": other}, subject=f"persons/{person}")


def _first_of_same(person: str, others: Sequence[str], apart: Callable[[str, str], bool]) -> str:
    """The first of ``others`` from whom ``person`` is not apart; empty when there is none."""
    return next((other for other in others if not apart(person, other)), "")


def _in_order(members: Sequence[Member], roles: Sequence[events.TribunalRole.ValueType]) -> Iterator[Member]:
    for role in roles:
        yield from (member for member in members if member.role == role)
