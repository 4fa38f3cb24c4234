"""Every refusal names its article, or is of a kind that no rule book covers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset, ruleset_names
from faristol.text import cite_refusal, with_article

ROOT = Path(__file__).parents[3]
PARTS = (
    *(
        f"services/faristol/{service}"
        for service in ("game", "clock", "tournament", "lexicon", "rating", "read_models")
    ),
    *(
        f"libs/faristol/{part}"
        for part in ("rules", "table", "words", "event_store", "personal_data", "adjudication", "webhooks", "host")
    ),
)
"""The packages with decisions on tournaments. Refusals of the tools have no rule."""

TECHNICAL: Mapping[str, frozenset[str]] = {
    "the act has no sense yet, or any more: what it is about has not happened, or has already": frozenset(
        {
            *("ROUND_NOT_PAIRED", "ROUND_PAIRED", "ROUND_OUT_OF_ORDER", "NO_ROUND_LEFT", "ROUND_NOT_TO_COME"),
            *("ROUND_NOT_STARTED", "ROUND_STARTED", "ROUNDS_LEFT", "NOT_PUBLISHED", "TOURNAMENT_OVER"),
            *("PAIRED_AND_WITHDRAWN", "ENTERED_AFTER_PAIRING", "CHECKED_IN", "NOT_CHECKED_IN", "CHECK_IN_CLOSED"),
            "CHECK_IN_OPEN",
            "BRACKET_CHANGED",
            *("WITHDRAWN", "NOT_WITHDRAWN", "NOT_POSTPONED", "BYE_GRANTED", "NO_BYE", "NOT_EXPELLED"),
            *(
                "GAME_RUNNING",
                "GAME_BEGUN",
                "GAME_NOT_OVER",
                "GAME_LOST",
                "NO_RESULT",
                "LIST_PUBLISHED",
                "NO_ROUND_STARTED",
            ),
            *("SAME_RESULT", "SAME_ROUNDS", "SAME_LINE_UP", "SAME_SYSTEM", "NOT_UNDONE", "NO_SANCTION", "NO_APPEAL"),
            *("RESULT_CHANGED", "WAS_FIRST", "CHANGED_MEANWHILE", "NO_RESULT_ENTERED", "NOT_SHOWN"),
            *("SAME_DESCRIPTION", "SAME_OPTIONS", "ARCHIVED", "NOT_ARCHIVED", "TOURNAMENT_REMOVED", "ROUND_PLAYED"),
        }
    ),
    "final checks, names of stages, and rounds of other programs": frozenset(
        {
            *("NAME_REMOVED", "NO_DIVISION", "SAME_NAME", "DIVISION_STANDS", "FINAL_CHECK_OPEN", "FINALISED"),
            *("STAGE_BEGUN", "STAGE_PAIRED", "QUALIFICATION_UNCHANGED", "ROUND_OPEN"),
        }
    ),
    "numbered rating lists, which a federation publishes": frozenset(
        {"ALREADY_LISTED", "NOT_FINISHED", "SAME_RATINGS", "SYSTEM_FIXED"}
    ),
    "entries of persons, which a federation merges": frozenset(
        {"ALREADY_MERGED", "ONE_ENTRY", "PLAYED_TOGETHER", "NOT_MERGED"}
    ),
    "the register of persons, which a federation keeps": frozenset(
        {
            *("SAME_NAME_IN_REGISTER", "SAME_NUMBER_IN_REGISTER", "SAME_LICENCE", "TOO_MANY_LICENCES"),
            *("NO_SUCH_LICENCE", "CLUB_MERGED", "SAME_CLUB_NAME", "SAME_CLUB", "CLUB_HAS_MERGED", "ONE_CLUB"),
            *("OTHER_CLUB_KIND", "SAME_CATEGORIES", "ROWS_OF_ONE_PERSON", "NO_ROW_TAKEN", "REGISTER_ACT_UNDONE"),
            *("REGISTER_CHANGED_SINCE", "PREVIEW_OUTDATED"),
        }
    ),
    "licences, which an organiser requires": frozenset(
        {
            *("SAME_LICENCE_REQUIREMENT", "NO_LICENCE_REQUIRED", "LICENCE_EXCEPTED", "NO_LICENCE_EXCEPTION"),
            *("LICENCE_EXPIRED", "LICENCE_MISSING"),
        }
    ),
    "seasons and circuits, which a federation makes": frozenset({"SAME_CIRCUIT", "SAME_WEIGHT", "NOT_IN_CIRCUIT"}),
    "stages of a championship, which the organiser sets": frozenset(
        {
            *("STAGE_OF_TEAMS", "NO_STAGE", "SOURCE_NOT_FINISHED"),
            "NO_PLAYER_QUALIFIES",
        }
    ),
    "what is said does not agree with itself or with the record": frozenset(
        {"SCORES_SWAPPED", "WINNER_NOT_SAID", "WRONG_PLAYERS", "GAME_NOT_PAIRED", "OWN_GAME"}
    ),
    "people, teams and names": frozenset(
        {
            *("NOT_REGISTERED", "NOT_IN_ROUND", "NAME_DIFFERS", "NAME_TAKEN", "NO_SUCH_TEAM", "PERSON_ERASED"),
            "RECORD_NOT_MIGRATED",
            *("TOO_MANY_PLAYERS", "TOO_MANY_TEAMS", "SAME_ENTRY"),
            *("NO_REQUEST", "REQUEST_ANSWERED", "REQUEST_WAITS"),
        }
    ),
    "entries by the form of a tournament, which the organiser sets": frozenset(
        {
            *("FORM_CLOSED", "NO_PLACE_LEFT", "ENTRY_DECIDED", "ENTRY_STANDS", "ENTRY_ACCEPTED", "NOT_ASKED"),
            *("NOT_WAITING", "TOO_MANY_FORMS", "TOURNAMENT_BEGUN"),
        }
    ),
    "fees and payments, which the organiser sets": frozenset(
        {"NO_FEES", "CURRENCY_IN_USE", "NOTHING_OWED", "OTHER_CURRENCY", "NOT_SO_MUCH_LEFT", "PAYMENT_RETURNED"}
    ),
    "drafts of pairings, which the director publishes": frozenset(
        {
            *("ROUND_NOT_PUBLISHED", "NO_DRAFT", "PLAYERS_IN_TEAMS", "HALL_FULL", "ROUND_PUBLISHED"),
            *("NO_PUBLICATION_TIME", "BYES_CHANGED", "ROUND_DRAFTED"),
        }
    ),
    "results that players enter, as the organiser wants it": frozenset({"PLAYERS_DO_NOT_ENTER", "NOT_DISPUTED"}),
    "check-in and requests by players, as the organiser wants it": frozenset(
        {"NO_TABLE", "CHECK_IN_AT_DESK", "BYES_AT_DESK", "BYES_USED", "LEAVE_AT_DESK"}
    ),
    "questions about places, which only points can answer": frozenset({"NOT_BY_POINTS"}),
    "lists of prizes, which the organiser offers": frozenset({"NO_PRIZE_LIST", "TOO_MANY_PRIZE_LISTS"}),
    "messages and screens of the organiser": frozenset(
        {
            *("NO_SUCH_PICTURE", "SCREEN_NAME_TAKEN", "TOO_MANY_SCREENS", "NO_SUCH_SCREEN", "PICTURE_KNOWN"),
            *("TOO_MANY_PICTURES", "PICTURE_SHOWN", "NO_SUCH_HALL", "NO_READERS", "TOO_MANY_MESSAGES"),
            *("MESSAGE_OVER", "NO_ROUND_OPEN", "NOT_IN_HALL", "NO_MAIL_SERVER"),
            *("NO_SUCH_SLOT", "TABLE_CLAIMED", "TABLE_NOT_CLAIMED", "SAME_DELAY", "GAMES_HELD_BACK"),
            "NOT_YET_PROVEN",
        }
    ),
    "notifications by push": frozenset({"NO_PUSH_KEYS", "TOO_MANY_FOLLOWS", "TOO_MANY_SUBSCRIPTIONS"}),
    "what is set up for other programs": frozenset({"TOO_MANY_WEBHOOKS"}),
    "changes that a second official confirms, as the organiser wants it": frozenset(
        {
            *("PROPOSAL_OPEN", "PROPOSAL_ANSWERED", "PROPOSAL_OUTDATED", "PROPOSAL_WAITS", "NO_PROPOSAL"),
            *("PROPOSER_UNKNOWN", "OTHER_PROPOSER", "SAME_RULE"),
        }
    ),
    "a second person who looks at results, as the organiser wants it": frozenset(
        {
            *("SAME_PERSON", "CONFIRMED_ALREADY", "NO_RESULT_CHECK", "PLAYERS_DO_NOT_CONFIRM", "NOT_OWN_RESULT"),
            "RESULTS_UNCONFIRMED",
        }
    ),
    "duplicate games: what there is none of, and names that tiles are called by": frozenset(
        {"NO_TABLES", "DUPLICATE_GAMES", "CALL_NAME_UNKNOWN", "CALL_NAME_WRONG", "CALL_NAME_TWICE"}
        | {"CALL_NUMBERS_WRONG", "CALL_NUMBER_TWICE"}
    ),
    "the key by which duplicate games are sealed": frozenset({"NO_SEALING_KEY"}),
    "divisions, which the director makes": frozenset(
        {
            *("NOT_FIRST_DIVISION", "TOO_MANY_DIVISIONS", "DIVISION_NAMED", "DIVISION_TAKEN", "ALREADY_IN_DIVISION"),
            *("TABLES_OF_DIVISION", "OTHER_CHAMPIONSHIP", "SANCTIONED", "LEFT_DIVISION", "MOVED"),
            "HAS_DIVISIONS",
        }
    ),
    "halls and tables": frozenset(
        {"NO_SUCH_TABLE", "NO_OWN_TABLE", "TABLE_NEEDED", "TABLE_TAKEN", "TOO_FEW_TABLES", "OWN_TABLES_CLASH"}
    ),
    "halls that go on alone: the cell that has a table, and what it sends": frozenset(
        {
            *("TABLE_HANDED_OVER", "TABLE_OF_CHAMPIONSHIP", "OTHER_HALL", "HALL_JOINED", "HALL_NOT_JOINED"),
            "HALL_RELEASED",
            *("SAME_VERDICT", "EVENTS_MISSING", "RECORD_BUSY", "CASE_OF_CHAMPIONSHIP", "NOT_KEPT", "GAME_SEED_STORED"),
            *("KEPT_DECIDED", "KEPT_WITHDRAWN", "NOT_OWN_COMMAND", "COMMAND_KNOWN"),
        }
    ),
    "pairs that the director makes or keeps apart by hand": frozenset(
        {
            *("PAIR_FORBIDDEN", "PAIR_NOT_FORBIDDEN", "PAIR_KEPT", "PAIR_NOT_KEPT", "PAIRS_MISSING", "NOT_TO_PAIR"),
            *("NO_PAIRING", "NOT_PAIRS"),
        }
    ),
    "the queue of the judges": frozenset(
        {
            *("NOT_A_JUDGE", "NOT_APPOINTED", "OTHER_LANGUAGE", "TOO_FEW_JUDGES", "NO_DIRECTOR", "HOLDS_ANOTHER"),
            *("CASE_TAKEN", "CASE_WITHDRAWN", "CLAIM_LOST", "OPINION_GIVEN", "WORDS_NOT_THOSE_OF_CASE"),
            "UNSUPPORTED_RULING",
        }
    ),
    "how a table is kept: by the system, or over the board": frozenset({"TABLE_HOSTED", "NO_DRAWS", "DRAWS_SECRET"}),
    "lexicons and rulesets as they are installed": frozenset(
        {
            *("LEXICON_MISSING", "LEXICON_UNUSABLE", "LEXICON_OF_OTHER_TILES", "NO_SUCH_LAYER"),
            *("INSTALLING", "LEXICONS_READ_ONLY", "NO_WORD"),
            *("RULESET_MISSING", "RULESET_UNREADABLE", "NO_LEXICON", "LEXICON_PINNED"),
            *("OPTION_UNKNOWN", "NO_SUCH_TILE", "EMPTY_WORD", "WORD_LENGTH", "MIXED_SCRIPTS", "NOT_TILES"),
        }
    ),
    "the book has no such thing": frozenset({"NO_TRIBUNAL", "NO_SANCTIONS"}),
}
"""Reasons of refusals that rest on no article, by their kind."""


class Raised(NamedTuple):
    """A refusal in the code."""

    place: str
    reason: str
    article: ast.expr


BUILDERS = frozenset({"build_round_refusal", "build_game_refusal", "build_player_refusal"})
"""Names of functions that make a refusal from a reason and an article."""

NO_ARTICLE = ast.Constant(value="")


@cache
def list_refusals() -> tuple[Raised, ...]:
    """Return every refusal with a literal reason."""

    def find_refusals() -> Iterator[Raised]:
        for part in PARTS:
            for file in sorted((ROOT / part).rglob("*.py")):
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                    match node:
                        case ast.Call(
                            func=ast.Name(name), args=[ast.Constant(value=str(reason)), ast.expr() as article, *_]
                        ) if name in BUILDERS:
                            yield Raised(f"{file.relative_to(ROOT)}:{node.lineno}", reason, article)
                        case ast.Call(func=ast.Name("Refusal"), args=[ast.Constant(value=str(reason)), *_]):
                            named = {each.arg: each.value for each in node.keywords}
                            article = named.get("article", NO_ARTICLE)
                            yield Raised(f"{file.relative_to(ROOT)}:{node.lineno}", reason, article)

    return tuple(find_refusals())


def without_article() -> dict[str, str]:
    return {
        each.reason: each.place
        for each in list_refusals()
        if isinstance(each.article, ast.Constant) and not each.article.value
    }


def test_a_refusal_without_an_article_is_of_a_kind_that_no_book_speaks_of() -> None:
    known = {reason for kind in TECHNICAL.values() for reason in kind}
    assert len(known) == sum(map(len, TECHNICAL.values()))
    missing = {reason: place for reason, place in without_article().items() if reason not in known}
    assert not missing, f"name the article, or list the reason with its kind: {missing}"
    assert known <= set(without_article()), known - set(without_article())


def sources() -> Iterator[tuple[str, str]]:
    """Yield the sources of the articles of refusals: fields of a book's law, and values of its sections."""
    for each in list_refusals():
        for node in ast.walk(each.article):
            match node:
                case ast.Attribute(value=ast.Attribute(attr="law"), attr=field):
                    yield "law", field
                case ast.Call(func=ast.Attribute(attr="article"), args=[ast.Constant(value=str(key))]):
                    yield "article", key


def test_what_a_refusal_cites_is_an_article_of_a_book() -> None:
    books = [load_ruleset(name) for name in ruleset_names()]
    for kind, name in set(sources()):
        told = [getattr(book.law, name) if kind == "law" else book.article(name) for book in books]
        assert any(told), f"no book has an article for {name}: a refusal that cites it never names one"


SILENT: Mapping[str, frozenset[str]] = {
    "box": frozenset(
        {
            *("absence", "appeal", "correction", "leaked", "overdraw_claim", "result_final", "sanctions", "signatures"),
            *("tribunal", "correction_closed"),
        }
    ),
    "festa-major": frozenset(
        {
            *("absence", "appeal", "challenge_once", "challenge_form", "correction_closed", "free_square"),
            *("leaked", "sanctions", "tribunal", "withdrawn"),
        }
    ),
    "fisc-2023": frozenset({"absence", "appeal", "tribunal"}),
    "fise": frozenset(),
    "pes-2024": frozenset({"appeal", "tribunal"}),
    "uf-2007": frozenset({"appeal", "correction_closed", "leaked", "result_final", "signatures", "tribunal"}),
}
"""The subjects for which a book has no rule, so that a refusal about them names no article."""


@pytest.mark.parametrize("name", ruleset_names("classic", "multi"))
def test_a_book_is_silent_only_where_it_was_read_to_be(name: str) -> None:
    law = load_ruleset(name).law
    fields = {field for kind, field in sources() if kind == "law"}
    assert {field for field in fields if not getattr(law, field)} <= SILENT[name]


def test_an_article_stands_within_the_sentence() -> None:
    assert with_article("The result is final.", "FISE 44") == "The result is final (FISE 44)."
    assert with_article("Have the scores been swapped?", "FISE 44") == "Have the scores been swapped? (FISE 44)"
    assert cite_refusal(Refusal("X", "The result is final."), "en") == "The result is final."
