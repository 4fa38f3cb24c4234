"""Texts of the scripts of a table, to be translated: buttons, states, questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.gateway import labels
from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.text import translations

ACTS: Mapping[str, str] = {
    "StartGame": N_("begins"),
    "StateRack": N_("Tell the rack"),
    "TakeBackEntries": N_("Take entries back"),
    "LayTiles": N_("Lay tiles, not announced"),
    "TakeBackTiles": N_("Take the tiles back"),
    "PlacePlay": N_("Enter the play"),
    "DecideOffCentre": N_("Decide about the centre"),
    "AcceptPlay": N_("Accept the play"),
    "WriteScore": N_("Write the score"),
    "DisputeCount": N_("Dispute the count"),
    "SettleCount": N_("Settle the count"),
    "CorrectPlay": N_("Correct a play’s count"),
    "CorrectTotal": N_("Correct a total"),
    "SettleBlank": N_("Settle a blank"),
    "DrawTiles": N_("Draw tiles"),
    "AnnounceExchange": N_("Announce an exchange"),
    "Exchange": N_("Exchange"),
    "KeepAfterExchange": N_("Choose what is kept"),
    "FreeExchange": N_("Change the rack, keep the turn"),
    "Pass": N_("Pass"),
    "DeclareCannotPlay": N_("Cannot play"),
    "Challenge": N_("Challenge"),
    "Appeal": N_("Appeal"),
    "RuleAppeal": N_("Rule on the appeal"),
    "AcceptRuling": N_("Accept the ruling"),
    "CancelPlay": N_("Cancel the play"),
    "ClaimFakeBlank": N_("Fake blank"),
    "ClaimOverdraw": N_("Too many tiles on the rack of"),
    "ChooseSurplus": N_("Choose what goes back"),
    "ResolveOverdraw": N_("Decide what goes back"),
    "ClaimUnderdraw": N_("Too few tiles on the rack of"),
    "ResolveUnderdraw": N_("Let the missing tiles be drawn"),
    "ReportTilesFound": N_("Tiles found"),
    "AssignArbiter": N_("I have this table"),
    "CallArbiter": N_("Call the arbiter"),
    "DismissArbiter": N_("The arbiter leaves"),
    "ImposeSanction": N_("Sanction"),
    "RecordOverholding": N_("Kept too many tiles on purpose"),
    "RecordWordAsked": N_("Asked about a word"),
    "AgreeEnd": N_("Agree that the game is over"),
    "Abandon": N_("Leave the game for good"),
    "SignSheet": N_("Sign the sheet"),
    "ReopenGame": N_("Open the result again"),
    "Press": N_("Press the clock"),
    "Stop": N_("Stop the clock"),
    "ClaimTime": N_("Claim the time"),
    "Neutralise": N_("Stop both clocks"),
    "Resume": N_("Let the clocks go on"),
    "CorrectClock": N_("Correct the clock"),
    "ExpireRoundTime": N_("The round’s time is over"),
    "ReportAbsence": N_("Absent at the signal"),
    "RecordArrival": N_("Has come"),
    "LeaveTable": N_("Leaves the table for a while"),
    "ReturnToTable": N_("Is back"),
}
"""Button labels by command."""

SHARED: Mapping[str, str] = {
    "saved": N_("Everything is saved"),
    "sending": N_("Sending…"),
    "kept": N_("No network: {count} kept here"),
    "keptOne": N_("No network: 1 kept here"),
    "away": N_("No network"),
    "signIn": N_("Sign in again: what you entered is kept on this device."),
    "signInLink": N_("Sign in"),
    "across": N_("across"),
    "down": N_("down"),
    "blank": N_("Blank"),
    "clear": N_("Clear"),
    "words": N_("The board in words"),
    "empty": N_("empty"),
    "emptyBoard": N_("No tile lies on the board."),
    "blankAs": N_("blank as {face}"),
    "board": N_("Board"),
    "cancel": N_("Cancel"),
    "total": N_("Total"),
    "score": N_("Score"),
    "play": N_("Play"),
}
"""Texts of every script that shows a board and stores entries until they are sent."""

TEXTS: Mapping[str, str] = {
    **SHARED,
    "onTurn": N_("on turn"),
    "bag": N_("{count} in the bag"),
    "rack": N_("rack {count}"),
    "signed": N_("signed"),
    "turnOf": N_("Turn {turn}: {player}"),
    "notStarted": N_("The game has not started."),
    "challenged": N_("Challenged: the ruling is awaited."),
    "refused": N_("The play was found invalid."),
    "offCentre": N_("The play misses the centre: the opponent decides."),
    "ended": N_("The game is over."),
    "final": N_("The result is final."),
    "interrupted": N_("Something has to be settled first."),
    "valid": N_("Ruling: {word} stands."),
    "invalid": N_("Ruling: {word} does not stand."),
    "stopped": N_("Refused: decide below"),
    "waiting": N_("Waiting to be sent"),
    "cannot": N_("This can no longer be done"),
    "stands": N_("What stands: {state}"),
    "waitsBehind": N_("{count} entered later wait for your decision."),
    "again": N_("Send again, as of now"),
    "edit": N_("Change it"),
    "drop": N_("Drop it"),
    "dropAll": N_("Drop all that wait"),
    "sureDropAll": N_("Drop everything that waits here? It cannot be brought back."),
    "conflict": N_("Somebody else has entered something meanwhile: look at what stands."),
    "turnDone": N_("Accepted: the turn is over"),
    "turnDoneTaken": N_("The turn is over"),
    "chooseSquare": N_("Touch the square where the word begins, once more to turn it."),
    "line": N_("Or type it: H8 word"),
    "lineHelp": N_("H8 goes across and 8H down; (A) or ?a is a blank, a dot a tile on the board."),
    "gcg": N_("As in GCG files: 8H across, H8 down"),
    "read": N_("Read it"),
    "unread": N_("“{text}” cannot be laid at {square}."),
    "noSquare": N_("“{text}” begins with no square: as in H8 word."),
    "which": N_("Which tiles?"),
    "blankFor": N_("The blank stands for …"),
    "erase": N_("Erase"),
    "counts": N_("{word} counts {points}"),
    "noPlay": N_("These tiles make no play there."),
    "enter": N_("Enter {word}, {points}"),
    "more": N_("Everything that the book allows now"),
    "ofArbiter": N_("By the arbiter"),
    "sheet": N_("Scoresheet"),
    "do": N_("Do it"),
    "howMany": N_("How many tiles?"),
    "whichTiles": N_("Which tiles?"),
    "whichWords": N_("Which words?"),
    "whichTurn": N_("From which turn on?"),
    "whichPlay": N_("The play of which turn?"),
    "whichBlank": N_("Which blank?"),
    "letter": N_("Which letter?"),
    "why": N_("Why?"),
    "note": N_("Note"),
    "points": N_("Points"),
    "timeUsed": N_("Time used, minutes:seconds"),
    "yes": N_("Yes"),
    "no": N_("No"),
    "told": N_("Was it told before, as the book asks?"),
    "accept": N_("Accept the play?"),
    "stays": N_("Does the play stand?"),
    "racked": N_("The new tiles are among the others"),
    "surplus": N_("How many tiles too many?"),
    "drawn": N_("Tiles drawn, if more or fewer by mistake"),
    "seen": N_("The player has seen them"),
    "show": N_("Show them to the opponent"),
    "hidden": N_("Do not show the arguments to the opponent"),
    "arguments": N_("Arguments"),
    "asCounted": N_("As counted when empty"),
    "done": N_("It was done at the table, allowed or not"),
    "signs": N_("{player} signs: {score}"),
    "sure": N_("That ends the game for {player}."),
    "clock": N_("Clock page"),
    "tap": N_("Tap when your turn is over"),
    "tapped": N_("Tapped at {time}"),
    "notEntered": N_("The turn is not entered yet: the press waits for it."),
    "scorer": N_("Scorer’s page"),
    "full": N_("Full screen"),
    "neutralised": N_("Clocks stopped"),
    "noClock": N_("No clock is kept at this table."),
    "turn": N_("Turn"),
    "loading": N_("Looking at the table…"),
    "missing": N_("The table is not known here yet: a network is needed for the first look."),
}
"""All texts of the scorer's script besides commands and choices."""

CORRECTIONS: Mapping[clock.CorrectionReason.ValueType, str] = {
    clock.CORRECTION_REASON_DEVICE: N_("the device was wrong"),
    clock.CORRECTION_REASON_ENTRY: N_("it was entered wrong"),
    clock.CORRECTION_REASON_FORGOTTEN: N_("a press was forgotten"),
    clock.CORRECTION_REASON_RULING: N_("a ruling of the arbiter"),
}
SANCTIONS: Mapping[game.SanctionKind.ValueType, str] = {
    game.SANCTION_KIND_WARNING: N_("warning"),
    game.SANCTION_KIND_POINTS: N_("points taken off"),
    game.SANCTION_KIND_TURN: N_("a turn taken away"),
    game.SANCTION_KIND_GAME: N_("the game is lost"),
    game.SANCTION_KIND_EXPULSION: N_("expulsion is proposed"),
}
STOPPED: Mapping[clock.NeutralisationReason.ValueType, str] = {
    clock.NEUTRALISATION_REASON_CHALLENGE: N_("a challenge"),
    clock.NEUTRALISATION_REASON_COUNT_DISPUTE: N_("a dispute about the count"),
    clock.NEUTRALISATION_REASON_ARBITER_CALL: N_("a call for the arbiter"),
    clock.NEUTRALISATION_REASON_FORCE_MAJEURE: N_("force majeure"),
    clock.NEUTRALISATION_REASON_OVERDRAW: N_("too many tiles drawn"),
    clock.NEUTRALISATION_REASON_CORRECTION: N_("a correction of the sheet"),
}


def premiums(language: str) -> dict[str, list[str]]:
    """Return the style, title and short label of each premium square."""
    read = translations(language).gettext
    return {mark.value: [style, read(title), read(short)] for mark, (style, title, short) in labels.PREMIUMS.items()}


def in_language(language: str) -> dict[str, Any]:
    """Return all texts of the scripts in a language."""
    read = translations(language).gettext

    def each(texts: Mapping[Any, str]) -> dict[str, str]:
        return {str(number): read(text) for number, text in texts.items()}

    return {
        "texts": each(TEXTS),
        "acts": each(ACTS),
        "choices": {
            "Neutralise": each(STOPPED),
            "CorrectClock": each(CORRECTIONS),
            "ImposeSanction": each(SANCTIONS),
        },
        "held": {clock.NeutralisationReason.Name(reason): read(text) for reason, text in labels.NEUTRALISED.items()},
        "kinds": {pb.EntryKind.Name(kind): read(text) for kind, text in labels.KINDS.items()},
        "premiums": premiums(language),
    }
