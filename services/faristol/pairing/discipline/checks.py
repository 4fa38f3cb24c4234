"""What has to hold before a sanction is imposed, lifted or appealed against. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.conditions import expelled, registered
from faristol.pairing.identity import checked_id
from faristol.pairing.model import Appeal, AppealPhase, Player, Tournament
from faristol.pairing.situation import Situation
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.officials import check_not_concerned

Sanction = events.PlayerWarned | events.PlayerSanctioned | events.PlayerExpelled | events.TableSanctionNoted
"""What can be lifted, and appealed against."""

FINAL = (AppealPhase.UPHELD, AppealPhase.DISMISSED)
"""Appeals of which nothing can be changed any more."""


def sanctionable(state: Tournament, player_id: str) -> Player:
    """A player on whom a sanction can be imposed. Refuses who is not registered, was expelled, or moved away."""
    player = registered(state, player_id)
    if player.expelled:
        raise expelled(player)
    if state.division and player.never_came:
        raise Refusal(
            "LEFT_DIVISION",
            "",
            N_("{player} left division {division} before any round: impose it where they play."),
            {"player": player_id, "division": state.division},
            subject=f"players/{player_id}",
        )
    return player


def article_of(law: str) -> str:
    """The article by which officials impose a sanction. Refuses where the book knows none."""
    if not law:
        raise Refusal("NO_SANCTIONS", "", N_("These rules provide for no sanctions beyond the game."))
    return law


def check_deciders(decided_by: Sequence[str], concerned: Collection[str]) -> None:
    """Refuse an act that nobody decided, or a player whom it concerns. Raises ``Invalid`` for nobody and no ids."""
    if not decided_by:
        raise Invalid("decided_by", N_("expected the ids of those who decided it"))
    for person_id in decided_by:
        checked_id("decided_by", person_id)
    check_not_concerned("decided_by", decided_by, concerned)


def check_no_tribunal(situation: Situation) -> None:
    """Refuse to lift a sanction otherwise than on appeal, where a tribunal was appointed."""
    if situation.state.tribunal:
        raise Refusal(
            "APPEAL_NEEDED",
            situation.ruleset.law.appeal,
            N_("A tribunal of appeals was appointed: it decides whether a sanction is lifted, if the player appeals."),
        )


def sanction_of(situation: Situation, version: int) -> Sanction:
    """The sanction of a version. Refuses any other act."""
    act = situation.act(version)
    if not isinstance(act, Sanction):
        raise Refusal(
            "NO_SANCTION",
            "",
            N_("Version {version} of the history is no warning, sanction or expulsion: it is {act}."),
            {"version": version, "act": act.DESCRIPTOR.name},
        )
    return act


def is_lifted(act: Sanction, facts: Sequence[Message], version: int) -> bool:
    """Whether the sanction of ``version`` has been taken back by one of ``facts``."""
    later = facts[version:]
    if isinstance(act, events.PlayerExpelled):
        return any(isinstance(fact, events.ExpulsionLifted) and fact.player_id == act.player_id for fact in later)
    return any(
        isinstance(fact, events.WarningLifted | events.SanctionLifted) and fact.version == version for fact in later
    )


def check_not_lifted(situation: Situation, act: Sanction, version: int) -> None:
    """Refuse to lift a sanction once more, and to appeal against one that was lifted."""
    if is_lifted(act, situation.facts, version):
        raise Refusal(
            "SANCTION_LIFTED",
            act.article,
            N_("The sanction on {player} has been lifted already."),
            {"player": act.player_id},
            subject=f"players/{act.player_id}",
        )


def check_not_appealed(state: Tournament, ruleset: Ruleset, version: int) -> None:
    """Refuse to touch a sanction that the tribunal has decided on, or will."""
    for appeal in state.appeals:
        if appeal.version == version and appeal.phase in FINAL:
            raise appeal_final(ruleset, appeal)
        if appeal.version == version and appeal.phase is AppealPhase.OPEN:
            raise Refusal(
                "APPEAL_LODGED",
                ruleset.law.appeal,
                N_("{player} has appealed against that already: the tribunal decides."),
                {"player": appeal.player_id},
            )


def appeal_final(ruleset: Ruleset, appeal: Appeal) -> Refusal:
    """The refusal for an appeal that the tribunal has decided on."""
    return Refusal(
        "APPEAL_FINAL",
        ruleset.law.appeal,
        N_("The tribunal has decided on the appeal of {player}: that is final."),
        {"player": appeal.player_id},
    )


def sanction_undone_by(state: Tournament, facts: Sequence[Message], version: int, command: str) -> str:
    """The command that undoes the sanction of a version as the tournament stands; empty for none.

    It is the tribunal's where there is one: on appeal, which is final. Elsewhere it is ``command``.
    """
    phases = {appeal.phase for appeal in state.appeals if appeal.version == version}
    act = facts[version - 1]
    if phases.intersection(FINAL) or (isinstance(act, Sanction) and is_lifted(act, facts, version)):
        return ""
    if AppealPhase.OPEN in phases:
        return "DecideAppeal"
    return "LodgeAppeal" if state.tribunal else command


def lift_undone_by(state: Tournament, facts: Sequence[Message], version: int, command: str) -> str:
    """The command that imposes again what was lifted by the act of a version.

    None once the tribunal has decided, and for a sanction of a table.
    """
    lift = facts[version - 1]
    assert isinstance(lift, events.WarningLifted | events.SanctionLifted)
    if isinstance(facts[lift.version - 1], events.TableSanctionNoted):
        return ""  # it was imposed at a table, and no command of the tournament imposes it there again
    final = any(appeal.version == lift.version and appeal.phase in FINAL for appeal in state.appeals)
    return "" if final else command
