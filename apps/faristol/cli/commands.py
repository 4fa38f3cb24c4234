"""The nouns and verbs of the command line, and their implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faristol.kernel.refusal import N_
from faristol.pb.comments import COMMENTS
from faristol.presentation.catalogue import CATALOGUE


class Verb(NamedTuple):
    """A verb of a noun: a function of a module of ``faristol.cli``, or a method of the contract."""

    where: str
    """``module:function``, or the name of the method."""
    help: str = ""
    """Short help; empty for a method, whose comment in the contract is used."""

    @property
    def short(self) -> str:
        """Help in one line."""
        return self.help or COMMENTS[self.where].partition(". ")[0].removesuffix(".") + "."


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its verbs."""

    help: str
    verbs: Mapping[str, Verb]
    """Verbs by name."""


_NOUNS: Mapping[str, str | Verb] = {
    "enter": Verb(
        "tournament.results_entry:enter", N_("Enter the results of a round, table by table, or from a file.")
    ),
    "print": Verb("printing:print_paper", N_("Write pairings, slips, sheets, cards or standings as a PDF.")),
    "shadow": Verb(
        "tournament.shadow:shadow",
        N_("Follow a tournament of another program, and list how it differs from the rules."),
    ),
    "access": N_("Credentials: roles and their scopes."),
    "tournament": N_("Tournaments: their settings and their history."),
    "player": N_("Players: registration, withdrawal and conduct."),
    "registration": N_("The public form of a tournament: its entries and its waiting list."),
    "player-request": N_("Requests of players for byes and to leave."),
    "proposal": N_("Changes after a round was closed, which a second official confirms."),
    "fee": N_("The fees of a tournament: payments, refunds and receipts."),
    "data-request": N_("Requests of players for correction or erasure of their data."),
    "team": N_("Teams of a tournament of teams."),
    "hall": N_("Halls, their tables and their own cells."),
    "season": N_("Seasons of a federation, their circuits and rankings."),
    "person": N_("A player over all tournaments."),
    "register": N_("The federation's register of persons, with licences, clubs and categories."),
    "licence": N_("The licence that a tournament requires, and exceptions from it."),
    "fair-play": N_("Plays beside the best plays, for officials: a signal, never a verdict."),
    "rating-list": N_("Numbered rating lists of a federation, and their revisions."),
    "stage": N_("Stages of a championship: finals, knock-outs and groups."),
    "bye": N_("Byes of players and teams."),
    "pair": N_("Forbidden pairs, and pairs made by hand."),
    "round": N_("Rounds: pairing, start and close."),
    "message": N_("Messages to everyone, halls, tables and players."),
    "screen": N_("Hall screens and their programmes."),
    "slot": N_("Stream slots of a broadcast."),
    "result": N_("Results that an arbiter enters."),
    "game": N_("Games: their sheets and their times."),
    "table": N_("Tables: recording a game, and tables reserved for a player."),
    "sanction": N_("Lifted warnings, sanctions and expulsions."),
    "appeal": N_("Appeals against sanctions."),
    "tribunal": N_("The tribunal of appeals."),
    "standings": N_("Standings."),
    "crosstable": N_("Crosstables."),
    "prize": N_("Prizes: special prizes, prize lists and awards."),
    "rating": N_("Ratings after a tournament."),
    "judge": N_("Judges: their appointment, and rulings on challenges."),
    "ruling": N_("Rulings on challenges."),
    "duplicate": N_("Duplicate games: racks, slips, scores."),
    "draw": N_("Draws of hosted games."),
    "ruleset": N_("Rule books as data: values, articles, options."),
    "lexicon": N_("The lexicons on this machine."),
    "gcg": N_("Games in GCG files."),
    "trf": N_("Tournaments in TRF files."),
    "tsh": N_("Tournaments in folders of the program tsh."),
    "tou": N_("Results in files of AUPAIR, for ratings."),
    "pack": N_("Federation packs: all files of a tournament."),
    "record": N_("The record of all events."),
    "proof": N_("Proofs that an event is in the log of a record."),
    "witness": Verb("witness.witness:witness", N_("Cosign the checkpoints of transparency logs.")),
    "projection": N_("The tables that are computed from the record."),
    "webhook": N_("Addresses that are called with the events of a tournament."),
    "referee": Verb("casebook:referee", N_("Play rulebook cases.")),
    "completion": Verb("completion:completion", N_("Print the completion script of a shell: bash, zsh or fish.")),
}
"""The help of each noun, and the commands without a verb."""

_VERBS: Mapping[str, Verb] = {
    "access grant": Verb("access.access:grant", "Grant a role by a token, a link or a PIN."),
    "access hand-on": Verb("access.access:hand_on", "Sign a token with a part of your rights, offline."),
    "access sign-in": Verb("access.access:sign_in", "Get a token with the code of a link, or with a PIN at a table."),
    "access bus": Verb("access.access:bus", "Print the NATS user of a program that reads public events."),
    "access keys": Verb("access.access:keys", "List, rotate or retire the keys that sign credentials."),
    "tournament list": Verb("tournament.tournaments:list_tournaments", "List the tournaments."),
    "tournament history": Verb(
        "tournament.history:history", "Show all actions with time, actor and the command that undoes each."
    ),
    "tournament import": Verb("tournament.takeover:import_tournament", "Take over a tournament of another program."),
    "tournament pack": Verb("tournament.packs:pack", "Write all files of a tournament for its federation, signed."),
    "tournament export": Verb("tournament.export:whole", "Write the tournament as one JSON object."),
    "player import": Verb("players.players:import_players", "Register the players of a list, and their teams."),
    "player export": Verb("tournament.ratings:export", "Print the rating list, the input of `player import`."),
    "player list": Verb("players.players:list_players", "List the players."),
    "team list": Verb("players.players:list_teams", "List the teams with their line-ups."),
    "team export": Verb("tournament.export:teams", "Write the teams with their line-ups as CSV or JSON."),
    "hall list": Verb("tournament.standings:halls", "List the halls with the numbers of their tables."),
    "hall grant": Verb("hall.cells:grant", "Grant the token with which the laptop of a hall joins."),
    "hall status": Verb("hall.cells:status", "Show the state of the cell of a hall, on its laptop."),
    "hall export": Verb(
        "hall.files:export_events", "Write the events that a hall or its championship lacks to a file."
    ),
    "hall import": Verb("hall.files:import_events", "Import a file that the other side has exported."),
    "season list": Verb("season.seasons:list_seasons", "List the seasons with their circuits."),
    "season show": Verb("season.seasons:show", "Show the ranking of a circuit, or the circuits of a season."),
    "season bests": Verb("season.seasons:show_bests", "Show the best results of a season, and the medals."),
    "season qualified": Verb(
        "season.seasons:list_qualified", "Print the players that qualify, the input of `player import`."
    ),
    "person career": Verb("season.seasons:show_career", "Show the career of a player, or the games with an opponent."),
    "register preview": Verb("season.register:preview_import", "Show what a list would change in the register."),
    "register import": Verb("season.register:import_list", "Take a list into the register, as a preview shows it."),
    "register export": Verb("season.register:export", "Print the register as CSV, the input of `register import`."),
    "register set-categories": Verb("season.register:set_categories", "Set the categories by age of a season."),
    "fair-play game": Verb("tournament.fair_play:show_game", "Show the turns of a game beside the best plays."),
    "fair-play tournament": Verb(
        "tournament.fair_play:show_tournament", "Compare the players of a tournament, and find overlaps."
    ),
    "fair-play player": Verb("tournament.fair_play:show_player", "Compare a player over tournaments and years."),
    "rating-list list": Verb("season.rating_lists:list_lists", "List the numbered lists with their tournaments."),
    "rating-list show": Verb("season.rating_lists:show", "Show a list, in its latest or an earlier revision."),
    "rating-list export": Verb("season.rating_lists:export", "Print a list as CSV, the input of `player import`."),
    "stage show": Verb("tournament.stages:show", "Show the stages with their matches, and the final table."),
    "round show": Verb("tournament.rounds:show", "Show the pairings of a round with their results."),
    "round export": Verb("tournament.export:pairings", "Write the tables of a round as CSV or JSON."),
    "message list": Verb("tournament.messages:list_messages", "List the messages that are shown now."),
    "screen list": Verb("tournament.messages:list_screens", "List the screens with their last reports."),
    "screen add-picture": Verb("tournament.messages:add_picture", "Add a picture for screens from a file."),
    "slot list": Verb("tournament.messages:list_slots", "List the slots with the game that each shows."),
    "slot claims": Verb("tournament.messages:list_claims", "List the tables that annotators claim."),
    "game sheet": Verb("game.sheet:sheet", "Print the scoresheet of a game in the form of its rules."),
    "table keep": Verb("game.table:table", "Record the game at a table."),
    "standings show": Verb(
        "tournament.standings:show", "Show the standings after a round, or with the results so far."
    ),
    "standings prospects": Verb("tournament.standings:prospects", "Show the places that each player can still reach."),
    "standings export": Verb(
        "tournament.export:standings", "Write the standings with their tie-breaks as CSV or JSON."
    ),
    "crosstable export": Verb("tournament.export:crosstable", "Write the rounds of all players as CSV or JSON."),
    "prize list": Verb("tournament.prizes:prizes", "Show the leaders for the special prizes."),
    "prize awards": Verb("tournament.prizes:awards", "Show the prize lists with their awards and the reasons."),
    "rating show": Verb("tournament.ratings:show", "Show the ratings after a tournament, or an estimate."),
    "rating export": Verb("tournament.export:ratings", "Write the rating list, or an estimate, as CSV or JSON."),
    "judge watch": Verb("judge.judge:watch", "Show the cases that a judge may take, after each change."),
    "judge sit": Verb("judge.judge:sit_down", "Take cases as they come and rule on them."),
    "judge claim": Verb("judge.judge:claim", "Take a case and show its file."),
    "judge release": Verb("judge.judge:release", "Release a case."),
    "judge rule": Verb("judge.judge:rule", "Take a case, unless you hold it, and rule on every word of it."),
    "ruling list": Verb("judge.rulings:list_rulings", "List the rulings of closed rounds in their public form."),
    "ruling export": Verb("judge.rulings:export", "Write every word that was ruled on as CSV, for officials."),
    "duplicate bundle": Verb(
        "duplicate_game.sealed:bundle", "Write the bundle with which a hall can continue offline."
    ),
    "duplicate run": Verb("duplicate_game.run:run", "Run a hall at a terminal, online or offline."),
    "duplicate call": Verb("duplicate_game.play:call", "Call the rack of the next round."),
    "duplicate slips": Verb("duplicate_game.play:slips", "Submit the slips of a hall from a file."),
    "duplicate claims": Verb("duplicate_game.play:claims", "List the claims that wait for the judge."),
    "duplicate decide": Verb("duplicate_game.play:decide", "Decide a claim: correct the slip, or refuse."),
    "duplicate standings": Verb("duplicate_game.export:standings", "Print the standings of a game."),
    "duplicate export": Verb("duplicate_game.export:export", "Write slips, turns, standings or the sealed game."),
    "duplicate train": Verb("duplicate_game.training:train", "Play a single-player game against the top."),
    "duplicate verify": Verb(
        "duplicate_game.sealed:verify", "Recompute every rack of a game, or of a file, and compare."
    ),
    "draw verify": Verb("game.sheet:verify", "Recompute every draw of a game and compare."),
    "ruleset list": Verb("ruleset:list_rulesets", "List the rulesets, with the options still to choose."),
    "ruleset show": Verb("ruleset:show", "Print every value of a ruleset with its article."),
    "ruleset diff": Verb("ruleset:diff", "Print the values in which two rulesets differ."),
    "lexicon install": Verb("lexicon.lexicon:install_lexicon", "Fetch an open word list and build a lexicon from it."),
    "lexicon add": Verb("lexicon.lexicon:add_lexicon", "Build a lexicon from a federation's own lists."),
    "lexicon look-up": Verb("lexicon.lexicon:look_up", "Print the spellings of each word as tiles in the lexicon."),
    "lexicon list": Verb("lexicon.lexicon:list_lexicons", "List the lexicons on this machine."),
    "gcg check": Verb("game.gcg:check", "Replay games and compare every score and total."),
    "gcg show": Verb("game.gcg:show", "Print the sheet and the board at the end."),
    "gcg export": Verb("game.gcg:export", "Print a game of two players as a GCG file."),
    "trf pair": Verb("trf:pair", "Pair the next round of a TRF file by FIDE's Dutch system, or check all."),
    "trf check": Verb("trf:check_files", "Pair all rounds of TRF files again and list the differences."),
    "trf generate": Verb("trf:generate", "Write random tournaments by FIDE's Dutch system as TRF files."),
    "trf export": Verb("tournament.export:trf", "Write a tournament as a TRF file."),
    "tsh export": Verb("tournament.export:tsh", "Write the folder of a tournament for tsh."),
    "tou export": Verb("tournament.export:tou", "Write the results of a tournament as a .tou file."),
    "pack verify": Verb("tournament.packs:verify", "Verify a pack offline: its files, its signature, its proof."),
    "record verify": Verb("record.record:verify", "Verify order, hash chain and seals."),
    "record key": Verb("record.record:key", "Create a sealing key, and print its public key."),
    "record seal": Verb("record.record:seal", "Seal all unsealed events."),
    "record checkpoint": Verb(
        "record.record:checkpoint", "Sign a checkpoint of the log, and print the key of the log."
    ),
    "record export": Verb("record.archive:export", "Write the record to a file that can be verified anywhere."),
    "record restore": Verb("record.archive:restore", "Restore an exported record into an empty one."),
    "record erase-person": Verb("record.archive:erase_person", "Erase a person permanently."),
    "record erase-note": Verb("record.archive:erase_note", "Erase the note on one action permanently."),
    "record migrate": Verb("record.archive:migrate", "Migrate the tables of the record to the format of this version."),
    "record prepare": Verb("record.upkeep:prepare", "Prepare the record for processes of this version."),
    "record roles": Verb("record.archive:roles", "Grant PostgreSQL roles the rights that the services need."),
    "record prune": Verb("record.upkeep:prune", "Remove expired archives."),
    "record erasures": Verb(
        "record.upkeep:erasures", "Write the IDs of erased persons to a file, to store with backups."
    ),
    "record erase-again": Verb("record.upkeep:erase_again", "Repeat all erasures since the backup of this record."),
    "proof verify": Verb("proof:verify", "Verify a proof offline, and say what it proves."),
    "proof compare": Verb("proof:compare", "Compare a log with the checkpoint that it showed before."),
    "projection list": Verb(
        "record.projections:list_projections", "Show the consumers of the record, with position and lag."
    ),
    "projection rebuild": Verb("record.projections:rebuild", "Rebuild a projection from the first event on."),
    "projection drop": Verb("record.projections:drop", "Drop the tables of a version that is no longer in use."),
    "projection retry": Verb("record.projections:retry", "Retry the failed events of consumers now."),
    "webhook list": Verb("tournament.webhooks:list_webhooks", "List the webhooks of a tournament with their states."),
    "webhook show": Verb("tournament.webhooks:show", "Show a webhook with its dead letters."),
}
"""The verbs that are functions, with their nouns."""


def _find_verbs(noun: str) -> Mapping[str, Verb]:
    """Return the verbs of a noun: those of the catalogue, then those that are functions."""
    of_contract = {command.verb: Verb(method) for method, command in CATALOGUE.items()}
    found = (*of_contract.items(), *_VERBS.items())
    return {name.removeprefix(f"{noun} "): verb for name, verb in found if name.startswith(f"{noun} ")}


COMMANDS: Mapping[str, Noun | Verb] = {
    noun: entry if isinstance(entry, Verb) else Noun(entry, _find_verbs(noun)) for noun, entry in _NOUNS.items()
}
"""All commands except those of ``main``, in the order of the listing."""


def format_command(method: str) -> str:
    """Return noun and verb of a method of the contract: ``round unpair`` for ``UnpairRound``."""
    return _SPELLED.get(method, method)


_SPELLED = {method: command.verb for method, command in CATALOGUE.items()} | {
    "ListActs": "tournament history",
    "ImportRounds": "tournament import",
    "ReportShadow": "shadow",
    "RegisterPlayers": "player import",
    "AddPicture": "screen add-picture",
    "EnterResults": "enter",
    "ConfirmResults": "result confirm",
    "ListResults": "enter",
    "ListSanctions": "player sanction",
    "GetPersonalDetails": "player list",
}


def find_command(words: Sequence[str]) -> list[str]:
    """Return the noun and the verb in the words of a command line, if known."""
    for place, word in enumerate(words):
        entry = COMMANDS.get(word)
        if isinstance(entry, Noun):
            return [word, *(verb for verb in words[place + 1 : place + 2] if verb in entry.verbs)]
        if entry is not None:
            return [word]
    return []
