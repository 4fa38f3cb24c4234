"""Sentences for the answers to commands and for the history. Pure.

Ids in them are replaced by names. ``{who}`` is a player or a team, and ``{game}`` its players. ``{outcome}``, after a
comma, is how the game was decided if not by its scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events

FOLLOWS: Mapping[str, str] = {
    "round_to_pair_again": N_("Round {round_to_pair_again} is already paired: pair it again before it starts."),
    "round_paired_without": N_(
        "Round {round_paired_without} is paired without {who}: to include {who}, unpair it and pair it "
        "again before it starts."
    ),
    "rounds_after": N_("Rounds paired with the earlier result: {rounds_after}."),
}
"""Sentences that follow every answer with such a field."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences for an accepted command."""

    said: str = ""
    """First sentence, an English text marked with ``N_``."""
    also: Mapping[str, str] = field(default_factory=dict)
    """Further sentences, by the field of the answer or command that must be set."""

    @property
    def further(self) -> Mapping[str, str]:
        """All further sentences, by field."""
        return {**self.also, **FOLLOWS}


SENTENCES: Mapping[str, Sentences] = {
    "CreateTournament": Sentences(N_("{name} is created: {id}, under {ruleset}, with the words of {lexicon}.")),
    "DescribeTournament": Sentences(
        N_("The settings of {tournament} are changed."), {"parts": N_("Changed: {parts}.")}
    ),
    "ChangeOptions": Sentences(N_("The rules of {tournament} are changed.")),
    "ChooseLexicon": Sentences(N_("{tournament} has a lexicon now: it applies to tables that open from now on.")),
    "ArchiveTournament": Sentences(N_("{tournament} is archived: it is no longer in the list of tournaments.")),
    "RemoveTournament": Sentences(N_("{tournament} is removed: it is no longer public.")),
    "RestoreTournament": Sentences(N_("{tournament} is in the list of tournaments again.")),
    "ChangeRounds": Sentences(N_("{tournament} has {rounds} rounds.")),
    "RegisterPlayer": Sentences(
        N_("{name} is registered: {id}, from round {round} on."),
        {
            "fictitious_half_points": N_(
                "It is a late entry, with fictitious points for pairing: {fictitious} (FISC I.4)."
            )
        },
    ),
    "AmendPlayer": Sentences(N_("The entry of {who} is corrected: {parts}.")),
    "LodgeDataRequest": Sentences(N_("Request {request} of {who} is received: {kind}.")),
    "AnswerDataRequest": Sentences(
        "",
        {
            "corrected": N_("Request {request} of {who} is granted: the data is corrected."),
            "erased": N_(
                "Request {request} of {who} is granted: the operator of the record erases the data of the person."
            ),
            "refused": N_("Request {request} of {who} is refused."),
        },
    ),
    "RegisterTeam": Sentences(N_("{name} is registered: {id}, from round {round} on.")),
    "SetLineUp": Sentences(N_("{team_id} has this line-up from round {round} on: {player_ids}.")),
    "WithdrawTeam": Sentences(N_("{who} has withdrawn, from round {round} on.")),
    "ReinstateTeam": Sentences(N_("{who} is paired again from round {round} on.")),
    "CheckInPlayer": Sentences(N_("{who} is checked in.")),
    "CheckInPlayers": Sentences(N_("Checked in: {player_ids}.")),
    "CheckOutPlayer": Sentences(N_("{who} is no longer checked in.")),
    "WithdrawPlayer": Sentences(
        N_("{who} has withdrawn, from round {round} on."), {"game_id": N_("The game {game} is lost.")}
    ),
    "ReinstatePlayer": Sentences(N_("{who} is paired again from round {round} on.")),
    "MovePlayer": Sentences(N_("{who} is in {to_tournament_id} now.")),
    "WarnPlayer": Sentences(
        N_("{who} is warned. Warnings so far: {count}."),
        {"expulsion_proposed": N_("Expulsion is proposed to the organisation.")},
    ),
    "ExpelPlayer": Sentences(N_("{who} is expelled.")),
    "LiftExpulsion": Sentences(N_("The expulsion of {who} is lifted.")),
    "SanctionPlayer": Sentences(N_("{who} is sanctioned.")),
    "LiftSanction": Sentences(N_("Act {version} is lifted.")),
    "AppointTribunal": Sentences(N_("The tribunal of appeals is appointed: {appointments}.")),
    "LodgeAppeal": Sentences(N_("Appeal {appeal} is lodged. Members of the tribunal: {members}.")),
    "WithdrawAppeal": Sentences(N_("Appeal {appeal} is withdrawn.")),
    "DecideAppeal": Sentences(
        "",
        {
            "upheld": N_("Appeal {appeal} is upheld: the decision is reversed."),
            "dismissed": N_("Appeal {appeal} is dismissed: the decision stands."),
        },
    ),
    "SetHalls": Sentences(N_("In effect from the next pairing: {halls}.")),
    "AnnounceRounds": Sentences(N_("Announced starting times: {times}.")),
    "FixTable": Sentences(N_("{who} sits at table {table}.")),
    "ReleaseTable": Sentences(N_("{who} may sit at any table again.")),
    "GrantBye": Sentences(N_("{who} sits round {round} out: {kind}.")),
    "RevokeBye": Sentences(N_("{who} no longer sits out round {round}.")),
    "UnpairRound": Sentences(N_("Round {round} is no longer paired: it can be paired again.")),
    "ForbidPair": Sentences(N_("Kept apart: {who}.")),
    "AllowPair": Sentences(N_("Allowed to meet again: {who}.")),
    "KeepPair": Sentences(N_("Paired with each other in round {round}: {who}.")),
    "ReleasePair": Sentences(N_("No longer paired by hand: {who}.")),
    "StartRound": Sentences(N_("Round {round} is started.")),
    "GiveForfeit": Sentences(N_("A forfeit: {scores} ({at_table}){outcome}.")),
    "EnterResult": Sentences(
        N_("Entered: {scores} ({at_table}){outcome}."),
        {
            "turns_given_up": N_(
                "From the signed sheet; turns of the table that stay on the record as abandoned: {turns_given_up}."
            )
        },
    ),
    "EnterSignedSheet": Sentences(
        N_(
            "Entered from the signed sheet: {scores} ({at_table}){outcome}. "
            "The turns of the table stay on the record as abandoned."
        )
    ),
    "CorrectResult": Sentences(N_("Corrected: {scores} ({at_table}){outcome}.")),
    "CorrectOwnResult": Sentences(N_("Corrected: {scores} ({at_table}){outcome}.")),
    "SetResultCheck": Sentences(
        "",
        {
            "second_person": N_("A second person confirms results that an official enters."),
            "blind": N_("The second person types each result without seeing the first entry."),
            "players": N_("Players confirm the results of their games."),
            "no_check": N_("Results are not confirmed by a second person."),
        },
    ),
    "ConfirmResult": Sentences(N_("Confirmed: {scores} ({at_table}).")),
    "CorrectRuling": Sentences(N_("The ruling is corrected. Points on the spread of {who}: {points}.")),
    "PostponeGame": Sentences(N_("{game} is postponed to {postponed_to}.")),
    "CancelPostponement": Sentences(N_("{game} is played with its round as originally planned.")),
    "StartPostponedGame": Sentences(N_("{game} has started: the table is open, the clock runs.")),
    "CloseRound": Sentences(N_("Round {round} is closed.")),
    "OfferPrizes": Sentences(N_("Special prizes: {prizes}.")),
    "PublishStandings": Sentences(N_("The final standings of {tournament} are published.")),
    "ReopenStandings": Sentences(
        N_("The final standings of {tournament} are withdrawn: results can be corrected and rounds added.")
    ),
    "UndoAct": Sentences(N_("Act {version} is undone, by `{undone_by}`.")),
    "ChooseRatingSystem": Sentences(N_("{tournament} is rated by {system}.")),
    "SetAdjudication": Sentences("{tournament}: {mode}"),
    "AppointJudge": Sentences(N_("{judge_id}: appointed")),
    "DismissJudge": Sentences(N_("{judge_id}: dismissed")),
    "ChooseLayers": Sentences("{tournament}: {layers}"),
}
"""Sentences by the method name of a command. Commands without an entry are described elsewhere."""

NO_HALLS = N_("tables are numbered from 1")
NO_TIMES = N_("no round")
NO_PRIZES = N_("none")
POINTS_OFF = N_("Points taken off: {points_off}.")
ROUNDS_OUT = N_("Not paired in rounds: {rounds_out}.")
GAME_LOST = N_("The game {game} is lost.")
TABLE_SANCTIONS: Mapping[str, str] = {
    "warning": N_("a warning"),
    "points": N_("{points} {points:point|points} taken off"),
    "turn": N_("loss of a turn"),
    "game": N_("loss of the game"),
    "expulsion": N_("expulsion proposed"),
}
"""Sanctions of an arbiter at a table, by their names in events."""
NOTE = N_("Note: {note}")
RATED_BY = N_("Rated by {system}.")

BYES: Mapping[events.ByeKind.ValueType, str] = {
    events.BYE_KIND_HALF_POINT: N_("half a point"),
    events.BYE_KIND_FULL_POINT: N_("a point"),
    events.BYE_KIND_ZERO_POINT: N_("no point"),
}

ENTRY_PARTS: Mapping[events.EntryPart.ValueType, str] = {
    events.ENTRY_PART_NAME: N_("name"),
    events.ENTRY_PART_CLUB: N_("club"),
    events.ENTRY_PART_COUNTRY: N_("country"),
    events.ENTRY_PART_RATING: N_("rating"),
    events.ENTRY_PART_CATEGORY: N_("category"),
    events.ENTRY_PART_NOTE: N_("note for officials"),
}

DATA_REQUESTS: Mapping[events.DataRequestKind.ValueType, str] = {
    events.DATA_REQUEST_KIND_CORRECTION: N_("correction of personal data"),
    events.DATA_REQUEST_KIND_ERASURE: N_("erasure of personal data"),
}

TOURNAMENT_PARTS: Mapping[events.TournamentPart.ValueType, str] = {
    events.TOURNAMENT_PART_NAME: N_("name"),
    events.TOURNAMENT_PART_PLACE: N_("place"),
    events.TOURNAMENT_PART_COUNTRY: N_("country"),
    events.TOURNAMENT_PART_STARTS_ON: N_("first day"),
    events.TOURNAMENT_PART_ENDS_ON: N_("last day"),
    events.TOURNAMENT_PART_TIME_ZONE: N_("time zone"),
    events.TOURNAMENT_PART_ORGANISER: N_("organiser"),
    events.TOURNAMENT_PART_LINK: N_("web page"),
}

DESCRIBED_WITH_NAMES: Mapping[str, str] = {"contact": N_("contact"), "arbiters": N_("arbiters")}
"""Further parts by the field of the command. They have events of their own, since they name persons."""

RATING_SYSTEMS: Mapping[str, str] = {"elo-1": "Elo", "naspa-1": "NASPA", "glicko2-1": "Glicko-2"}
"""Display names of rating systems, by name and version. Proper names are the same in every language."""

PRIZES: Mapping[events.PrizeKind.ValueType, str] = {
    events.PRIZE_KIND_BINGOS: N_("Most bingos"),
    events.PRIZE_KIND_HIGH_GAME: N_("Highest score of a game"),
    events.PRIZE_KIND_HIGH_PLAY: N_("Highest-scoring play"),
    events.PRIZE_KIND_SPREAD: N_("Largest spread"),
}
