"""The articles of rules that have no value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Law:
    """The article of each rule that has no value, for refusals to cite; empty where the book is silent."""

    on_board: str
    free_square: str
    face_of_set: str
    digraph: str
    """A face of several letters is one tile and cannot be made of others."""
    blank_face: str
    blank_value: str
    in_rack: str
    one_line: str
    no_gap: str
    contact: str
    premiums_once: str
    turn: str
    announce: str
    write: str
    refill: str
    return_from_exchange: str
    bag_count: str
    """Counting what is left in the bag."""
    tiles_checked: str
    """Checking the set before the game; no claim later."""
    play_complete: str
    withdrawn: str
    rearranged: str
    """When tiles laid may still be moved."""
    challenge_words: str
    challenge_once: str
    challenge_form: str
    leaked: str
    """A play that used what a ruling should not have told."""
    overdraw_claim: str
    """Who says that a rack is too full or too empty, and when."""
    absence: str
    warning: str
    """Warning a player for conduct."""
    sanctions: str
    """What officials impose beyond a warning."""
    appeal: str
    """Appealing against it; where the book is silent, who decided it had the last word."""
    tribunal: str
    """Who sits on appeals."""
    game_over: str
    signatures: str
    correction: str
    correction_closed: str
    """Until when a running total can be corrected."""
    result_final: str
