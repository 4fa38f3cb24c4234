"""Texts of the script of a player's page, to be translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.gateway.consoles.scorer.words import SHARED, premiums
from faristol.gateway.duplicate.labels import FAULTS
from faristol.kernel.refusal import N_
from faristol.text import translations

TEXTS: Mapping[str, str] = {
    **SHARED,
    "loading": N_("Looking at the game…"),
    "missing": N_("The game is not known here yet: a network is needed for the first look."),
    "round": N_("Round {number}"),
    "noRack": N_("The first rack has not been called yet."),
    "notBegun": N_("The time has not begun"),
    "stands": N_("The time stands: {left} left"),
    "time": N_("Time!"),
    "left": N_("Time left"),
    "scored": N_("scored"),
    "over": N_("The game is over."),
    "write": N_("Your slip"),
    "coordinates": N_("Coordinates"),
    "word": N_("Word"),
    "writtenScore": N_("Score of the play"),
    "help": N_("H8 reads across, 8H down. Write the whole word, and touch the letter that a blank stands for."),
    "circles": N_("Touch a letter to circle it"),
    "circle": N_("{tile}, not circled"),
    "circled": N_("{tile}, circled"),
    "fromRack": N_("Rack: touch a tile to write it"),
    "save": N_("Save"),
    "again": N_("Save again"),
    "savedAt": N_("Saved at {time}: {slip}"),
    "isSent": N_("It has arrived."),
    "isKept": N_("It is kept on this phone and sent as soon as there is a network."),
    "tellArbiter": N_(
        "Time is over, and your slip is still on this phone: tell the arbiter, and leave this page open."
    ),
    "waits": N_("It arrived long after the end, or beside another: an arbiter decides what counts."),
    "changed": N_("What you have written since is not saved."),
    "notSaved": N_("Nothing is saved for this round."),
    "nothing": N_("nothing written"),
    "refused": N_("Your slip of round {number}, saved at {time} ({slip}), was not taken: {why}"),
    "drop": N_("I have read it"),
    "claimIt": N_("Tell the judge"),
    "lateClaim": N_("My phone saved {slip} at {time}, and could not send it in time."),
    "sheet": N_("Your sheet"),
    "noSheet": N_("No round is scored yet."),
    "top": N_("Top"),
    "turn": N_("Round"),
    "master": N_("Master play"),
    "illegible": N_("illegible"),
    "warned": N_("warned: {fault}"),
    "unsaved": N_("Written, not saved"),
    "unsavedOver": N_("Time is over: what is written here is not saved"),
    "selfSaves": N_("What you write is saved by itself, and by the button at once."),
    "incomplete": N_("It is saved by itself once there are coordinates and a word; before that, by the button."),
    "claim": N_("Claim"),
    "claimOf": N_("Claim on round {number}"),
    "claimWhat": N_("What is wrong? The judge looks at the slip."),
    "claimWhose": N_("Whose slip"),
    "claimMine": N_("Mine"),
    "claimAbout": N_("About the slip of {name}:"),
    "claimSend": N_("Send the claim"),
    "claimKept": N_("Your claim is kept on this phone: {words}"),
    "claimOpen": N_("Your claim waits for the judge: {words}"),
    "claimAccepted": N_("Corrected on your claim “{words}”: {reason}"),
    "claimRefused": N_("Your claim “{words}” was refused: {reason}"),
    "claimProblem": N_("Your claim on round {number} was not taken: {why}"),
    "final": N_("The results are final: no claim is heard any more."),
}


def in_language(language: str) -> dict[str, Any]:
    """Return all texts of the script in a language."""
    read = translations(language).gettext
    return {
        "texts": {key: read(text) for key, text in TEXTS.items()},
        "faults": {str(fault): read(text) for fault, text in FAULTS.items()},
        "premiums": premiums(language),
    }
