"""Checks before a sanction is imposed, lifted or appealed against. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_id
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.officials import check_not_concerned
from faristol.tournament.conditions import build_expelled_refusal, build_player_refusal, find_registered_player
from faristol.tournament.situation import Situation
from faristol.tournament.state import Appeal, AppealPhase, PlayerState, Sanction, TournamentState

FINAL = (AppealPhase.UPHELD, AppealPhase.DISMISSED)
"""Phases of appeals with a final decision."""


def sanctionable(state: TournamentState, player_id: str) -> PlayerState:
    """Return a registered player who can be sanctioned. Raises ``Refusal`` if expelled or moved to another division."""
    player = find_registered_player(state, player_id)
    if player.expelled:
        raise build_expelled_refusal(player)
    if state.division and player.never_came:
        raise Refusal(
            "LEFT_DIVISION",
            N_("{player} left division {division} before any round: impose the sanction in the present division."),
            {"player": player_id, "division": state.division},
            subject=f"players/{player_id}",
        )
    return player


def article_of(law: str) -> str:
    """Return the article on sanctions by officials. Raises ``Refusal`` if the book has none."""
    if not law:
        raise Refusal("NO_SANCTIONS", N_("These rules provide for no sanctions outside a game."))
    return law


def check_deciders(decided_by: Sequence[str], concerned: Collection[str]) -> None:
    """Raise ``Refusal`` if a decider is a player concerned, ``Invalid`` without deciders or for a malformed id."""
    if not decided_by:
        raise Invalid("decided_by", N_("expected the persons who decided it"))
    for person_id in decided_by:
        check_id("decided_by", person_id)
    check_not_concerned("decided_by", decided_by, concerned)


def check_no_tribunal(situation: Situation) -> None:
    """Raise ``Refusal`` if a tribunal was appointed: it then lifts sanctions, on appeal only."""
    if situation.state.tribunal:
        raise Refusal(
            "APPEAL_NEEDED",
            N_("A tribunal of appeals was appointed: if the player appeals, it decides whether a sanction is lifted."),
            article=situation.ruleset.law.appeal,
        )


def sanction_of(situation: Situation, version: int) -> Sanction:
    """Return the sanction of a version. Raises ``Refusal`` for any other event."""
    act = situation.act(version)
    if not isinstance(act, Sanction):
        raise Refusal(
            "NO_SANCTION",
            N_("Version {version} of the history is not a warning, sanction or expulsion: it is {act}."),
            {"version": version, "act": act.DESCRIPTOR.name},
        )
    return act


def is_lifted(act: Sanction, past_events: Sequence[Message], version: int) -> bool:
    """Check whether one of ``past_events`` lifts the sanction of ``version``."""
    later = past_events[version:]
    if isinstance(act, events.PlayerExpelled):
        return any(isinstance(event, events.ExpulsionLifted) and event.player_id == act.player_id for event in later)
    return any(
        isinstance(event, events.WarningLifted | events.SanctionLifted) and event.version == version for event in later
    )


def check_not_lifted(situation: Situation, act: Sanction, version: int) -> None:
    """Raise ``Refusal`` if the sanction is already lifted."""
    if is_lifted(act, situation.past_events, version):
        raise build_player_refusal(
            "SANCTION_LIFTED", act.article, N_("The sanction on {player} has already been lifted."), act.player_id
        )


def check_not_appealed(state: TournamentState, ruleset: Ruleset, version: int) -> None:
    """Raise ``Refusal`` if an appeal against the sanction is open or decided."""
    for appeal in state.appeals:
        if appeal.version == version and appeal.phase in FINAL:
            raise appeal_final(ruleset, appeal)
        if appeal.version == version and appeal.phase is AppealPhase.OPEN:
            raise Refusal(
                "APPEAL_LODGED",
                N_("{player} has already appealed against that: the tribunal decides."),
                {"player": appeal.player_id},
                article=ruleset.law.appeal,
            )


def appeal_final(ruleset: Ruleset, appeal: Appeal) -> Refusal:
    """Return the refusal for a decided appeal."""
    return Refusal(
        "APPEAL_FINAL",
        N_("The tribunal has decided on the appeal of {player}: the decision is final."),
        {"player": appeal.player_id},
        article=ruleset.law.appeal,
    )


def sanction_undone_by(state: TournamentState, past_events: Sequence[Message], version: int, command: str) -> str:
    """Return the name of the command that can undo the sanction of a version now; empty for none.

    With a tribunal it is an appeal or its decision, which is final. Otherwise it is ``command``.
    """
    phases = {appeal.phase for appeal in state.appeals if appeal.version == version}
    act = past_events[version - 1]
    if phases.intersection(FINAL) or (isinstance(act, Sanction) and is_lifted(act, past_events, version)):
        return ""
    if AppealPhase.OPEN in phases:
        return "DecideAppeal"
    return "LodgeAppeal" if state.tribunal else command


def lift_undone_by(state: TournamentState, past_events: Sequence[Message], version: int, command: str) -> str:
    """Return the name of the command that can impose again the sanction that the event of a version lifted.

    Returns an empty string for a sanction of a table, and after the tribunal has decided.
    """
    lift = past_events[version - 1]
    assert isinstance(lift, events.WarningLifted | events.SanctionLifted)
    if isinstance(past_events[lift.version - 1], events.TableSanctionNoted):
        return ""  # it was imposed at a table, and no command of the tournament can impose it there again
    final = any(appeal.version == lift.version and appeal.phase in FINAL for appeal in state.appeals)
    return "" if final else command
