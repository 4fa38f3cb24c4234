"""How methods of the contract are said on the command line: what stands behind the verb, and the answer.

Nouns and verbs are in ``commands``. What an act has as a field is an option of the same name (``arbiter_id`` is
``--arbiter``, ``scores`` is ``--score``), and its help is the comment of the contract; here is what is otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from faristol.kernel.refusal import N_

HIDDEN = frozenset({"command_id", "tournament_id"})
"""Fields that are no options: the command sets them."""

FOLLOWS: Mapping[str, str] = {
    "round_to_pair_again": N_("Round {round_to_pair_again} is paired already: pair it again before it starts."),
    "round_paired_without": N_(
        "Round {round_paired_without} is paired without {who}: for {who} to play in it, unpair it and pair it again "
        "before it starts."
    ),
    "rounds_after": N_("Rounds that were paired with the result as it was: {rounds_after}."),
}
"""What is said behind every answer that has such a field."""

Which = Literal["", "next", "paired", "started", "last"]


@dataclass(frozen=True, slots=True)
class Act:
    """How one method is said."""

    arguments: tuple[str, ...] | None = None
    """Fields that are positional arguments, after the tournament; None for the first that the contract has."""
    optional: frozenset[str] = frozenset()
    """Arguments that may be left out, beside a game (it has a table) and a round where ``round`` says which."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Options of another name than their fields."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Values of enumerations by the words for them, where these are others than those of the contract."""
    new: str = ""
    """The field with the id of what is created: it is not looked up."""
    round: Which = ""
    """The round that is meant where none is given."""
    unsaid: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)
    """The number of a field where none is given, and another field has a certain word."""
    echoed: tuple[str, ...] = ()
    """Fields of the request that are part of the JSON answer, beside ids and rounds."""
    said: str = ""
    """The answer as a sentence. Ids are names in it; ``{who}`` is a player or a team, ``{game}`` who plays it, and
    ``{outcome}``, with a comma before it, how it was decided if not by its scores."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Further sentences, by the field of the answer or of the command that has to say something."""

    def positional(self, request: Any) -> tuple[str, ...]:
        """The fields of ``request``, a descriptor, that are positional arguments.

        A player means a team where teams meet.
        """
        if self.arguments is not None:
            return self.arguments
        return tuple([field.name for field in request.fields if field.name not in HIDDEN][:1])

    @property
    def sentences(self) -> Mapping[str, str]:
        """All further sentences, by their fields."""
        return {**self.also, **FOLLOWS}


ACTS: Mapping[str, Act] = {
    "CreateTournament": Act(
        arguments=("tournament_id",),
        optional=frozenset({"tournament_id"}),
        new="tournament_id",
        said=N_("{name} is created: {id}, under {ruleset}, with the words of {lexicon}."),
    ),
    "ChangeRounds": Act(said=N_("{tournament} has {rounds} rounds.")),
    "RegisterPlayer": Act(
        arguments=("name",),
        new="player_id",
        spelled={"player_id": "id"},
        said=N_("{name} is registered: {id}, from round {round} on."),
        also={
            "fictitious_half_points": N_(
                "It is a late entry, with fictitious points for pairing: {fictitious} (FISC I.4)."
            )
        },
    ),
    "RegisterTeam": Act(
        arguments=("name",),
        new="team_id",
        spelled={"team_id": "id"},
        said=N_("{name} is registered: {id}, from round {round} on."),
    ),
    "SetLineUp": Act(said=N_("{team_id} has this line-up from round {round} on: {player_ids}.")),
    "WithdrawTeam": Act(said=N_("{who} has withdrawn, from round {round} on.")),
    "ReinstateTeam": Act(said=N_("{who} is paired again from round {round} on.")),
    "CheckInPlayer": Act(said=N_("{who} is checked in.")),
    "CheckOutPlayer": Act(said=N_("{who} is not checked in any more.")),
    "WithdrawPlayer": Act(
        spelled={"running_game": "game"},
        values={"lost": "given-up"},
        said=N_("{who} has withdrawn, from round {round} on."),
        also={"game_id": N_("The game {game} is lost.")},
    ),
    "ReinstatePlayer": Act(said=N_("{who} is paired again from round {round} on.")),
    "MovePlayer": Act(spelled={"to_tournament_id": "to"}, said=N_("{who} is in {to_tournament_id} now.")),
    "WarnPlayer": Act(
        said=N_("{who} is warned. Warnings so far: {count}."),
        also={"expulsion_proposed": N_("Expulsion is put forward to the organisation.")},
    ),
    "ExpelPlayer": Act(said=N_("{who} is expelled.")),
    "LiftExpulsion": Act(said=N_("The expulsion of {who} is lifted.")),
    "SanctionPlayer": Act(spelled={"rounds": "rounds", "game_id": "game"}, said=N_("{who} is sanctioned.")),
    "LiftSanction": Act(said=N_("Act {version} is lifted.")),
    "AppointTribunal": Act(
        arguments=(),
        spelled={"appointments": "member"},
        said=N_("The tribunal of appeals is appointed: {appointments}."),
    ),
    "LodgeAppeal": Act(spelled={"player_ids": "involved"}, said=N_("Appeal {appeal} is lodged. Who sits: {members}.")),
    "WithdrawAppeal": Act(said=N_("Appeal {appeal} is withdrawn.")),
    "DecideAppeal": Act(
        also={
            "upheld": N_("Appeal {appeal} is upheld: the act is taken back."),
            "dismissed": N_("Appeal {appeal} is dismissed: the act stands."),
        }
    ),
    "SetHalls": Act(arguments=(), said=N_("From the next pairing on: {halls}.")),
    "FixTable": Act(arguments=("player_id", "table"), said=N_("{who} sits at table {table}.")),
    "ReleaseTable": Act(said=N_("{who} may sit at any table again.")),
    "GrantBye": Act(said=N_("{who} sits round {round} out: {kind}.")),
    "RevokeBye": Act(said=N_("{who} does not sit round {round} out any more.")),
    "PairRound": Act(round="next"),
    "UnpairRound": Act(round="paired", said=N_("Round {round} is not paired any more: it can be paired again.")),
    "ForbidPair": Act(said=N_("Kept apart: {who}.")),
    "AllowPair": Act(said=N_("They may meet again: {who}.")),
    "KeepPair": Act(said=N_("They meet in round {round}: {who}.")),
    "ReleasePair": Act(said=N_("They are paired like everybody else again: {who}.")),
    "ListObstacles": Act(),
    "ExplainPairing": Act(
        arguments=("player_id", "other_player_id"), optional=frozenset({"other_player_id"}), round="last"
    ),
    "StartRound": Act(round="paired", said=N_("Round {round} is started: its tables are open, the clocks run.")),
    "GiveForfeit": Act(said=N_("A forfeit: {scores} ({at_table}){outcome}.")),
    "EnterResult": Act(said=N_("Entered: {scores} ({at_table}){outcome}.")),
    "CorrectResult": Act(
        spelled={"player_ids": "asked-by", "scores_before": "score-before"},
        said=N_("Corrected: {scores} ({at_table}){outcome}."),
    ),
    "CorrectRuling": Act(said=N_("The ruling is put right. Points on the spread of {who}: {points}.")),
    "PostponeGame": Act(
        spelled={"scheduled_at": "scheduled", "postponed_to": "to"}, said=N_("{game} is postponed to {postponed_to}.")
    ),
    "CancelPostponement": Act(said=N_("{game} is played with its round again.")),
    "StartPostponedGame": Act(said=N_("{game} has started: the table is open, the clock runs.")),
    "CloseRound": Act(round="started", said=N_("Round {round} is closed.")),
    "OfferPrizes": Act(optional=frozenset({"prizes"}), said=N_("Special prizes: {prizes}.")),
    "PublishStandings": Act(arguments=(), said=N_("The final standings of {tournament} are published.")),
    "ReopenStandings": Act(
        arguments=(),
        said=N_("The final standings of {tournament} are taken back: results can be corrected and rounds added."),
    ),
    "UndoAct": Act(said=N_("Act {version} is undone, by `{undone_by}`.")),
    "GetTournament": Act(),
    "ChooseRatingSystem": Act(echoed=("system",), said=N_("{tournament} is rated by {system}.")),
    "SetAdjudication": Act(
        spelled={"lease_seconds": "lease", "escalate_after_seconds": "escalate-after"},
        unsaid={"panel": ("mode", "panel", 3)},
        echoed=("mode",),
        said="{tournament}: {mode}",
    ),
    "AppointJudge": Act(said=N_("{judge_id}: appointed")),
    "DismissJudge": Act(said=N_("{judge_id}: dismissed")),
    "ChooseLayers": Act(arguments=(), echoed=("layers",), said="{tournament}: {layers}"),
    "GetAdjudication": Act(),
    "GetRulingTimes": Act(),
    "ListRatingSystems": Act(),
}
