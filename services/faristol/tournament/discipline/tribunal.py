"""The composition of the tribunal of appeals (FISE 50). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.tournament.state import Origins

Member = events.TribunalMember

ORGANISERS, FEDERATION, PLAYERS, SUBSTITUTE = (
    events.TRIBUNAL_ROLE_ORGANISERS,
    events.TRIBUNAL_ROLE_FEDERATION,
    events.TRIBUNAL_ROLE_PLAYERS,
    events.TRIBUNAL_ROLE_SUBSTITUTE,
)

COMPOSITION: Mapping[events.TribunalRole.ValueType, int] = {ORGANISERS: 1, FEDERATION: 1, PLAYERS: 1, SUBSTITUTE: 2}
"""Number of members by role."""

UNELECTED: Mapping[events.TribunalRole.ValueType, int] = {ORGANISERS: 1, FEDERATION: 1}
"""Number of members by role, if the players elected none in time."""

PLAYERS_OWN = (PLAYERS, SUBSTITUTE)
"""Roles that the players elect before the tournament begins."""


def check_composition(members: Sequence[Member], origins: Origins, article: str, *, elected: bool) -> None:
    """Raise ``Refusal`` if two regular members of a tribunal do not differ in country or affiliation.

    ``elected`` means that the players have, or can have, a representative. Raises ``Invalid`` if the roles are not
    those of the book, or if a person is named twice.
    """
    roles = Counter(member.role for member in members)
    if not elected and roles != UNELECTED:
        raise Invalid("appointments", N_("expected only one for the organisers and one for the federation"))
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


def choose_tribunal(
    members: Sequence[Member], involved: Collection[str], origins: Origins, article: str, *, national: bool = False
) -> tuple[Member, ...]:
    """Return the three members who sit on an appeal of the players ``involved``.

    The first eligible player member sits; without elected ones, two sit. All of them differ in country or affiliation,
    and those of the organisers and the federation from ``involved``. The player member has a country other than
    ``involved``; if all players are known to be of one country (``national``), another affiliation is enough. Raises
    ``Refusal`` with the reason against every barred member if a place stays empty. Raises ``Invalid`` if a needed
    country is unknown.
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
    """Return the reason why a member cannot sit with the others, or None."""
    person, by_country = member.person_id, member.role in PLAYERS_OWN and not national
    apart = origins.of_other_country if by_country else origins.apart
    if person in involved:
        message, other = N_("{person} cannot sit on the tribunal: they are involved in the dispute."), ""
    elif other := _first_of_same(person, sorted(involved), apart):
        message = (
            N_("{person} cannot sit on the tribunal: {other}, who is involved, is of the same country.")
            if by_country
            else N_(
                "{person} cannot sit on the tribunal: {other}, who is involved, is of the same country, and a "
                "different affiliation is not known."
            )
        )
    elif other := _first_of_same(person, [member.person_id for member in sitting], origins.apart):
        message = N_(
            "{person} cannot sit on the tribunal: {other}, who sits on it, is of the same country, and a "
            "different affiliation is not known."
        )
    else:
        return None
    return Refusal(
        "TRIBUNAL_BARRED", message, {"person": person, "other": other}, article=article, subject=f"persons/{person}"
    )


def _first_of_same(person: str, others: Sequence[str], apart: Callable[[str, str], bool]) -> str:
    """Return the first of ``others`` who is not ``apart`` from ``person``; empty for none."""
    return next((other for other in others if not apart(person, other)), "")


def _in_order(members: Sequence[Member], roles: Sequence[events.TribunalRole.ValueType]) -> Iterator[Member]:
    for role in roles:
        yield from (member for member in members if member.role == role)
