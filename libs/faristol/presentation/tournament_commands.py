"""The catalogue of the commands on a tournament: one entry each, for the command line, consoles and history. Pure.

Help, the order of fields, their kinds and the words of choices come from the contract. In sentences, ids are replaced
by names: ``{who}`` is a player or a team, and ``{game}`` its players. ``{outcome}``, after a comma, states how the game
was decided, if not by its scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from faristol.kernel.refusal import N_

HIDDEN = frozenset({"command_id", "tournament_id"})
"""Fields without an option on the command line: the command sets them."""

FOLLOWS: Mapping[str, str] = {
    "round_to_pair_again": N_("Round {round_to_pair_again} is already paired: pair it again before it starts."),
    "round_paired_without": N_(
        "Round {round_paired_without} is paired without {who}: to include {who}, unpair it and pair it "
        "again before it starts."
    ),
    "rounds_after": N_("Rounds paired with the earlier result: {rounds_after}."),
    "moved_up": N_("Entries that moved up from the waiting list: {moved_up}."),
}
"""Sentences that follow every answer with such a field."""

PROPOSED = N_("Proposal {proposal}: another official must confirm it before it takes effect.")
"""Sentence of a command that a second official must confirm, in place of its own."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command or query of the contract.

    On the command line, a field is an option of the same name: ``arbiter_id`` is ``--arbiter``, ``scores`` is
    ``--score``. The fields below ``also`` are exceptions.
    """

    verb: str = ""
    """Noun and verb on the command line: ``player add``."""
    said: str = ""
    """Sentence when it is done, an English text marked with ``N_``; empty if another module describes the answer."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Further sentences, by the field of the answer or command that must be set."""
    arguments: tuple[str, ...] | None = None
    """Fields that are positional arguments, after the tournament; None for the first field of the contract."""
    optional: frozenset[str] = frozenset()
    """Optional arguments, besides a game of a tournament (which has a table) and fields with a default."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Options with a name that differs from their fields."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Words for values of enumerations, if they differ from those of the contract."""
    new: str = ""
    """Field with the id of the created object, which is not looked up."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Values of omitted fields: as they are typed, or a rule of ``faristol.cli.defaults`` in braces."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Parts of messages that are options themselves, by the field of the message; other parts have no option."""
    hidden: frozenset[str] = frozenset()
    """Further fields without an option."""
    money: frozenset[str] = frozenset()
    """Fields with amounts, written in whole units of the currency: 12.50 for 1250 cents."""
    echoed: tuple[str, ...] = ()
    """Fields of the request that are in the JSON answer, besides ids and rounds."""

    @property
    def further(self) -> Mapping[str, str]:
        """All further sentences, by field."""
        return {**self.also, **FOLLOWS}

    def fields(self, request: Any) -> Mapping[str, Any]:
        """Return the fields of ``request``, a descriptor, that are arguments or options, by name."""
        found: dict[str, Any] = {}
        for field_ in request.fields:
            inner = field_.message_type.fields_by_name if field_.name in self.parts else {}
            found |= {part: inner[part] for part in self.parts[field_.name]} if inner else {field_.name: field_}
        return {name: field_ for name, field_ in found.items() if name not in self.hidden}

    def positional(self, request: Any) -> tuple[str, ...]:
        """Return the fields of ``request``, a descriptor, that are positional arguments.

        In a team event, a player argument means a team.
        """
        if self.arguments is not None:
            return self.arguments
        return tuple([field.name for field in request.fields if field.name not in HIDDEN][:1])


TOURNAMENT_COMMANDS: Mapping[str, Command] = {
    "CreateTournament": Command(
        "tournament create",
        N_("{name} is created: {id}, under {ruleset}, with the words of {lexicon}."),
        arguments=("tournament_id",),
        optional=frozenset({"tournament_id"}),
        new="tournament_id",
    ),
    "CreateStage": Command(
        "stage add",
        N_("{name} is added: {stage_id}, with {rounds} {rounds:round|rounds}."),
        new="stage_id",
        spelled={"stage_id": "id", "source_ids": "also-from", "first_place": "from-place", "last_place": "to-place"},
    ),
    "QualifyPlayers": Command(
        "stage qualify",
        N_("Registered by their seeds: {player_ids}."),
        {"joined_player_ids": N_("Joined: {joined_player_ids}."), "left_player_ids": N_("Left: {left_player_ids}.")},
        arguments=(),
    ),
    "RenameDivision": Command(
        "stage rename", N_("Renamed: {before}."), {"name": N_("New name: {name}.")}, optional=frozenset({"name"})
    ),
    "PreviewQualification": Command("stage preview"),
    "GetTournament": Command("tournament show"),
    "DescribeTournament": Command(
        "tournament describe",
        N_("The settings of {tournament} are changed."),
        {"parts": N_("Changed: {parts}.")},
        arguments=(),
    ),
    "ChangeOptions": Command(
        "tournament set-options",
        N_("The rules of {tournament} are changed."),
        {"rounds": N_("{tournament} has {rounds} {rounds:round|rounds}.")},
        arguments=(),
    ),
    "ChooseLexicon": Command(
        "tournament set-lexicon",
        N_("{tournament} has a lexicon now: it applies to tables that open from now on."),
        optional=frozenset({"lexicon"}),
    ),
    "ChangeRounds": Command("tournament set-rounds", N_("{tournament} has {rounds} {rounds:round|rounds}.")),
    "ArchiveTournament": Command(
        "tournament archive", N_("{tournament} is archived: it is no longer in the list of tournaments.")
    ),
    "RemoveTournament": Command("tournament remove", N_("{tournament} is removed: it is no longer public.")),
    "RestoreTournament": Command("tournament restore", N_("{tournament} is in the list of tournaments again.")),
    "ListObstacles": Command("tournament obstacles"),
    "UndoAct": Command(
        "tournament undo", N_("Command {version} is undone, by `{undone_by}`."), hidden=frozenset({"position"})
    ),
    "RegisterPlayer": Command(
        "player add",
        N_("{name} is registered: {id}, from round {round} on."),
        {
            "fictitious_half_points": N_(
                "It is a late entry, with fictitious points for pairing: {fictitious} (FISC I.4)."
            )
        },
        arguments=("name",),
        new="player_id",
        spelled={"player_id": "id"},
    ),
    "AmendPlayer": Command("player amend", N_("The entry of {who} is corrected: {parts}.")),
    "CheckInPlayer": Command("player check-in", N_("{who} is checked in.")),
    "OpenCheckIn": Command("player open-check-in", N_("The check-in for round {round} is open."), arguments=()),
    "CheckInPlayers": Command("player check-in-all", N_("Checked in: {player_ids}."), arguments=()),
    "ConfirmPresence": Command("player confirm-presence", N_("{who} is checked in.")),
    "SettleAbsences": Command("player settle-absences", N_("Absent players are settled: {player_ids}.")),
    "SetPlayerActs": Command(
        "player set-acts", N_("The actions open to players from their phones are set."), arguments=()
    ),
    "LodgePlayerRequest": Command(
        "player-request lodge", N_("Request {request} of {who} is received, for round {round}: {kind}.")
    ),
    "TakeBackPlayerRequest": Command("player-request take-back", N_("Request {request} of {who} is taken back.")),
    "AnswerPlayerRequest": Command(
        "player-request answer",
        "",
        {
            "granted": N_("Request {request} of {who} is granted."),
            "refused": N_("Request {request} of {who} is refused."),
            "taken_back": N_("Request {request} of {who} is taken back."),
        },
    ),
    "ListPlayerRequests": Command("player-request list", arguments=()),
    "CheckOutPlayer": Command("player check-out", N_("{who} is no longer checked in.")),
    "WithdrawPlayer": Command(
        "player withdraw",
        N_("{who} has withdrawn, from round {round} on."),
        {"game_id": N_("The game {game} is lost.")},
        spelled={"running_game": "game"},
        values={"lost": "given-up"},
    ),
    "ReinstatePlayer": Command("player reinstate", N_("{who} is paired again from round {round} on.")),
    "MovePlayer": Command("player move", N_("{who} is in {to_tournament_id} now."), spelled={"to_tournament_id": "to"}),
    "WarnPlayer": Command(
        "player warn",
        N_("{who} is warned. Warnings so far: {count}."),
        {"expulsion_proposed": N_("Expulsion is proposed to the organisation.")},
    ),
    "SanctionPlayer": Command("player sanction", N_("{who} is sanctioned."), spelled={"rounds": "rounds"}),
    "ExpelPlayer": Command("player expel", N_("{who} is expelled.")),
    "LodgeDataRequest": Command("data-request lodge", N_("Request {request} of {who} is received: {kind}.")),
    "AnswerDataRequest": Command(
        "data-request answer",
        "",
        {
            "corrected": N_("Request {request} of {who} is granted: the data is corrected."),
            "erased": N_(
                "Request {request} of {who} is granted: the operator of the record erases the data of the person."
            ),
            "refused": N_("Request {request} of {who} is refused."),
        },
    ),
    "RegisterTeam": Command(
        "team add",
        N_("{name} is registered: {id}, from round {round} on."),
        arguments=("name",),
        new="team_id",
        spelled={"team_id": "id"},
    ),
    "SetLineUp": Command("team set-line-up", N_("{team_id} has this line-up from round {round} on: {player_ids}.")),
    "WithdrawTeam": Command("team withdraw", N_("{who} has withdrawn, from round {round} on.")),
    "ReinstateTeam": Command("team reinstate", N_("{who} is paired again from round {round} on.")),
    "SetHalls": Command("hall set", N_("In effect from the next pairing: {halls}."), arguments=()),
    "GrantBye": Command("bye grant", N_("{who} sits out round {round}: {kind}.")),
    "RevokeBye": Command("bye revoke", N_("{who} no longer sits out round {round}.")),
    "ListDataRequests": Command(
        "data-request list", arguments=("tournament_id",), optional=frozenset({"tournament_id"})
    ),
    "RequireLicence": Command(
        "licence set",
        "",
        {
            "required": N_("Players need a licence that is valid on the first day."),
            "not required": N_("No licence is required."),
        },
        arguments=(),
    ),
    "GrantLicenceException": Command("licence except", N_("{who} may take part without the required licence.")),
    "RevokeLicenceException": Command("licence revoke", N_("{who} has no exception from the required licence.")),
    "ListMissingLicences": Command("licence list"),
    "ForbidPair": Command("pair forbid", N_("Kept apart: {who}.")),
    "AllowPair": Command("pair allow", N_("Allowed to meet again: {who}.")),
    "KeepPair": Command("pair keep", N_("Paired with each other in round {round}: {who}.")),
    "ReleasePair": Command("pair release", N_("No longer paired by hand: {who}.")),
    "PairRound": Command("round pair", defaults={"round": "{next}"}),
    "GetDraft": Command("round draft"),
    "PreviewRound": Command("round preview", arguments=()),
    "SwapPlayers": Command(
        "round swap",
        N_("Swapped in the draft of round {round}: {who}."),
        arguments=("player_ids",),
        defaults={"round": "{next}"},
    ),
    "MovePairing": Command(
        "round move",
        N_("The pairing of table {table} is at table {to_table} in the draft of round {round}."),
        arguments=("table",),
        defaults={"round": "{next}"},
    ),
    "PublishRound": Command(
        "round publish", N_("The pairing of round {round} is published."), defaults={"round": "{next}"}
    ),
    "SchedulePublication": Command(
        "round schedule",
        N_("The pairing of round {round} is published at {publish_at}."),
        arguments=("publish_at",),
        defaults={"round": "{next}"},
    ),
    "CancelPublication": Command(
        "round cancel-schedule",
        N_("The pairing of round {round} stays a draft: its publication no longer has a time."),
        arguments=(),
        defaults={"round": "{next}"},
    ),
    "UnpublishRound": Command(
        "round unpublish",
        N_("The pairing of round {round} is a draft again: it is no longer public."),
        defaults={"round": "{paired}"},
    ),
    "SetPairingPublication": Command("round set-publication", N_("Pairings are public: {publication}.")),
    "ExplainPairing": Command(
        "round explain",
        arguments=("player_id", "other_player_id"),
        optional=frozenset({"other_player_id"}),
        defaults={"round": "{last}"},
    ),
    "UnpairRound": Command(
        "round unpair",
        N_("Round {round} is no longer paired: it can be paired again."),
        defaults={"round": "{unstarted}"},
    ),
    "AnnounceRounds": Command("round announce", N_("Announced starting times: {times}."), arguments=()),
    "SendMessage": Command(
        "message send",
        N_("Message {number} is sent: {kind}."),
        {"tables": N_("To tables: {tables}."), "player_ids": N_("To: {player_ids}.")},
        arguments=("text",),
        optional=frozenset({"text"}),
        defaults={"kind": "text"},
        echoed=("kind",),
    ),
    "SetScreen": Command("screen set", N_("The screen {name} has its programme."), spelled={"programme": "part"}),
    "RemoveScreen": Command("screen remove", N_("The screen {code} is removed.")),
    "AddPicture": Command("", N_("The picture {name} is added.")),
    "RemovePicture": Command("screen remove-picture", N_("A picture is removed.")),
    "PointSlot": Command(
        "slot point",
        "",
        {
            "table": N_("Slot {slot} shows table {table}."),
            "rank": N_("Slot {slot} shows the game of the player on line {rank} of the standings."),
        },
        spelled={"for_round": "round"},
    ),
    "RemoveSlot": Command("slot remove", N_("Slot {slot} is removed.")),
    "ClaimTable": Command("slot claim", N_("Table {table} is claimed.")),
    "ReleaseClaim": Command("slot release", N_("Table {table} is released.")),
    "SetBroadcastDelay": Command("slot delay", N_("Plays and results are published after {minutes} min.")),
    "WithdrawMessage": Command("message withdraw", N_("Message {number} is withdrawn.")),
    "StartRound": Command("round start", N_("Round {round} is started."), defaults={"round": "{paired}"}),
    "CloseRound": Command("round close", N_("Round {round} is closed."), defaults={"round": "{started}"}),
    "EnterResult": Command(
        "result enter",
        N_("Entered: {scores} ({at_table}){outcome}."),
        {
            "turns_given_up": N_(
                "From the signed sheet; turns of the table that stay on the record as abandoned: {turns_given_up}."
            )
        },
    ),
    "EnterSignedSheet": Command(
        "result from-sheet",
        N_(
            "Entered from the signed sheet: {scores} ({at_table}){outcome}. "
            "The turns of the table stay on the record as abandoned."
        ),
    ),
    "CorrectOwnResult": Command(
        "result correct-own",
        N_("Corrected: {scores} ({at_table}){outcome}."),
        spelled={"scores_before": "score-before"},
    ),
    "CorrectResult": Command(
        "result correct",
        N_("Corrected: {scores} ({at_table}){outcome}."),
        spelled={"player_ids": "asked-by", "scores_before": "score-before"},
    ),
    "ConfirmResult": Command(
        "result confirm",
        N_("Confirmed: {scores} ({at_table})."),
        {"on_paper": N_("The director confirmed it by the signed slip.")},
    ),
    "ReportResult": Command("result report", N_("Reported: {scores} ({at_table}).")),
    "DecideDispute": Command("result decide", N_("The dispute is decided: {scores} ({at_table}).")),
    "GetResultCheck": Command("result show-check"),
    "SetResultCheck": Command(
        "result set-check",
        "",
        {
            "second_person": N_("A second person confirms results that an official enters."),
            "blind": N_("The second person types each result without seeing the first entry."),
            "players": N_("Players confirm the results of their games."),
            "players_enter": N_("Players enter the results of their games."),
            "no_check": N_("Results are not confirmed by a second person."),
        },
        arguments=(),
    ),
    "SetSecondOfficial": Command(
        "proposal set",
        "",
        {
            "required": N_("A second official confirms changes after a round was closed."),
            "not required": N_("Changes after a round was closed need no second official."),
        },
        arguments=(),
    ),
    "AnswerProposal": Command(
        "proposal answer",
        "",
        {
            "confirmed": N_("Proposal {proposal} of {proposer_id} is confirmed."),
            "refused": N_("Proposal {proposal} of {proposer_id} is refused."),
            "withdrawn": N_("Proposal {proposal} of {proposer_id} is withdrawn."),
        },
    ),
    "WithdrawProposal": Command("proposal withdraw", N_("Proposal {proposal} is withdrawn.")),
    "ListProposals": Command("proposal list"),
    "GiveForfeit": Command("result forfeit", N_("A forfeit: {scores} ({at_table}){outcome}.")),
    "PostponeGame": Command(
        "game postpone",
        N_("{game} is postponed to {postponed_to}."),
        spelled={"scheduled_at": "scheduled", "postponed_to": "to"},
    ),
    "CancelPostponement": Command(
        "game cancel-postponement", N_("{game} is played with its round as originally planned.")
    ),
    "StartPostponedGame": Command("game start", N_("{game} has started: the table is open, the clock runs.")),
    "FixTable": Command("table fix", N_("{who} sits at table {table}."), arguments=("player_id", "table")),
    "ReleaseTable": Command("table release", N_("{who} may sit at any table again.")),
    "LiftSanction": Command("sanction lift", N_("Command {version} is reversed.")),
    "LiftExpulsion": Command("sanction lift-expulsion", N_("The expulsion of {who} is lifted.")),
    "LodgeAppeal": Command(
        "appeal lodge",
        N_("Appeal {appeal} is lodged. Members of the tribunal: {members}."),
        spelled={"player_ids": "involved"},
    ),
    "DecideAppeal": Command(
        "appeal decide",
        "",
        {
            "upheld": N_("Appeal {appeal} is upheld: the decision is reversed."),
            "dismissed": N_("Appeal {appeal} is dismissed: the decision stands."),
        },
    ),
    "WithdrawAppeal": Command("appeal withdraw", N_("Appeal {appeal} is withdrawn.")),
    "AppointTribunal": Command(
        "tribunal appoint",
        N_("The tribunal of appeals is appointed: {appointments}."),
        arguments=(),
        spelled={"appointments": "member"},
    ),
    "PublishStandings": Command(
        "standings publish", N_("The final standings of {tournament} are published."), arguments=()
    ),
    "ReopenStandings": Command(
        "standings reopen",
        N_("The final standings of {tournament} are withdrawn: results can be corrected and rounds added."),
        arguments=(),
    ),
    "ListFinalChecks": Command("tournament checks"),
    "FinaliseTournament": Command(
        "tournament finalise",
        N_("{tournament} is finalised."),
        {"excused": N_("Excused: {excused}."), "checks": N_("Checked, without open matters: {checks}.")},
        arguments=(),
    ),
    "SetPrizeRules": Command("prize set-rules", N_("Rules of the prizes: {sharing}; {limit}."), arguments=()),
    "SetPrizeList": Command("prize set-list", N_("Prize list {list}: {name}."), money=frozenset({"amounts"})),
    "RemovePrizeList": Command("prize remove-list", N_("Prize list {list} is removed.")),
    "OfferPrizes": Command("prize offer", N_("Special prizes: {prizes}.")),
    "ListRatingSystems": Command("rating systems"),
    "ChooseRatingSystem": Command("rating choose", N_("{tournament} is rated by {system}."), echoed=("system",)),
    "SetAdjudication": Command(
        "judge mode",
        "{tournament}: {mode}",
        spelled={"lease_seconds": "lease", "escalate_after_seconds": "escalate-after"},
        defaults={"panel": "{judges}"},
        echoed=("mode",),
    ),
    "AppointJudge": Command("judge appoint", N_("{judge_id}: appointed")),
    "DismissJudge": Command("judge dismiss", N_("{judge_id}: dismissed")),
    "ChooseLayers": Command("judge layers", "{tournament}: {layers}", arguments=(), echoed=("layers",)),
    "GetAdjudication": Command("judge show"),
    "GetRulingTimes": Command("ruling stats"),
    "CorrectRuling": Command("ruling correct", N_("The ruling is corrected. Points on the spread of {who}: {points}.")),
}
"""Every command and query on a tournament with a verb on the command line, by its method."""
