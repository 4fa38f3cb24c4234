"""The judge of a case: rules on a challenge when the case says so, by its words or by word of mouth."""

from __future__ import annotations

from collections.abc import Callable

from faristol.cli.referee.case import Word
from faristol.cli.referee.forms import moment
from faristol.cli.referee.position import GAME_ID
from faristol.cli.referee.services import Services
from faristol.game.streams import game_stream
from faristol.lexicon.adjudication import Adjudication
from faristol.lexicon.model import Case, case_id_of, evolve, stream
from faristol.lexicon.opening import Law, Question, adjudicate
from faristol.lexicon.views import Game, watch_game
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.record import load
from faristol.rules import Refusal, Ruleset


async def rule(services: Services, book: Ruleset, at_ms: int, is_word: Callable[[Word], bool]) -> None:
    """Rule on the last challenge at this moment. One that names no words, as before a case begins, is upheld.

    Raises ``Refusal`` when nothing was challenged.
    """
    raised = next((fact for fact in reversed(services.facts()) if isinstance(fact, events.ChallengeRaised)), None)
    if raised is None:
        raise Refusal("NOTHING_TO_RULE", "", "Nothing was challenged.")
    case_id = case_id_of(GAME_ID, raised.challenge)
    game = await load(services.notebook, game_stream(GAME_ID), Game(), watch_game)
    known = await load(services.notebook, stream(case_id), Case(), evolve)
    law = Law(
        is_word=is_word,
        language=book.tile_set.language,
        layers=book.lexicon.layers,
        article=book.article("challenge.ruling"),
        by_word=book.challenge.ruling == "word",
    )
    question = Question(raised, raised.occurred_at)
    facts = adjudicate(known.state, question, game.state, Adjudication(), law, moment(at_ms))
    for fact in facts:
        if isinstance(fact, lexicon_events.CaseRuled):
            fact.occurred_at.CopyFrom(moment(at_ms))
            fact.valid = fact.valid and bool(raised.words)
    await services.write(stream(case_id), facts)
