"""Texts of the script of a player's page, to be translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.gateway.consoles.scorer.words import SHARED, premiums
from faristol.kernel.refusal import N_
from faristol.presentation.duplicate_labels import FAULTS
from faristol.text import translations

PHONE_TEXTS: Mapping[str, str] = {
    **SHARED,
    "loading": N_("Loading the game…"),
    "missing": N_("This device has not loaded the game yet. Connect to the network for the first load."),
    "round": N_("Round {number}"),
    "noRack": N_("The first rack has not been called yet."),
    "notBegun": N_("The time has not started"),
    "stands": N_("The time is stopped: {left} left"),
    "time": N_("Time!"),
    "left": N_("Time left"),
    "scored": N_("scored"),
    "over": N_("The game is over."),
    "write": N_("Your slip"),
    "coordinates": N_("Coordinates"),
    "word": N_("Word"),
    "writtenScore": N_("Score of the play"),
    "help": N_("H8 reads across, 8H down. Write the whole word, and tap the letter of a blank."),
    "circles": N_("Tap a letter to circle it"),
    "circle": N_("{tile}, not circled"),
    "circled": N_("{tile}, circled"),
    "fromRack": N_("Rack: tap a tile to write it"),
    "save": N_("Save"),
    "again": N_("Save again"),
    "savedAt": N_("Saved at {time}: {slip}"),
    "isSent": N_("The slip has arrived."),
    "isKept": N_("The slip is stored on this phone and sent when there is a network."),
    "tellArbiter": N_(
        "Time is over, and your slip is still on this phone. Tell the arbiter, and leave this page open."
    ),
    "waits": N_("The slip arrived long after the end, or beside another slip. An arbiter decides on it."),
    "changed": N_("Your changes since then are not saved."),
    "notSaved": N_("No slip is saved for this round."),
    "nothing": N_("no entry"),
    "refused": N_("Your slip of round {number}, saved at {time} ({slip}), was refused: {why}"),
    "drop": N_("Mark as read"),
    "claimIt": N_("Tell the judge"),
    "lateClaim": N_("My phone saved {slip} at {time}, but could not send it in time."),
    "sheet": N_("Your sheet"),
    "noSheet": N_("No round is scored yet."),
    "top": N_("Top"),
    "turn": N_("Round"),
    "master": N_("Master play"),
    "illegible": N_("illegible"),
    "warned": N_("warned: {fault}"),
    "unsaved": N_("Written, not saved"),
    "unsavedOver": N_("Time is over: this slip is not saved"),
    "selfSaves": N_("Your slip is saved automatically; the button saves it at once."),
    "incomplete": N_(
        "The slip is saved automatically when it has coordinates and a word. Before that, use the button."
    ),
    "claim": N_("Claim"),
    "claimOf": N_("Claim on round {number}"),
    "claimWhat": N_("Describe the error. The judge will check the slip."),
    "claimWhose": N_("Player of the slip"),
    "claimMine": N_("Mine"),
    "claimAbout": N_("About the slip of {name}:"),
    "claimSend": N_("Send the claim"),
    "claimKept": N_("Your claim is stored on this phone: {words}"),
    "claimOpen": N_("Your claim waits for the judge: {words}"),
    "claimAccepted": N_("Corrected on your claim “{words}”: {reason}"),
    "claimRefused": N_("Your claim “{words}” was refused: {reason}"),
    "claimProblem": N_("Your claim on round {number} was refused: {why}"),
    "final": N_("The results are final. Claims are closed."),
}


def in_language(language: str) -> dict[str, Any]:
    """Return all texts of the script in a language."""
    read = translations(language).gettext
    return {
        "texts": {key: read(text) for key, text in PHONE_TEXTS.items()},
        "faults": {str(fault): read(text) for fault, text in FAULTS.items()},
        "premiums": premiums(language),
    }
