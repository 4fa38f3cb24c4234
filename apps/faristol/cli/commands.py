"""The nouns and verbs of the command line, and their implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faristol.kernel.refusal import N_
from faristol.pb.comments import COMMENTS


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


COMMANDS: Mapping[str, Noun | Verb] = {
    "enter": Verb(
        "tournament.results_entry:enter", N_("Enter the results of a round, table by table, or from a file.")
    ),
    "print": Verb("printing:print_paper", N_("Write pairings, slips, sheets, cards or standings as a PDF.")),
    "access": Noun(
        N_("Credentials: who may do what."),
        {
            "grant": Verb("access.access:grant", "Give somebody a role: by a token, a link or a PIN."),
            "list": Verb("access.access:list_credentials", "List the credentials that you may end."),
            "revoke": Verb("access.access:revoke", "End a credential, and all that were handed on from it."),
            "hand-on": Verb("access.access:hand_on", "Make a token of less than you hold, without the network."),
            "sign-in": Verb("access.access:sign_in", "Get a token by the code of a link, or by a PIN at a table."),
            "who": Verb("access.access:who", "Show whose credential you use, and for what."),
            "keys": Verb("access.access:keys", "List, renew or remove the keys that sign credentials."),
        },
    ),
    "tournament": Noun(
        N_("Tournaments: what they are, and what was done in them."),
        {
            "create": Verb("CreateTournament"),
            "list": Verb("tournament.tournaments:list_tournaments", "List the tournaments."),
            "show": Verb("GetTournament"),
            "describe": Verb("DescribeTournament"),
            "set-options": Verb("ChangeOptions"),
            "set-lexicon": Verb("ChooseLexicon"),
            "set-rounds": Verb("ChangeRounds"),
            "archive": Verb("ArchiveTournament"),
            "remove": Verb("RemoveTournament"),
            "restore": Verb("RestoreTournament"),
            "obstacles": Verb("ListObstacles"),
            "history": Verb(
                "tournament.history:history", "Show what was done: when, what, by whom, and what would undo it."
            ),
            "undo": Verb("UndoAct"),
            "export": Verb("tournament.export:whole", "Write all of it as one JSON object."),
        },
    ),
    "player": Noun(
        N_("Players: who takes part, who leaves, how they behave."),
        {
            "add": Verb("RegisterPlayer"),
            "import": Verb("players.players:import_players", "Register the players of a list, and their teams."),
            "export": Verb("tournament.ratings:export", "Print the rating list, as `player import` takes it."),
            "amend": Verb("AmendPlayer"),
            "list": Verb("players.players:list_players", "List the players."),
            "check-in": Verb("CheckInPlayer"),
            "check-in-all": Verb("CheckInPlayers"),
            "check-out": Verb("CheckOutPlayer"),
            "withdraw": Verb("WithdrawPlayer"),
            "reinstate": Verb("ReinstatePlayer"),
            "move": Verb("MovePlayer"),
            "warn": Verb("WarnPlayer"),
            "sanction": Verb("SanctionPlayer"),
            "expel": Verb("ExpelPlayer"),
        },
    ),
    "data-request": Noun(
        N_("Requests of players for correction or erasure of their data."),
        {
            "lodge": Verb("LodgeDataRequest"),
            "list": Verb("access.data_requests:list_requests", "List the requests with their answers."),
            "answer": Verb("AnswerDataRequest"),
        },
    ),
    "team": Noun(
        N_("Teams, where teams meet."),
        {
            "add": Verb("RegisterTeam"),
            "list": Verb("players.players:list_teams", "List the teams with their line-ups."),
            "set-line-up": Verb("SetLineUp"),
            "withdraw": Verb("WithdrawTeam"),
            "reinstate": Verb("ReinstateTeam"),
            "export": Verb("tournament.export:teams", "Write the teams with their line-ups as CSV or JSON."),
        },
    ),
    "hall": Noun(
        N_("Halls and their tables."),
        {
            "set": Verb("SetHalls"),
            "list": Verb("tournament.standings:halls", "List the halls with the numbers of their tables."),
        },
    ),
    "bye": Noun(N_("Rounds that somebody sits out."), {"grant": Verb("GrantBye"), "revoke": Verb("RevokeBye")}),
    "pair": Noun(
        N_("Pairs that are kept apart, and pairs made by hand."),
        {
            "forbid": Verb("ForbidPair"),
            "allow": Verb("AllowPair"),
            "keep": Verb("KeepPair"),
            "release": Verb("ReleasePair"),
        },
    ),
    "round": Noun(
        N_("Rounds: pairing, starting, closing."),
        {
            "pair": Verb("PairRound"),
            "show": Verb("tournament.rounds:show", "Show the pairings of a round with their results."),
            "explain": Verb("ExplainPairing"),
            "unpair": Verb("UnpairRound"),
            "announce": Verb("AnnounceRounds"),
            "start": Verb("StartRound"),
            "close": Verb("CloseRound"),
            "export": Verb("tournament.export:pairings", "Write the tables of a round as CSV or JSON."),
        },
    ),
    "result": Noun(
        N_("Results that an arbiter gives."),
        {
            "enter": Verb("EnterResult"),
            "from-sheet": Verb("EnterSignedSheet"),
            "correct-own": Verb("CorrectOwnResult"),
            "correct": Verb("CorrectResult"),
            "confirm": Verb("ConfirmResult"),
            "show-check": Verb("GetResultCheck"),
            "set-check": Verb("SetResultCheck"),
            "forfeit": Verb("GiveForfeit"),
        },
    ),
    "game": Noun(
        N_("Games: their sheets, and when they are played."),
        {
            "sheet": Verb("game.sheet:sheet", "Print the scoresheet of a game as its rules want it."),
            "postpone": Verb("PostponeGame"),
            "cancel-postponement": Verb("CancelPostponement"),
            "start": Verb("StartPostponedGame"),
        },
    ),
    "table": Noun(
        N_("Tables: keeping one, and who has one of their own."),
        {
            "keep": Verb("game.table:table", "Keep a table that is being played."),
            "fix": Verb("FixTable"),
            "release": Verb("ReleaseTable"),
        },
    ),
    "sanction": Noun(
        N_("Warnings, sanctions and expulsions that are taken back."),
        {"lift": Verb("LiftSanction"), "lift-expulsion": Verb("LiftExpulsion")},
    ),
    "appeal": Noun(
        N_("Appeals against sanctions."),
        {"lodge": Verb("LodgeAppeal"), "decide": Verb("DecideAppeal"), "withdraw": Verb("WithdrawAppeal")},
    ),
    "tribunal": Noun(N_("The tribunal of appeals."), {"appoint": Verb("AppointTribunal")}),
    "standings": Noun(
        N_("Standings."),
        {
            "show": Verb("tournament.standings:show", "Show the standings after a round, or with the results so far."),
            "publish": Verb("PublishStandings"),
            "reopen": Verb("ReopenStandings"),
            "export": Verb("tournament.export:standings", "Write the standings with their tie-breaks as CSV or JSON."),
        },
    ),
    "crosstable": Noun(
        N_("Crosstables."), {"export": Verb("tournament.export:crosstable", "Write everybody's rounds as CSV or JSON.")}
    ),
    "prize": Noun(
        N_("Special prizes."),
        {
            "offer": Verb("OfferPrizes"),
            "list": Verb("tournament.prizes:prizes", "Show who is ahead for the special prizes."),
        },
    ),
    "rating": Noun(
        N_("Ratings after a tournament."),
        {
            "systems": Verb("ListRatingSystems", "List the rating systems that a tournament can choose."),
            "choose": Verb("ChooseRatingSystem"),
            "show": Verb("tournament.ratings:show", "Show the ratings after a tournament, or an estimate."),
            "export": Verb("tournament.export:ratings", "Write the rating list, or an estimate, as CSV or JSON."),
        },
    ),
    "judge": Noun(
        N_("Judges: who rules on challenges, and ruling on them."),
        {
            "mode": Verb("SetAdjudication"),
            "appoint": Verb("AppointJudge"),
            "dismiss": Verb("DismissJudge"),
            "layers": Verb("ChooseLayers"),
            "show": Verb("GetAdjudication", "Show how challenges of a tournament are ruled on, and by whom."),
            "watch": Verb("judge.judge:watch", "Show the cases that a judge may take, whenever they change."),
            "sit": Verb("judge.judge:sit_down", "Take cases as they come and rule on them."),
            "claim": Verb("judge.judge:claim", "Take a case and show what is known of it."),
            "release": Verb("judge.judge:release", "Give a case back."),
            "rule": Verb("judge.judge:rule", "Take a case, or have it, and rule on every word of it."),
        },
    ),
    "ruling": Noun(
        N_("Rulings on challenges."),
        {
            "list": Verb(
                "judge.rulings:list_rulings", "List the rulings of closed rounds, as the public may see them."
            ),
            "export": Verb("judge.rulings:export", "Write every word that was ruled on as CSV, for officials."),
            "stats": Verb("GetRulingTimes", "Say how long cases waited for their ruling."),
            "correct": Verb("CorrectRuling"),
        },
    ),
    "duplicate": Noun(
        N_("Duplicate games: racks, slips, scores."),
        {
            "prepare": Verb("duplicate_game.sealed:prepare", "Prepare the game of a round, sealed: nobody sees it."),
            "embargo": Verb("duplicate_game.sealed:embargo", "Hide a game until every group has played it."),
            "lift": Verb("duplicate_game.sealed:lift", "End an embargo before the last group has played."),
            "bundle": Verb("duplicate_game.sealed:bundle", "Write what a hall needs to play on when it is cut off."),
            "run": Verb(
                "duplicate_game.run:run", "Run a hall at a terminal, with the line to the services or without."
            ),
            "call": Verb("duplicate_game.play:call", "Call the rack of the next round."),
            "start": Verb("duplicate_game.play:start", "Begin the time of a round."),
            "slips": Verb("duplicate_game.play:slips", "Hand in the slips of a hall, from a file."),
            "tops": Verb("duplicate_game.play:tops", "List the plays of the highest score of a round."),
            "waiting": Verb("duplicate_game.judge:waiting", "List what keeps a round from being scored."),
            "rule": Verb("duplicate_game.judge:rule", "Say what counts of a slip that waits for an arbiter."),
            "master": Verb("duplicate_game.judge:master", "Choose the master play of a round, before it is scored."),
            "score": Verb("duplicate_game.play:score", "Score a round, and lay its master play."),
            "claims": Verb("duplicate_game.play:claims", "List the claims that wait for the judge."),
            "claim": Verb("duplicate_game.play:claim", "Contest what a round was worth, for a player."),
            "decide": Verb("duplicate_game.play:decide", "Decide a claim: correct the slip, or refuse."),
            "standings": Verb("duplicate_game.standings:standings", "Print the standings of a game."),
            "end": Verb("duplicate_game.play:end", "End a game, together with the players."),
            "validate": Verb("duplicate_game.play:validate", "Declare the results of a game final."),
            "export": Verb("duplicate_game.export:export", "Write slips, turns, standings or the sealed game."),
            "train": Verb("duplicate_game.training:train", "Play a game alone, against the top."),
            "verify": Verb(
                "duplicate_game.sealed:verify", "Draw every rack of a game again, and compare; of a file too."
            ),
        },
    ),
    "draw": Noun(
        N_("Draws of games whose bag the system held."),
        {"verify": Verb("game.draws:verify", "Make every draw of a game again, and compare.")},
    ),
    "ruleset": Noun(
        N_("Rule books as data: values, articles, options."),
        {
            "list": Verb("ruleset:list_rulesets", "List the rulesets, and what each still needs from an organiser."),
            "show": Verb("ruleset:show", "Print every value of a ruleset beside its article."),
            "diff": Verb("ruleset:diff", "Print the values in which two rulesets differ."),
        },
    ),
    "lexicon": Noun(
        N_("The lexicons on this machine."),
        {
            "install": Verb("lexicon.lexicon:install_lexicon", "Fetch an open word list and build a lexicon of it."),
            "add": Verb("lexicon.lexicon:add_lexicon", "Build a lexicon of a federation's own lists."),
            "look-up": Verb("lexicon.lexicon:look_up", "Say of each word as which tiles it is in."),
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
            "export": Verb("tournament.export:trf", "Write a tournament as a TRF file."),
        },
    ),
    "record": Noun(
        N_("The record of everything that happened."),
        {
            "verify": Verb("record.record:verify", "Check order, hash chain and seals."),
            "key": Verb("record.record:key", "Make a key to seal with, and print its public half."),
            "seal": Verb("record.record:seal", "Seal what is not sealed yet."),
            "export": Verb("record.archive:export", "Write the record to a file that can be checked anywhere."),
            "restore": Verb("record.archive:restore", "Put an exported record into an empty one."),
            "erase-person": Verb("record.archive:erase_person", "Forget a person for ever."),
            "erase-note": Verb("record.archive:erase_note", "Forget for ever what was noted with one act."),
            "migrate": Verb("record.archive:migrate", "Bring the tables of the record to the format of this version."),
            "prepare": Verb("record.upkeep:prepare", "Make the record ready for processes of this version."),
            "roles": Verb("record.archive:roles", "Grant roles of PostgreSQL what the services need."),
            "prune": Verb("record.upkeep:prune", "Remove archives that are older than the rule keeps them."),
            "erasures": Verb("record.upkeep:erasures", "Write who was erased to a file, to keep beside backups."),
            "erase-again": Verb(
                "record.upkeep:erase_again", "Erase again who was erased after the backup of this record."
            ),
        },
    ),
    "projection": Noun(
        N_("The tables that are computed from the record."),
        {
            "list": Verb(
                "record.projections:list_projections", "Show what follows the record, and how far behind it is."
            ),
            "rebuild": Verb("record.projections:rebuild", "Build a projection again from the first event on."),
            "drop": Verb("record.projections:drop", "Drop the tables of a version that is no longer read."),
            "retry": Verb("record.projections:retry", "Have consumers try at once what they could not take."),
        },
    ),
    "webhook": Noun(
        N_("Addresses that are called with the news of a tournament."),
        {
            "add": Verb("tournament.webhooks:add", "Have an address called with the news of a tournament."),
            "list": Verb("tournament.webhooks:list_webhooks", "List the webhooks of a tournament, and how each is."),
            "show": Verb("tournament.webhooks:show", "Show a webhook with its dead letters."),
            "remove": Verb("tournament.webhooks:remove", "End a webhook for good."),
            "resume": Verb(
                "tournament.webhooks:resume", "Have a webhook that stopped go on, or go back to a position."
            ),
            "rotate": Verb(
                "tournament.webhooks:rotate", "Give a webhook a new secret; the old one signs too for 24 hours."
            ),
            "redeliver": Verb("tournament.webhooks:redeliver", "Have dead letters delivered once more."),
            "drop": Verb("tournament.webhooks:drop", "Drop dead letters."),
        },
    ),
    "referee": Verb("casebook:referee", N_("Play rulebook cases.")),
    "completion": Verb("completion:completion", N_("Print what a shell needs to complete words: bash, zsh or fish.")),
}
"""All commands except those of ``main``, in the order of the listing."""


def spelled(method: str) -> str:
    """Return noun and verb of a method of the contract: ``round unpair`` for ``UnpairRound``."""
    return _SPELLED.get(method, method)


_SPELLED = {
    verb.where: f"{noun} {name}"
    for noun, entry in COMMANDS.items()
    if isinstance(entry, Noun)
    for name, verb in entry.verbs.items()
} | {
    "ListActs": "tournament history",
    "RegisterPlayers": "player import",
    "EnterResults": "enter",
    "ListResults": "enter",
    "ListDataRequests": "data-request list",
    "ListSanctions": "player sanction",
}


def called(words: Sequence[str]) -> list[str]:
    """Return the noun and the verb in the words of a command line, if known."""
    for place, word in enumerate(words):
        entry = COMMANDS.get(word)
        if isinstance(entry, Noun):
            return [word, *(verb for verb in words[place + 1 : place + 2] if verb in entry.verbs)]
        if entry is not None:
            return [word]
    return []
