"""Texts of the scripts of a table, to be translated: buttons, states, questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import EnumDescriptor

from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.table_commands import CHOICES, FIELD_LABELS, TABLE_COMMANDS
from faristol.text import translations

SHARED: Mapping[str, str] = {
    "saved": N_("All entries are saved"),
    "sending": N_("Sending…"),
    "kept": N_("No network: {count} entries stored here"),
    "keptOne": N_("No network: 1 entry stored here"),
    "away": N_("No network"),
    "signIn": N_("Sign in again. Your entries are stored on this device."),
    "signInLink": N_("Sign in"),
    "across": N_("across"),
    "down": N_("down"),
    "blank": N_("Blank"),
    "clear": N_("Clear"),
    "words": N_("The board in words"),
    "empty": N_("empty"),
    "emptyBoard": N_("The board has no tiles."),
    "blankAs": N_("blank as {face}"),
    "board": N_("Board"),
    "cancel": N_("Cancel"),
    "total": N_("Total"),
    "score": N_("Score"),
    "play": N_("Play"),
}
"""Texts of every script that shows a board and stores entries until they are sent."""

SCORER_TEXTS: Mapping[str, str] = {
    **SHARED,
    "onTurn": N_("on turn"),
    "bag": N_("{count} in the bag"),
    "rack": N_("rack {count}"),
    "signed": N_("signed"),
    "turnOf": N_("Turn {turn}: {player}"),
    "notStarted": N_("The game has not started."),
    "challenged": N_("Challenged: the ruling is awaited."),
    "appealed": N_("Appealed: the ruling on the appeal is awaited."),
    "ruled": N_("Clocks stopped: the ruling stands when the turn goes on, unless it is appealed."),
    "refused": N_("The play was found invalid."),
    "offCentre": N_("The play misses the centre: the opponent decides."),
    "ended": N_("The game is over."),
    "final": N_("The result is final."),
    "interrupted": N_("Settle the open incident first."),
    "valid": N_("Ruling: {word} stands."),
    "invalid": N_("Ruling: {word} does not stand."),
    "stopped": N_("Refused: decide below"),
    "waiting": N_("Waiting to be sent"),
    "cannot": N_("This is no longer possible"),
    "notValid": N_("This entry is not valid"),
    "stands": N_("Current state: {state}"),
    "waitsBehind": N_("{count} later entries wait for your decision."),
    "again": N_("Send again with the current state"),
    "edit": N_("Edit"),
    "drop": N_("Discard"),
    "dropAll": N_("Discard all waiting entries"),
    "sureDropAll": N_("Discard all waiting entries? This cannot be undone."),
    "conflict": N_("Another scorer made an entry in the meantime. Check the current state."),
    "turnDone": N_("Accepted: the turn is over"),
    "turnDoneTaken": N_("The turn is over"),
    "chooseSquare": N_("Tap the first square of the word; tap it again to change direction."),
    "line": N_("Or type the play: H8 word"),
    "lineHelp": N_("H8 goes across and 8H down; (A) or ?a is a blank, a dot a tile on the board."),
    "gcg": N_("As in GCG files: 8H across, H8 down"),
    "read": N_("Show"),
    "unread": N_("“{text}” cannot be laid at {square}."),
    "noSquare": N_("“{text}” does not begin with a square. Write it as H8 word."),
    "which": N_("Which tiles?"),
    "blankFor": N_("Letter of the blank …"),
    "erase": N_("Erase"),
    "counts": N_("{word} scores {points}"),
    "noPlay": N_("These tiles do not form a play there."),
    "enter": N_("Enter {word}, {points}"),
    "more": N_("All entries that the rules allow now"),
    "ofArbiter": N_("For the arbiter"),
    "sheet": N_("Scoresheet"),
    "do": N_("Apply"),
    "whichTiles": N_("Which tiles?"),
    "tilesExact": N_("Expected {count} tiles, got {found}."),
    "tilesLeast": N_("Expected one tile or more."),
    "yes": N_("Yes"),
    "no": N_("No"),
    "asCounted": N_("If empty: the score as counted"),
    "signs": N_("{player} signs: {score}"),
    "sure": N_("That ends the game for {player}."),
    "clock": N_("Clock page"),
    "tap": N_("Tap when your turn is over"),
    "tapped": N_("Tapped at {time}"),
    "notEntered": N_("The turn is not entered yet. The clock press waits for it."),
    "scorer": N_("Scorer’s page"),
    "full": N_("Full screen"),
    "neutralised": N_("Clocks stopped"),
    "noClock": N_("This table has no clock."),
    "turn": N_("Turn"),
    "loading": N_("Loading the table…"),
    "missing": N_("This device has not loaded the table yet. Connect to the network for the first load."),
}
"""All texts of the scorer's script other than commands and choices."""


def premiums(language: str) -> dict[str, list[str]]:
    """Return the style, title and short label of each premium square."""
    read = translations(language).gettext
    return {mark.value: [style, read(title), read(short)] for mark, (style, title, short) in labels.PREMIUMS.items()}


def in_language(language: str) -> dict[str, Any]:
    """Return all texts of the scripts in a language."""
    read = translations(language).gettext

    def each(texts: Mapping[Any, str]) -> dict[str, str]:
        return {str(number): read(text) for number, text in texts.items()}

    def by_name(enum: EnumDescriptor, texts: Mapping[int, str]) -> dict[str, str]:
        return {enum.values_by_number[number].name: read(text) for number, text in texts.items()}

    return {
        "texts": each(SCORER_TEXTS),
        "labels": each(FIELD_LABELS),
        "acts": {method: read(command.title) for method, command in TABLE_COMMANDS.items()},
        "choices": {method: {field: each(texts)} for (method, field), texts in CHOICES.items()},
        "held": by_name(clock.NeutralisationReason.DESCRIPTOR, labels.NEUTRALISED),
        "kinds": by_name(pb.EntryKind.DESCRIPTOR, labels.ENTRY_KINDS),
        "premiums": premiums(language),
    }
