"""The catalogue of the commands at a table: the texts for each, on every page and at a terminal.

Help for programs, the order of fields and their kinds come from the contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game


class TableCommand(NamedTuple):
    """A command of the game or the clock; its texts are marked with ``N_``."""

    title: str
    """Label of its button and heading of its form."""
    sentence: str
    """Its effect, for the help of a terminal."""
    example: str
    """A step of a rulebook case."""


class Group(NamedTuple):
    """Commands of an arbiter under one heading of their page."""

    label: str
    methods: Sequence[str]


GROUPS: Mapping[str, Group] = {
    "call": Group(N_("At the table"), ("AssignArbiter", "DismissArbiter")),
    "incident": Group(
        N_("To be settled"),
        (
            "RuleAppeal",
            "SettleCount",
            "ResolveOverdraw",
            "ResolveUnderdraw",
            "DecideOffCentre",
            "CancelPlay",
            "SettleBlank",
        ),
    ),
    "presence": Group(N_("Presence"), ("ReportAbsence", "RecordArrival", "ReturnToTable")),
    "clock": Group(N_("Clocks"), ("Neutralise", "Resume", "CorrectClock", "ExpireRoundTime")),
    "sanction": Group(
        N_("Conduct and sanctions"), ("ImposeSanction", "WarnPlayer", "RecordOverholding", "RecordWordAsked")
    ),
    "sheet": Group(N_("Scoresheet"), ("CorrectPlay", "CorrectTotal", "ReopenGame")),
}
"""Commands on the arbiter's page, in its order. A warning is a command on the tournament."""

TABLE_COMMANDS: Mapping[str, TableCommand] = {
    "StartGame": TableCommand(N_("begins"), N_("Begins: this player has the first turn."), "Anna: start-game"),
    "StateRack": TableCommand(N_("Announce the rack"), N_("Records the tiles on a rack."), "Anna: state-rack A E Q"),
    "TakeBackEntries": TableCommand(
        N_("Undo entries"),
        N_("Takes back the entries, from this turn on."),
        "arbiter: take-back-entries 7, with: {note: wrong row}",
    ),
    "LayTiles": TableCommand(
        N_("Lay tiles without announcing the play"),
        N_("Lays tiles face up before the play is announced."),
        "Anna: lay-tiles H8 C A",
    ),
    "TakeBackTiles": TableCommand(
        N_("Take the tiles back"), N_("Takes back the tiles of the turn from the board."), "Anna: take-back-tiles"
    ),
    "PlacePlay": TableCommand(
        N_("Enter the play"),
        N_("Lays and announces a play, with blanks in parentheses; H8 goes across and 8H down."),
        "Anna: place-play 8H C (A) P",
    ),
    "AcceptPlay": TableCommand(
        N_("Accept the play"),
        N_("Accepts the play of the turn before, which can no longer be challenged."),
        "Blai: accept-play",
    ),
    "WriteScore": TableCommand(
        N_("Write the score"),
        N_("Writes the score of the play, as calculated or as given."),
        "Anna: write-score, with: {score: 24, total: 60}",
    ),
    "DisputeCount": TableCommand(
        N_("Dispute the count"), N_("Disputes the score of the last play, or a total."), "Blai: dispute-count"
    ),
    "DrawTiles": TableCommand(
        N_("Draw tiles"),
        N_("Draws the tiles that the rack lacks, or the number given."),
        "Anna: draw-tiles, with: {count: 4}",
    ),
    "AnnounceExchange": TableCommand(
        N_("Announce an exchange"), N_("Announces how many tiles will be exchanged."), "Anna: announce-exchange 3"
    ),
    "Exchange": TableCommand(N_("Exchange"), N_("Exchanges tiles and ends the turn."), "Anna: exchange A E ?"),
    "KeepAfterExchange": TableCommand(
        N_("Choose the tiles to keep"),
        N_("Chooses the tiles to keep after an exchange of too many."),
        "Blai: keep-after-exchange A E",
    ),
    "FreeExchange": TableCommand(
        N_("Change the rack, keep the turn"),
        N_("Shows a rack that may be exchanged without losing the turn."),
        "Anna: free-exchange A E I",
    ),
    "Pass": TableCommand(N_("Pass"), N_("Passes the turn."), "Anna: pass"),
    "DeclareCannotPlay": TableCommand(
        N_("Cannot play"), N_("Gives up the turn because no play is possible."), "Anna: declare-cannot-play"
    ),
    "Challenge": TableCommand(
        N_("Challenge"), N_("Challenges words of the play, separated by commas."), "Blai: challenge C A S A, S A L"
    ),
    "Appeal": TableCommand(
        N_("Appeal"),
        N_("Appeals against the ruling on a challenge."),
        "Anna: appeal it is in the older edition, with: {arguments-hidden: yes}",
    ),
    "AcceptRuling": TableCommand(
        N_("Accept the ruling"),
        N_("Takes back a play that was ruled invalid, without an appeal."),
        "Anna: accept-ruling",
    ),
    "ClaimFakeBlank": TableCommand(
        N_("Fake blank"),
        N_("Shows that a tile laid as a blank is a letter turned over."),
        "Blai: claim-fake-blank H8, with: {face: A}",
    ),
    "ClaimOverdraw": TableCommand(
        N_("Too many tiles on the rack of"),
        N_("Reports that a player drew too many tiles."),
        "Blai: claim-overdraw Anna, with: {racked: yes, seen: no}",
    ),
    "ChooseSurplus": TableCommand(
        N_("Choose the tiles that go back"),
        N_("Chooses which of the opponent's tiles go back into the bag."),
        "Blai: choose-surplus S",
    ),
    "ClaimUnderdraw": TableCommand(
        N_("Too few tiles on the rack of"),
        N_("Reports that a player drew too few tiles."),
        "Blai: claim-underdraw Anna, with: {racked: yes, seen: no}",
    ),
    "ReportTilesFound": TableCommand(
        N_("Tiles found"), N_("Reports that tiles of the bag were found elsewhere."), "Anna: report-tiles-found E T"
    ),
    "CallArbiter": TableCommand(N_("Call the arbiter"), N_("Calls an arbiter to the table."), "Anna: call-arbiter"),
    "AgreeEnd": TableCommand(
        N_("Agree to end the game"), N_("Agrees that no player can lay a tile."), "Anna: agree-end"
    ),
    "Abandon": TableCommand(N_("Abandon the game"), N_("Leaves the game for good."), "Anna: abandon"),
    "SignSheet": TableCommand(
        N_("Sign the sheet"),
        N_("Signs the scoresheet; totals given from the sheet are compared with the record."),
        "Anna: sign-sheet 322 378",
    ),
    "Press": TableCommand(N_("Press the clock"), N_("Presses the clock and ends the turn."), "Anna: press"),
    "Stop": TableCommand(N_("Stop the clock"), N_("Stops the player's own clock before the press."), "Anna: stop"),
    "ClaimTime": TableCommand(N_("Claim the time"), N_("Claims that the opponent's time is over."), "Blai: claim-time"),
    "LeaveTable": TableCommand(
        N_("Leaves the table for a moment"), N_("Leaves the table for a while."), "Anna: leave-table yes"
    ),
    "AssignArbiter": TableCommand(
        N_("Take the table"), N_("Assigns this arbiter to the table."), "arbiter: assign-arbiter"
    ),
    "DismissArbiter": TableCommand(
        N_("Leave the table; the game goes on"),
        N_("Reports that the arbiter leaves the table and the game continues."),
        "arbiter: dismiss-arbiter",
    ),
    "RuleAppeal": TableCommand(
        N_("Rule on the appeal"),
        N_("Rules on an appeal: the play stands (yes) or not (no)."),
        "arbiter: rule-appeal no",
    ),
    "SettleCount": TableCommand(
        N_("Settle the count"), N_("Settles a dispute about a score."), "arbiter: settle-count, with: {score: 24}"
    ),
    "ResolveOverdraw": TableCommand(
        N_("Decide which tiles go back to the bag"),
        N_("Decides which tiles go back into the bag, if the rules leave it to the arbiter."),
        "arbiter: resolve-overdraw E",
    ),
    "ResolveUnderdraw": TableCommand(
        N_("Have the missing tiles drawn"),
        N_("Has missing tiles drawn, shown to the opponent (yes) or not (no)."),
        "arbiter: resolve-underdraw yes",
    ),
    "DecideOffCentre": TableCommand(
        N_("Decide on the missed centre"),
        N_("Accepts a first play off the centre (yes) or declares it invalid (no)."),
        "Blai: decide-off-centre yes",
    ),
    "CancelPlay": TableCommand(
        N_("Cancel the play: it used information that should not have been given"),
        N_(
            "Cancels a play that used information an official should not have given; the player is the one who was "
            "harmed."
        ),
        "arbiter: cancel-play, with: {player: Blai}",
    ),
    "SettleBlank": TableCommand(
        N_("Settle a blank"),
        N_("Decides what a blank on the board stands for."),
        "arbiter: settle-blank H8, with: {face: A}",
    ),
    "ReportAbsence": TableCommand(
        N_("Absent at the starting signal"),
        N_("Reports that a player is absent at the signal."),
        "arbiter: report-absence, with: {player: Anna}",
    ),
    "RecordArrival": TableCommand(
        N_("Has arrived"), N_("Reports that a late player has arrived."), "Anna: record-arrival"
    ),
    "ReturnToTable": TableCommand(
        N_("Has returned to the table"), N_("Returns to the table."), "Anna: return-to-table"
    ),
    "Neutralise": TableCommand(N_("Stop the clocks"), N_("Stops both clocks."), "arbiter: neutralise force-majeure"),
    "Resume": TableCommand(
        N_("Resume the time"), N_("Resumes the clocks that the arbiter had stopped."), "arbiter: resume"
    ),
    "CorrectClock": TableCommand(
        N_("Correct a clock"),
        N_("Sets the time that a player has used."),
        "arbiter: correct-clock 12:30, with: {player: Anna, reason: device}",
    ),
    "ExpireRoundTime": TableCommand(
        N_("End the time of the round"), N_("Ends the round time at this table."), "arbiter: expire-round-time"
    ),
    "ImposeSanction": TableCommand(
        N_("Impose a sanction"),
        N_("Sanctions a player."),
        "arbiter: impose-sanction points, with: {player: Anna, points: 25, note: telephone}",
    ),
    "RecordOverholding": TableCommand(
        N_("Kept extra tiles on purpose"),
        N_("Notes that a player kept too many tiles on purpose."),
        "arbiter: record-overholding, with: {player: Anna}",
    ),
    "RecordWordAsked": TableCommand(
        N_("Asked about a word"),
        N_("Notes that a player asked about a word before playing it."),
        "arbiter: record-word-asked C A S A, with: {player: Anna}",
    ),
    "CorrectPlay": TableCommand(
        N_("Correct the count of a play"),
        N_("Corrects the score of a play in a turn that is over."),
        "arbiter: correct-play, with: {turn: 3, score: 24}",
    ),
    "CorrectTotal": TableCommand(
        N_("Correct a total"),
        N_("Corrects the running total of a player."),
        "arbiter: correct-total, with: {player: Anna, total: 120}",
    ),
    "ReopenGame": TableCommand(
        N_("Reopen the result at the request of all players"),
        N_("Reopens a final result, if all its players ask for it."),
        "arbiter: reopen-game Anna, Blai",
    ),
}
"""Every command of a table, by its method."""

FIELD_LABELS: Mapping[str, str] = {
    "player_id": N_("Player"),
    "CancelPlay.player_id": N_("Demanded by"),
    "RecordWordAsked.player_id": N_("Asked by"),
    "player_ids": N_("Players who agree"),
    "drawer_id": N_("Player who drew"),
    "answerer_id": N_("Answered by"),
    "placements": N_("Play: a square and the tiles of the word"),
    "square": N_("Square"),
    "faces": N_("Tiles"),
    "word": N_("Word"),
    "words": N_("Words to be challenged"),
    "face": N_("Letter"),
    "stated": N_("Letter that the player declared"),
    "blanks": N_("Letters of the blanks of the play"),
    "count": N_("How many tiles?"),
    "Exchange.count": N_("Tiles drawn, if the number was wrong"),
    "surplus": N_("How many tiles too many?"),
    "racked": N_("The new tiles are mixed with the others"),
    "seen": N_("The player has seen them"),
    "show": N_("Show them to the opponent"),
    "done": N_("Record what happened at the table, even if the rules forbid it"),
    "valid": N_("Does the play stand?"),
    "accept": N_("Accept the play?"),
    "told": N_("Was it announced in advance, as the rules require?"),
    "turn": N_("Turn"),
    "score": N_("Points of the play"),
    "total": N_("Total"),
    "totals": N_("Totals of all players, in the order of the table"),
    "used_ms": N_("Time used"),
    "arguments": N_("Arguments"),
    "arguments_hidden": N_("Do not show the arguments to the opponent"),
    "reason": N_("Reason"),
    "kind": N_("Sanction"),
    "points": N_("Points deducted"),
    "note": N_("Reason, in your own words"),
}
"""Labels of fields in forms and help, by the name in the contract, or by method and name."""

FIELD_HINTS: Mapping[str, str] = {
    "SettleCount.score": N_("If empty: the score by the rules"),
    "faces": N_("Separate tiles by spaces; ? is a blank"),
    "word": N_("Separate tiles by spaces"),
    "used_ms": N_("Minutes and seconds, such as 12:30"),
    "points": N_("Only for a sanction in points"),
    "note": N_("The player sees it; the public does not."),
}
"""Hints of these fields."""

CHOICES: Mapping[tuple[str, str], Mapping[int, str]] = {
    ("RuleAppeal", "valid"): {1: N_("stands"), 0: N_("does not stand")},
    ("DecideOffCentre", "accept"): {1: N_("stands"), 0: N_("is withdrawn")},
    ("Neutralise", "reason"): labels_of(clock.NeutralisationReason.DESCRIPTOR),
    ("CorrectClock", "reason"): labels_of(clock.CorrectionReason.DESCRIPTOR),
    ("ImposeSanction", "kind"): labels_of(game.SanctionKind.DESCRIPTOR),
}
"""Labels of the values of a choice, by method and field. Turns and squares have no label."""


def label_of(texts: Mapping[str, str], method: str, field: str) -> str:
    """Return the text of ``FIELD_LABELS`` or ``FIELD_HINTS`` for a field of a method; empty without one."""
    return texts.get(f"{method}.{field}") or texts.get(field, "")
