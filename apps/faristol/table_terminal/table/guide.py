"""The texts of `help`: for each verb of a table its meaning, its arguments, and an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from faristol.casebook.verbs import TABLE_STEP_FIELDS, Verb
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import names_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.rules import Ruleset
from faristol.text import say, translations


class Guide(NamedTuple):
    """A sentence about a verb, and an example of it."""

    sentence: str
    example: str


GUIDES: Mapping[str, Guide] = {
    "turn": Guide(N_("Records a whole turn with all the steps of the rules."), "Anna: turn H8 C A S A"),
    "abandon": Guide(N_("Leaves the game for good."), "Anna: abandon"),
    "accept-play": Guide(
        N_("Accepts the play of the turn before, which can no longer be challenged."), "Blai: accept-play"
    ),
    "accept-ruling": Guide(N_("Takes back a play that was ruled invalid, without an appeal."), "Anna: accept-ruling"),
    "agree-end": Guide(N_("Agrees that no player can lay a tile."), "Anna: agree-end"),
    "announce-exchange": Guide(N_("Announces how many tiles will be exchanged."), "Anna: announce-exchange 3"),
    "appeal": Guide(
        N_("Appeals against the ruling on a challenge."),
        "Anna: appeal it is in the older edition, with: {arguments-hidden: yes}",
    ),
    "assign-arbiter": Guide(N_("Assigns this arbiter to the table."), "arbiter: assign-arbiter"),
    "call-arbiter": Guide(N_("Calls an arbiter to the table."), "Anna: call-arbiter"),
    "cancel-play": Guide(
        N_(
            "Cancels a play that used information an official should not have given; the player is the one who "
            "was harmed."
        ),
        "arbiter: cancel-play, with: {player: Blai}",
    ),
    "challenge": Guide(N_("Challenges words of the play, separated by commas."), "Blai: challenge C A S A, S A L"),
    "choose-surplus": Guide(
        N_("Chooses which of the opponent's tiles go back into the bag."), "Blai: choose-surplus S"
    ),
    "claim-fake-blank": Guide(
        N_("Shows that a tile laid as a blank is a letter turned over."), "Blai: claim-fake-blank H8, with: {face: A}"
    ),
    "claim-overdraw": Guide(
        N_("Reports that a player drew too many tiles."), "Blai: claim-overdraw Anna, with: {racked: yes, seen: no}"
    ),
    "claim-time": Guide(N_("Claims that the opponent's time is over."), "Blai: claim-time"),
    "claim-underdraw": Guide(
        N_("Reports that a player drew too few tiles."), "Blai: claim-underdraw Anna, with: {racked: yes, seen: no}"
    ),
    "correct-clock": Guide(
        N_("Sets the time that a player has used."),
        "arbiter: correct-clock 12:30, with: {player: Anna, reason: device}",
    ),
    "correct-play": Guide(
        N_("Corrects the score of a play in a turn that is over."), "arbiter: correct-play, with: {turn: 3, score: 24}"
    ),
    "correct-total": Guide(
        N_("Corrects the running total of a player."), "arbiter: correct-total, with: {player: Anna, total: 120}"
    ),
    "decide-off-centre": Guide(
        N_("Accepts a first play off the centre (yes) or declares it invalid (no)."), "Blai: decide-off-centre yes"
    ),
    "declare-cannot-play": Guide(N_("Gives up the turn because no play is possible."), "Anna: declare-cannot-play"),
    "dismiss-arbiter": Guide(
        N_("Reports that the arbiter leaves the table and the game continues."), "arbiter: dismiss-arbiter"
    ),
    "dispute-count": Guide(N_("Disputes the score of the last play, or a total."), "Blai: dispute-count"),
    "draw-tiles": Guide(
        N_("Draws the tiles that the rack lacks, or the number given."), "Anna: draw-tiles, with: {count: 4}"
    ),
    "exchange": Guide(N_("Exchanges tiles and ends the turn."), "Anna: exchange A E ?"),
    "expire-round-time": Guide(N_("Ends the round time at this table."), "arbiter: expire-round-time"),
    "free-exchange": Guide(
        N_("Shows a rack that may be exchanged without losing the turn."), "Anna: free-exchange A E I"
    ),
    "impose-sanction": Guide(
        N_("Sanctions a player."), "arbiter: impose-sanction points, with: {player: Anna, points: 25, note: telephone}"
    ),
    "keep-after-exchange": Guide(
        N_("Chooses the tiles to keep after an exchange of too many."), "Blai: keep-after-exchange A E"
    ),
    "lay-tiles": Guide(N_("Lays tiles face up before the play is announced."), "Anna: lay-tiles H8 C A"),
    "leave-table": Guide(N_("Leaves the table for a while."), "Anna: leave-table yes"),
    "neutralise": Guide(N_("Stops both clocks."), "arbiter: neutralise force-majeure"),
    "pass": Guide(N_("Passes the turn."), "Anna: pass"),
    "place-play": Guide(
        N_("Lays and announces a play, with blanks in parentheses; H8 goes across and 8H down."),
        "Anna: place-play 8H C (A) P",
    ),
    "press": Guide(N_("Presses the clock and ends the turn."), "Anna: press"),
    "record-arrival": Guide(N_("Reports that a late player has arrived."), "Anna: record-arrival"),
    "record-overholding": Guide(
        N_("Notes that a player kept too many tiles on purpose."), "arbiter: record-overholding, with: {player: Anna}"
    ),
    "record-word-asked": Guide(
        N_("Notes that a player asked about a word before playing it."),
        "arbiter: record-word-asked C A S A, with: {player: Anna}",
    ),
    "reopen-game": Guide(
        N_("Reopens a final result, if all its players ask for it."), "arbiter: reopen-game Anna, Blai"
    ),
    "report-absence": Guide(
        N_("Reports that a player is absent at the signal."), "arbiter: report-absence, with: {player: Anna}"
    ),
    "report-tiles-found": Guide(
        N_("Reports that tiles of the bag were found elsewhere."), "Anna: report-tiles-found E T"
    ),
    "resolve-overdraw": Guide(
        N_("Decides which tiles go back into the bag, if the rules leave it to the arbiter."),
        "arbiter: resolve-overdraw E",
    ),
    "resolve-underdraw": Guide(
        N_("Has missing tiles drawn, shown to the opponent (yes) or not (no)."), "arbiter: resolve-underdraw yes"
    ),
    "resume": Guide(N_("Resumes the clocks that the arbiter had stopped."), "arbiter: resume"),
    "return-to-table": Guide(N_("Returns to the table."), "Anna: return-to-table"),
    "rule": Guide(
        N_("Waits for the ruling, or rules: valid or invalid."), "judge: rule invalid, with: {reason: …, source: …}"
    ),
    "rule-appeal": Guide(N_("Rules on an appeal: the play stands (yes) or not (no)."), "arbiter: rule-appeal no"),
    "settle-blank": Guide(
        N_("Decides what a blank on the board stands for."), "arbiter: settle-blank H8, with: {face: A}"
    ),
    "settle-count": Guide(N_("Settles a dispute about a score."), "arbiter: settle-count, with: {score: 24}"),
    "sign-sheet": Guide(
        N_("Signs the scoresheet; totals given from the sheet are compared with the record."),
        "Anna: sign-sheet 322 378",
    ),
    "start-game": Guide(N_("Begins: this player has the first turn."), "Anna: start-game"),
    "state-rack": Guide(N_("Records the tiles on a rack."), "Anna: state-rack A E Q"),
    "stop": Guide(N_("Stops the player's own clock before the press."), "Anna: stop"),
    "take-back-entries": Guide(
        N_("Takes back the entries, from this turn on."), "arbiter: take-back-entries 7, with: {note: wrong row}"
    ),
    "take-back-tiles": Guide(N_("Takes back the tiles of the turn from the board."), "Anna: take-back-tiles"),
    "write-score": Guide(
        N_("Writes the score of the play, as calculated or as given."),
        "Anna: write-score, with: {score: 24, total: 60}",
    ),
}
"""Every verb of the services of a table, and those of the tool."""

MEANINGS: Mapping[str, str] = {
    "accept": N_("yes or no"),
    "answered-by": N_("the player who answered, if any"),
    "arguments": N_("the arguments"),
    "arguments-hidden": N_("yes if the opponent must not see the arguments"),
    "blanks": N_("the letters of the blanks of the play"),
    "count": N_("how many tiles"),
    "done": N_("yes if it was done before an objection"),
    "drawer": N_("the player who drew"),
    "face": N_("the letter"),
    "faces": N_("the tiles"),
    "kind": N_("the kind: points, turn, game, expulsion"),
    "note": N_("a note"),
    "placements": N_("the play: a square and the tiles of the word"),
    "player": N_("the player"),
    "players": N_("the players who agree"),
    "points": N_("the points"),
    "racked": N_("yes if the tiles are already on the rack"),
    "reason": N_("the reason"),
    "score": N_("the score"),
    "seen": N_("yes if the player has seen them"),
    "show": N_("yes or no"),
    "source": N_("the source"),
    "square": N_("the square"),
    "surplus": N_("the number of surplus tiles"),
    "stated": N_("the letter that its player declares"),
    "told": N_("yes if an arbiter was told"),
    "total": N_("the total"),
    "totals": N_("the totals of all players, in the order of the table"),
    "turn": N_("the number of the turn"),
    "used": N_("the time used, in minutes and seconds"),
    "valid": N_("yes or no"),
    "word": N_("the word"),
    "words": N_("the words"),
}
"""The meaning of arguments of verbs, by the word that is typed."""

WORDS: Mapping[str, str] = {
    "player_id": "player",
    "drawer_id": "drawer",
    "answerer_id": "answered-by",
    "player_ids": "players",
    "used_ms": "used",
    "row": "square",
    "column": "square",
}
"""Typed words for fields of the contract with other names."""

REASONS = N_("Reasons under these rules: {reasons}")
EXAMPLE = N_("Example: {example}")


def word_of(field: str) -> str:
    """Return the typed word for a field of the contract: ``player`` for ``player_id``."""
    return WORDS.get(field, field.replace("_", "-"))


def arguments_of(verb: Verb) -> list[str]:
    """Return the arguments of a verb as typed, the positional one first."""
    fields = [field.name for field in verb.request.DESCRIPTOR.fields]
    own = [name for name in fields if name not in TABLE_STEP_FIELDS]
    both = {"arbiter_id", "player_id"} <= set(fields)
    return list(dict.fromkeys(word_of(name) for name in (*own, *(["player_id"] if both else ()))))


def overview(language: str) -> Iterator[str]:
    """Yield a line for every verb with its sentence."""
    width = max(map(len, GUIDES))
    for name, guide in sorted(GUIDES.items()):
        yield f"  {name:<{width}}  {say(guide.sentence, {}, language)}"


def _reasons_of(name: str, ruleset: Ruleset | None) -> Sequence[str] | None:
    """Return the reasons that a verb can give under ``ruleset``; None if it gives none, or the rules are unknown."""
    if ruleset is None:
        return None
    if name == "correct-clock":
        known = names_of(clock_events.CorrectionReason.DESCRIPTOR)
        absent = {0} if ruleset.clock.forgotten_heard else {0, clock_events.CORRECTION_REASON_FORGOTTEN}
        return [reason for reason, value in known.items() if value not in absent]
    return ruleset.clock.neutralised_by if name == "neutralise" else None


def explain_verb(name: str, verb: Verb | None, language: str, ruleset: Ruleset | None = None) -> Iterator[str]:
    """Yield the help of a verb of ``GUIDES``: sentence, arguments, and an example, for ``ruleset`` if known."""
    guide = GUIDES[name]
    if name == "neutralise" and ruleset is not None and (reasons := ruleset.clock.neutralised_by):
        guide = Guide(guide.sentence, f"arbiter: neutralise {reasons[0]}")
    yield f"{name}: {say(guide.sentence, {}, language)}"
    for word in arguments_of(verb) if verb else ():
        yield f"  {word}: {translations(language).gettext(MEANINGS[word])}"
    if (known := _reasons_of(name, ruleset)) is not None:
        yield say(REASONS, {"reasons": ", ".join(known) or "–"}, language)
    yield say(EXAMPLE, {"example": guide.example}, language)
