"""The nouns and verbs of the command line, and their implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    """Verbs by name. The table below has those that are functions."""


_WRITTEN: Mapping[str, Noun | Verb] = {
    "enter": Verb(
        "tournament.results_entry:enter", N_("Enter the results of a round, table by table, or from a file.")
    ),
    "print": Verb("printing:print_paper", N_("Write pairings, slips, sheets, cards or standings as a PDF.")),
    "shadow": Verb(
        "tournament.shadow:shadow",
        N_("Follow a tournament of another program, and list how it differs from the rules."),
    ),
    "access": Noun(
        N_("Credentials: roles and their scopes."),
        {
            "grant": Verb("access.access:grant", "Grant a role by a token, a link or a PIN."),
            "hand-on": Verb("access.access:hand_on", "Sign a token with a part of your rights, offline."),
            "sign-in": Verb("access.access:sign_in", "Get a token with the code of a link, or with a PIN at a table."),
            "bus": Verb("access.bus:bus", "Print the NATS user of a program that reads public events."),
            "keys": Verb("access.access:keys", "List, rotate or retire the keys that sign credentials."),
        },
    ),
    "tournament": Noun(
        N_("Tournaments: their settings and their history."),
        {
            "list": Verb("tournament.tournaments:list_tournaments", "List the tournaments."),
            "history": Verb(
                "tournament.history:history", "Show all actions with time, actor and the command that undoes each."
            ),
            "import": Verb("tournament.takeover:import_tournament", "Take over a tournament of another program."),
            "pack": Verb("tournament.packs:pack", "Write all files of a tournament for its federation, signed."),
            "export": Verb("tournament.export:whole", "Write the tournament as one JSON object."),
        },
    ),
    "player": Noun(
        N_("Players: registration, withdrawal and conduct."),
        {
            "import": Verb("players.players:import_players", "Register the players of a list, and their teams."),
            "export": Verb("tournament.ratings:export", "Print the rating list, the input of `player import`."),
            "list": Verb("players.players:list_players", "List the players."),
        },
    ),
    "registration": Noun(N_("The public form of a tournament: its entries and its waiting list.")),
    "player-request": Noun(N_("Requests of players for byes and to leave.")),
    "proposal": Noun(N_("Changes after a round was closed, which a second official confirms.")),
    "fee": Noun(N_("The fees of a tournament: payments, refunds and receipts.")),
    "data-request": Noun(N_("Requests of players for correction or erasure of their data.")),
    "team": Noun(
        N_("Teams of a tournament of teams."),
        {
            "list": Verb("players.players:list_teams", "List the teams with their line-ups."),
            "export": Verb("tournament.export:teams", "Write the teams with their line-ups as CSV or JSON."),
        },
    ),
    "hall": Noun(
        N_("Halls, their tables and their own cells."),
        {
            "list": Verb("tournament.standings:halls", "List the halls with the numbers of their tables."),
            "grant": Verb("hall.cells:grant", "Grant the token with which the laptop of a hall joins."),
            "status": Verb("hall.cells:status", "Show the state of the cell of a hall, on its laptop."),
            "export": Verb(
                "hall.files:export_events", "Write the events that a hall or its championship lacks to a file."
            ),
            "import": Verb("hall.files:import_events", "Import a file that the other side has exported."),
        },
    ),
    "season": Noun(
        N_("Seasons of a federation, their circuits and rankings."),
        {
            "list": Verb("season.seasons:list_seasons", "List the seasons with their circuits."),
            "show": Verb("season.seasons:show", "Show the ranking of a circuit, or the circuits of a season."),
            "bests": Verb("season.seasons:show_bests", "Show the best results of a season, and the medals."),
            "qualified": Verb(
                "season.seasons:list_qualified", "Print the players that qualify, the input of `player import`."
            ),
        },
    ),
    "person": Noun(
        N_("A player over all tournaments."),
        {
            "career": Verb("season.seasons:show_career", "Show the career of a player, or the games with an opponent."),
        },
    ),
    "register": Noun(
        N_("The federation's register of persons, with licences, clubs and categories."),
        {
            "preview": Verb("season.register:preview_import", "Show what a list would change in the register."),
            "import": Verb("season.register:import_list", "Take a list into the register, as a preview shows it."),
            "export": Verb("season.register:export", "Print the register as CSV, the input of `register import`."),
            "set-categories": Verb("season.register:set_categories", "Set the categories by age of a season."),
        },
    ),
    "licence": Noun(N_("The licence that a tournament requires, and exceptions from it.")),
    "fair-play": Noun(
        N_("Plays beside the best plays, for officials: a signal, never a verdict."),
        {
            "game": Verb("tournament.fair_play:show_game", "Show the turns of a game beside the best plays."),
            "tournament": Verb(
                "tournament.fair_play:show_tournament", "Compare the players of a tournament, and find overlaps."
            ),
            "player": Verb("tournament.fair_play:show_player", "Compare a player over tournaments and years."),
        },
    ),
    "rating-list": Noun(
        N_("Numbered rating lists of a federation, and their revisions."),
        {
            "list": Verb("season.rating_lists:list_lists", "List the numbered lists with their tournaments."),
            "show": Verb("season.rating_lists:show", "Show a list, in its latest or an earlier revision."),
            "export": Verb("season.rating_lists:export", "Print a list as CSV, the input of `player import`."),
        },
    ),
    "stage": Noun(
        N_("Stages of a championship: finals, knock-outs and groups."),
        {"show": Verb("tournament.stages:show", "Show the stages with their matches, and the final table.")},
    ),
    "bye": Noun(N_("Byes of players and teams.")),
    "pair": Noun(N_("Forbidden pairs, and pairs made by hand.")),
    "round": Noun(
        N_("Rounds: pairing, start and close."),
        {
            "show": Verb("tournament.rounds:show", "Show the pairings of a round with their results."),
            "export": Verb("tournament.export:pairings", "Write the tables of a round as CSV or JSON."),
        },
    ),
    "message": Noun(
        N_("Messages to everyone, halls, tables and players."),
        {"list": Verb("tournament.messages:list_messages", "List the messages that are shown now.")},
    ),
    "screen": Noun(
        N_("Hall screens and their programmes."),
        {
            "list": Verb("tournament.messages:list_screens", "List the screens with their last reports."),
            "add-picture": Verb("tournament.messages:add_picture", "Add a picture for screens from a file."),
        },
    ),
    "slot": Noun(
        N_("Stream slots of a broadcast."),
        {
            "list": Verb("tournament.messages:list_slots", "List the slots with the game that each shows."),
            "claims": Verb("tournament.messages:list_claims", "List the tables that annotators claim."),
        },
    ),
    "result": Noun(N_("Results that an arbiter enters.")),
    "game": Noun(
        N_("Games: their sheets and their times."),
        {
            "sheet": Verb("game.sheet:sheet", "Print the scoresheet of a game in the form of its rules."),
        },
    ),
    "table": Noun(
        N_("Tables: recording a game, and tables reserved for a player."),
        {
            "keep": Verb("game.table:table", "Record the game at a table."),
        },
    ),
    "sanction": Noun(N_("Lifted warnings, sanctions and expulsions.")),
    "appeal": Noun(N_("Appeals against sanctions.")),
    "tribunal": Noun(N_("The tribunal of appeals.")),
    "standings": Noun(
        N_("Standings."),
        {
            "show": Verb("tournament.standings:show", "Show the standings after a round, or with the results so far."),
            "prospects": Verb("tournament.standings:prospects", "Show the places that each player can still reach."),
            "export": Verb("tournament.export:standings", "Write the standings with their tie-breaks as CSV or JSON."),
        },
    ),
    "crosstable": Noun(
        N_("Crosstables."),
        {"export": Verb("tournament.export:crosstable", "Write the rounds of all players as CSV or JSON.")},
    ),
    "prize": Noun(
        N_("Prizes: special prizes, prize lists and awards."),
        {
            "list": Verb("tournament.prizes:prizes", "Show the leaders for the special prizes."),
            "awards": Verb("tournament.prizes:awards", "Show the prize lists with their awards and the reasons."),
        },
    ),
    "rating": Noun(
        N_("Ratings after a tournament."),
        {
            "show": Verb("tournament.ratings:show", "Show the ratings after a tournament, or an estimate."),
            "export": Verb("tournament.export:ratings", "Write the rating list, or an estimate, as CSV or JSON."),
        },
    ),
    "judge": Noun(
        N_("Judges: their appointment, and rulings on challenges."),
        {
            "watch": Verb("judge.judge:watch", "Show the cases that a judge may take, after each change."),
            "sit": Verb("judge.judge:sit_down", "Take cases as they come and rule on them."),
            "claim": Verb("judge.judge:claim", "Take a case and show its file."),
            "release": Verb("judge.judge:release", "Release a case."),
            "rule": Verb("judge.judge:rule", "Take a case, unless you hold it, and rule on every word of it."),
        },
    ),
    "ruling": Noun(
        N_("Rulings on challenges."),
        {
            "list": Verb("judge.rulings:list_rulings", "List the rulings of closed rounds in their public form."),
            "export": Verb("judge.rulings:export", "Write every word that was ruled on as CSV, for officials."),
        },
    ),
    "duplicate": Noun(
        N_("Duplicate games: racks, slips, scores."),
        {
            "bundle": Verb("duplicate_game.sealed:bundle", "Write the bundle with which a hall can continue offline."),
            "run": Verb("duplicate_game.run:run", "Run a hall at a terminal, online or offline."),
            "call": Verb("duplicate_game.play:call", "Call the rack of the next round."),
            "slips": Verb("duplicate_game.play:slips", "Submit the slips of a hall from a file."),
            "claims": Verb("duplicate_game.play:claims", "List the claims that wait for the judge."),
            "decide": Verb("duplicate_game.play:decide", "Decide a claim: correct the slip, or refuse."),
            "standings": Verb("duplicate_game.standings:standings", "Print the standings of a game."),
            "export": Verb("duplicate_game.export:export", "Write slips, turns, standings or the sealed game."),
            "train": Verb("duplicate_game.training:train", "Play a single-player game against the top."),
            "verify": Verb(
                "duplicate_game.sealed:verify", "Recompute every rack of a game, or of a file, and compare."
            ),
        },
    ),
    "draw": Noun(
        N_("Draws of hosted games."),
        {"verify": Verb("game.sheet:verify", "Recompute every draw of a game and compare.")},
    ),
    "ruleset": Noun(
        N_("Rule books as data: values, articles, options."),
        {
            "list": Verb("ruleset:list_rulesets", "List the rulesets, with the options still to choose."),
            "show": Verb("ruleset:show", "Print every value of a ruleset with its article."),
            "diff": Verb("ruleset:diff", "Print the values in which two rulesets differ."),
        },
    ),
    "lexicon": Noun(
        N_("The lexicons on this machine."),
        {
            "install": Verb("lexicon.lexicon:install_lexicon", "Fetch an open word list and build a lexicon from it."),
            "add": Verb("lexicon.lexicon:add_lexicon", "Build a lexicon from a federation's own lists."),
            "look-up": Verb("lexicon.lexicon:look_up", "Print the spellings of each word as tiles in the lexicon."),
            "list": Verb("lexicon.lexicon:list_lexicons", "List the lexicons on this machine."),
        },
    ),
    "gcg": Noun(
        N_("Games in GCG files."),
        {
            "check": Verb("game.gcg:check", "Replay games and compare every score and total."),
            "show": Verb("game.gcg:show", "Print the sheet and the board at the end."),
            "export": Verb("game.gcg:export", "Print a game of two players as a GCG file."),
        },
    ),
    "trf": Noun(
        N_("Tournaments in TRF files."),
        {
            "pair": Verb("trf:pair", "Pair the next round of a TRF file by FIDE's Dutch system, or check all."),
            "check": Verb("trf:check_files", "Pair all rounds of TRF files again and list the differences."),
            "generate": Verb("trf:generate", "Write random tournaments by FIDE's Dutch system as TRF files."),
            "export": Verb("tournament.export:trf", "Write a tournament as a TRF file."),
        },
    ),
    "tsh": Noun(
        N_("Tournaments in folders of the program tsh."),
        {"export": Verb("tournament.export:tsh", "Write the folder of a tournament for tsh.")},
    ),
    "tou": Noun(
        N_("Results in files of AUPAIR, for ratings."),
        {"export": Verb("tournament.export:tou", "Write the results of a tournament as a .tou file.")},
    ),
    "pack": Noun(
        N_("Federation packs: all files of a tournament."),
        {"verify": Verb("tournament.packs:verify", "Verify a pack offline: its files, its signature, its proof.")},
    ),
    "record": Noun(
        N_("The record of all events."),
        {
            "verify": Verb("record.record:verify", "Verify order, hash chain and seals."),
            "key": Verb("record.record:key", "Create a sealing key, and print its public key."),
            "seal": Verb("record.record:seal", "Seal all unsealed events."),
            "checkpoint": Verb(
                "record.record:checkpoint", "Sign a checkpoint of the log, and print the key of the log."
            ),
            "export": Verb("record.archive:export", "Write the record to a file that can be verified anywhere."),
            "restore": Verb("record.archive:restore", "Restore an exported record into an empty one."),
            "erase-person": Verb("record.archive:erase_person", "Erase a person permanently."),
            "erase-note": Verb("record.archive:erase_note", "Erase the note on one action permanently."),
            "migrate": Verb(
                "record.archive:migrate", "Migrate the tables of the record to the format of this version."
            ),
            "prepare": Verb("record.upkeep:prepare", "Prepare the record for processes of this version."),
            "roles": Verb("record.archive:roles", "Grant PostgreSQL roles the rights that the services need."),
            "prune": Verb("record.upkeep:prune", "Remove expired archives."),
            "erasures": Verb(
                "record.upkeep:erasures", "Write the IDs of erased persons to a file, to store with backups."
            ),
            "erase-again": Verb("record.upkeep:erase_again", "Repeat all erasures since the backup of this record."),
        },
    ),
    "proof": Noun(
        N_("Proofs that an event is in the log of a record."),
        {
            "verify": Verb("proof:verify", "Verify a proof offline, and say what it proves."),
            "compare": Verb("proof:compare", "Compare a log with the checkpoint that it showed before."),
        },
    ),
    "witness": Verb("witness.witness:witness", N_("Cosign the checkpoints of transparency logs.")),
    "projection": Noun(
        N_("The tables that are computed from the record."),
        {
            "list": Verb(
                "record.projections:list_projections", "Show the consumers of the record, with position and lag."
            ),
            "rebuild": Verb("record.projections:rebuild", "Rebuild a projection from the first event on."),
            "drop": Verb("record.projections:drop", "Drop the tables of a version that is no longer in use."),
            "retry": Verb("record.projections:retry", "Retry the failed events of consumers now."),
        },
    ),
    "webhook": Noun(
        N_("Addresses that are called with the events of a tournament."),
        {
            "list": Verb("tournament.webhooks:list_webhooks", "List the webhooks of a tournament with their states."),
            "show": Verb("tournament.webhooks:show", "Show a webhook with its dead letters."),
        },
    ),
    "referee": Verb("casebook:referee", N_("Play rulebook cases.")),
    "completion": Verb("completion:completion", N_("Print the completion script of a shell: bash, zsh or fish.")),
}


def _with_catalogue(noun: str, entry: Noun | Verb) -> Noun | Verb:
    """Add the verbs of the catalogue to a noun, before those that are functions."""
    if isinstance(entry, Verb):
        return entry
    of_contract = {
        command.verb.partition(" ")[2]: Verb(method)
        for method, command in CATALOGUE.items()
        if command.verb.startswith(f"{noun} ")
    }
    return Noun(entry.help, {**of_contract, **entry.verbs})


COMMANDS: Mapping[str, Noun | Verb] = {noun: _with_catalogue(noun, entry) for noun, entry in _WRITTEN.items()}
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
