"""Sanctions that are taken back: warnings, what was imposed beside the tables, expulsion. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.decide import sanctioning
from faristol.pairing.decide.corrections import found_game
from faristol.pairing.decide.counting import counting
from faristol.pairing.decide.players import reinstate
from faristol.pairing.decide.sanctions import WARNINGS, check_deciders, sanctionable
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset

Sanction = events.PlayerWarned | events.PlayerSanctioned | events.PlayerExpelled
"""What can be taken back."""


def lift_expulsion(
    state: Tournament,
    ruleset: Ruleset,
    *,
    player_id: str,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """Take an expulsion back, as those decide who decided it: the player is paired again.

    What was lost by it stays lost, and who had withdrawn before it stays withdrawn. ``divisions`` are the others of the
    championship, as for ``reinstate``. Raises ``Invalid`` when nobody decided it, ``Refusal`` where a tribunal decides
    that on appeal (FISE 49).
    """
    check_deciders(decided_by, [player_id])
    check_no_tribunal(state, ruleset)
    return _readmitted(state, player_id, decided_by, note, at, now, divisions)


def _readmitted(
    state: Tournament,
    player_id: str,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament],
) -> list[Message]:
    player = conditions.registered(state, player_id)
    if not player.expelled:
        raise Refusal("NOT_EXPELLED", "", N_("{player} has not been expelled."), {"player": player_id})
    fact = events.ExpulsionLifted(
        player_id=player_id,
        round=max(len(state.played), 1),
        decided_by=decided_by,
        note=note,
        occurred_at=to_timestamp(conditions.moment(state, at, now)),
    )
    if player.left_before:
        return [fact]
    return [fact, *reinstate(state, player_id=player_id, at=at, now=now, lifted=True, divisions=divisions)]


def check_no_tribunal(state: Tournament, ruleset: Ruleset) -> None:
    """Refuse to lift a sanction otherwise than on appeal, where a tribunal was appointed."""
    if state.tribunal:
        raise Refusal(
            "APPEAL_NEEDED",
            ruleset.law.appeal,
            N_("A tribunal of appeals was appointed: it decides whether a sanction is lifted, if the player appeals."),
        )


def lift(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    version: int,
    *,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """Take back the sanction of ``version``, from 1, of ``facts``, which are all of the tournament so far.

    Points come back and a game counts as it did; rounds that were missed stay missed. Raises ``Invalid`` when nobody
    decided it, ``Refusal`` where a tribunal decides that on appeal, for what is no sanction, and for one that was
    lifted already.
    """
    check_deciders(decided_by, [sanction_of(facts, version).player_id])
    check_no_tribunal(state, ruleset)
    return lifted(state, ruleset, facts, version, decided_by=decided_by, note=note, divisions=divisions, at=at, now=now)


def lifted(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    version: int,
    *,
    decided_by: Sequence[str],
    note: str,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """The same on appeal, and for a slip, which nobody decides on."""
    if state.over:
        raise conditions.over(state)
    act = sanction_of(facts, version)
    if is_lifted(act, facts, version):
        raise already_lifted(act)
    if isinstance(act, events.PlayerExpelled):
        return _readmitted(state, act.player_id, decided_by, note, at, now, divisions)
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    if isinstance(act, events.PlayerWarned):
        player = state.player(act.player_id)
        assert player is not None, "who was warned is registered"
        return [
            events.WarningLifted(
                player_id=act.player_id,
                round=max(len(state.played), 1),
                version=version,
                count=player.warnings - 1,
                decided_by=decided_by,
                note=note,
                occurred_at=occurred_at,
            )
        ]
    return [
        events.SanctionLifted(
            player_id=act.player_id,
            round=act.round,
            version=version,
            kind=act.kind,
            game_id=act.game_id,
            rounds=sorted(_to_come(state, act) - _kept_by_others(facts, version, act.player_id)),
            decided_by=decided_by,
            note=note,
            occurred_at=occurred_at,
        ),
        *_restored(state, ruleset, version, _at(act, occurred_at)),
    ]


def impose_again(
    state: Tournament,
    ruleset: Ruleset,
    facts: Sequence[Message],
    undone: events.WarningLifted | events.SanctionLifted,
    *,
    note: str,
    at: datetime | None,
    now: datetime,
) -> list[Message]:
    """What was imposed, once more, for it should not have been lifted.

    Raises ``Refusal`` when none of the rounds is to come of which the player was kept out.
    """
    act = sanction_of(facts, undone.version)
    player = sanctionable(state, act.player_id)
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    if isinstance(act, events.PlayerSanctioned):
        once_more = _at(act, occurred_at)
        once_more.note = note
        once_more.rounds[:] = sorted(_to_come(state, act))
        if act.rounds and not once_more.rounds:
            raise Refusal(
                "ROUND_NOT_TO_COME",
                "",
                N_("No round that {player} was excluded from is left to play."),
                {"player": act.player_id},
            )
        return [once_more, *sanctioning.consequences(state, ruleset, once_more)]
    assert isinstance(act, events.PlayerWarned), "an expulsion is not undone"
    warned = events.PlayerWarned()
    warned.CopyFrom(act)
    warned.count = player.warnings + 1
    warned.expulsion_proposed = warned.count >= WARNINGS
    warned.note = note
    warned.occurred_at.CopyFrom(occurred_at)
    return [warned]


def sanction_of(facts: Sequence[Message], version: int) -> Sanction:
    """The sanction of a version. Refuses any other act."""
    act = facts[version - 1]
    if not isinstance(act, Sanction):
        raise Refusal(
            "NO_SANCTION",
            "",
            N_("Version {version} of the history is no warning, sanction or expulsion: it is {act}."),
            {"version": version, "act": act.DESCRIPTOR.name},
        )
    return act


def already_lifted(act: Sanction) -> Refusal:
    """What is answered to whoever would lift a sanction once more, or appeal against it."""
    return Refusal(
        "SANCTION_LIFTED",
        act.article,
        N_("The sanction on {player} has been lifted already."),
        {"player": act.player_id},
        subject=f"players/{act.player_id}",
    )


def is_lifted(act: Sanction, facts: Sequence[Message], version: int) -> bool:
    """Whether the sanction of ``version`` has been taken back by one of ``facts``."""
    later = facts[version:]
    if isinstance(act, events.PlayerExpelled):
        return any(isinstance(one, events.ExpulsionLifted) and one.player_id == act.player_id for one in later)
    return any(
        isinstance(one, events.WarningLifted | events.SanctionLifted) and one.version == version for one in later
    )


def _to_come(state: Tournament, act: events.PlayerSanctioned) -> set[int]:
    """The rounds of a sanction that have not been started: one that is paired can be paired again."""
    return {number for number in act.rounds if number >= state.next_to_start}


def _kept_by_others(facts: Sequence[Message], version: int, player_id: str) -> set[int]:
    """The rounds that other sanctions on the player keep them out of."""
    return {
        number
        for other, one in enumerate(facts, start=1)
        if isinstance(one, events.PlayerSanctioned) and one.player_id == player_id and other != version
        if not is_lifted(one, facts, other)
        for number in one.rounds
    }


def _at(act: events.PlayerSanctioned, occurred_at: Timestamp) -> events.PlayerSanctioned:
    """The same sanction, at another moment."""
    moved = events.PlayerSanctioned()
    moved.CopyFrom(act)
    moved.occurred_at.CopyFrom(occurred_at)
    return moved


def _restored(state: Tournament, ruleset: Ruleset, version: int, sanction: events.PlayerSanctioned) -> list[Message]:
    """What a game comes to without the sanction of ``version``."""
    if not sanction.game_id:
        return []
    if sanctioning.beside_result(ruleset, sanction):
        return [sanctioning.points_changed(sanction, sanction.points)]
    one, pairing = found_game(state, sanction.game_id)
    return [
        counting(
            ruleset,
            one.number,
            pairing,
            one.without_sanctions(sanction.game_id),
            [left for left in one.game_sanctions[sanction.game_id] if left.version != version],
            arbiter_id=sanction.arbiter_id,
            occurred_at=sanction.occurred_at,
        )
    ]
