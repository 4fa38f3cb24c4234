"""Appeals against sanctions, and the tribunal that decides on them (FISE 49, 50). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, tribunal
from faristol.pairing.decide.lifting import Sanction, already_lifted, is_lifted, lifted, sanction_of
from faristol.pairing.identity import checked_id
from faristol.pairing.model import Appeal, AppealPhase, Member, Phase, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset

DECIDED = (AppealPhase.UPHELD, AppealPhase.DISMISSED)
"""Appeals of which nothing can be changed any more."""


def appoint(
    state: Tournament,
    ruleset: Ruleset,
    *,
    members: Sequence[Member],
    belonging: tribunal.Belonging,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Appoint the tribunal, in place of the one before; the players' representatives before the tournament begins.

    Where they were not, the other two are appointed without them. Raises ``Invalid`` for members whom the book does not
    want and where a country is missing, ``Refusal`` where the book has no tribunal, for two who are of the same country
    and not known to be of different affiliations, and for other representatives of the players once a round has begun.
    """
    article = ruleset.law.tribunal
    if state.over:
        raise conditions.over(state)
    if not article:
        raise Refusal("NO_TRIBUNAL", "", N_("These rules provide for no tribunal of appeals."))
    for one in members:
        checked_id("appointments", one.person_id)
    begun, elected = _begun(state), _players_own(state.tribunal)
    if begun and not elected and _players_own(members):
        raise Refusal(
            "TOURNAMENT_BEGUN",
            article,
            N_(
                "The players’ representative and the substitutes were to be chosen before the tournament began: appoint"
                " those of the organisers and the federation without them."
            ),
        )
    tribunal.check_composition(members, belonging, article, elected=bool(elected) or not begun)
    if begun and _players_own(members) != elected:
        raise Refusal(
            "TOURNAMENT_BEGUN",
            article,
            N_("The players’ representative and the substitutes are chosen before the tournament begins."),
        )
    return [
        events.TribunalAppointed(
            members=[one.message() for one in members],
            article=article,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]


def lodge(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    version: int,
    *,
    player_id: str,
    others: Sequence[str],
    belonging: tribunal.Belonging,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """Appeal against the sanction of ``version``, from 1, of ``facts``, which are all of the tournament so far.

    The three who sit are chosen from the tribunal, apart in country or affiliation from ``others``, from who appeals,
    and from who plays the game that it is about. Raises ``Invalid`` where a country is missing and for who is no
    player, ``Refusal`` where the book knows no appeal, without a tribunal, for what is no sanction or was lifted, for
    one on somebody else, in a matter that was appealed before, and when too few can sit.
    """
    if state.over:
        raise conditions.over(state)
    act = sanction_of(facts, version)
    _check_appeal(state, ruleset, act, player_id, version)
    if is_lifted(act, facts, version):
        raise already_lifted(act)
    involved = sorted({player_id, *others, *_players_of_game(state, act)})
    for one in involved:
        if state.player(one) is None:
            raise Invalid("player_ids", N_("{player} is not a player of the tournament"), {"player": one[:100]})
    national = belonging.of_one_country(one.player_id for one in state.players)
    members = tribunal.convened(state.tribunal, involved, belonging, ruleset.law.tribunal, national=national)
    return [
        events.AppealLodged(
            appeal=len(state.appeals) + 1,
            player_id=player_id,
            version=version,
            player_ids=involved,
            members=[one.message() for one in members],
            article=ruleset.law.appeal,
            note=note,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]


def decide_appeal(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    *,
    appeal: int,
    upheld: bool,
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """What the tribunal decided on an appeal, finally; one that is upheld takes the sanction back.

    ``divisions`` are the others of the championship, as for ``reinstate``. Raises ``Refusal`` for an appeal that there
    is not, and for one that has been decided or was taken back.
    """
    found = _waiting(state, ruleset, appeal)
    decided = events.AppealDecided(
        appeal=appeal,
        player_id=found.player_id,
        version=found.version,
        upheld=upheld,
        members=[one.message() for one in found.members],
        article=ruleset.law.appeal,
        note=note,
        occurred_at=to_timestamp(conditions.moment(state, at, now)),
    )
    if not upheld:
        return [decided]
    sat = [one.person_id for one in found.members]
    lifting = lifted(state, ruleset, facts, found.version, decided_by=sat, note="", at=at, now=now, divisions=divisions)
    return [decided, *lifting]


def withdraw_appeal(
    state: Tournament, ruleset: Ruleset, *, appeal: int, note: str, at: datetime | None, now: datetime
) -> list[Message]:
    """Take an appeal back, such as one lodged by a slip: the act can be appealed against anew.

    Raises ``Refusal`` for an appeal that there is not, and for one that has been decided or was taken back.
    """
    found = _waiting(state, ruleset, appeal)
    return [
        events.AppealWithdrawn(
            appeal=appeal,
            player_id=found.player_id,
            version=found.version,
            note=note,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]


def _waiting(state: Tournament, ruleset: Ruleset, appeal: int) -> Appeal:
    """The appeal of a number on which the tribunal has to decide. Refuses any other."""
    if state.over:
        raise conditions.over(state)
    if not 1 <= appeal <= len(state.appeals):
        raise Refusal("NO_APPEAL", "", N_("There is no appeal {appeal}."), {"appeal": appeal})
    found = state.appeals[appeal - 1]
    if found.phase in DECIDED:
        raise _final(ruleset, found)
    if found.phase is AppealPhase.WITHDRAWN:
        raise Refusal(
            "APPEAL_WITHDRAWN",
            ruleset.law.appeal,
            N_("Appeal {appeal}, of {player}, was taken back: lodge another."),
            {"appeal": appeal, "player": found.player_id},
        )
    return found


def _check_appeal(state: Tournament, ruleset: Ruleset, act: Sanction, player_id: str, version: int) -> None:
    """Refuse an appeal that the book does not know, that is nobody's there, or that was lodged before."""
    if not ruleset.law.appeal:
        raise Refusal(
            "SANCTION_FINAL",
            ruleset.law.sanctions,
            N_("These rules provide for no appeal: the person who decided on a sanction can lift it."),
        )
    if player_id != act.player_id:
        raise Refusal(
            "NOT_SANCTIONED",
            ruleset.law.appeal,
            N_("The sanction is on {sanctioned}: {player} cannot appeal against it."),
            {"sanctioned": act.player_id, "player": player_id[:100]},
        )
    check_not_appealed(state, ruleset, version)
    if not state.tribunal and _begun(state):
        raise Refusal(
            "NO_TRIBUNAL",
            ruleset.law.tribunal,
            N_(
                "No tribunal of appeals was appointed before the tournament began, and the players can choose nobody"
                " any more. The organisers can still appoint a representative of theirs and one of the federation, or"
                " who decided on the sanction lifts it."
            ),
        )
    if not state.tribunal:
        raise Refusal(
            "NO_TRIBUNAL", ruleset.law.tribunal, N_("No tribunal of appeals was appointed: appoint one first.")
        )


def check_not_appealed(state: Tournament, ruleset: Ruleset, version: int) -> None:
    """Refuse to touch a sanction that the tribunal has decided on, or will."""
    for one in state.appeals:
        if one.version == version and one.phase in DECIDED:
            raise _final(ruleset, one)
        if one.version == version and one.phase is AppealPhase.OPEN:
            raise Refusal(
                "APPEAL_LODGED",
                ruleset.law.appeal,
                N_("{player} has appealed against that already: the tribunal decides."),
                {"player": one.player_id},
            )


def _final(ruleset: Ruleset, appeal: Appeal) -> Refusal:
    return Refusal(
        "APPEAL_FINAL",
        ruleset.law.appeal,
        N_("The tribunal has decided on the appeal of {player}: that is final."),
        {"player": appeal.player_id},
    )


def _players_of_game(state: Tournament, act: Sanction) -> tuple[str, ...]:
    """Who plays the game that a sanction is about; nobody where it is about none."""
    found = state.find_game(act.game_id) if isinstance(act, events.PlayerSanctioned) else None
    return found[1].player_ids if found else ()


def _begun(state: Tournament) -> bool:
    return any(one.phase is not Phase.PAIRED for one in state.played)


def _players_own(members: Sequence[Member]) -> set[Member]:
    return {one for one in members if one.role in tribunal.PLAYERS_OWN}
