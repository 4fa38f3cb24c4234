"""Rulings. Pure."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import Message

from faristol.lexicon.model import Case, GameView, Word, case_id_of, evolve
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events


def adjudicate(
    case: Case, challenge: game_events.ChallengeRaised, game: GameView, is_word: Callable[[Word], bool]
) -> list[Message]:
    """What is still to be written so that ``challenge`` is a case, and ruled on by the lexicon (FISC I.10).

    The play stands when every word challenged is a word. The ruling happens when the challenge does: asking the
    lexicon takes nobody's time. A case that is open gets its ruling only, and one that is ruled on nothing.
    """
    facts: list[Message] = []
    if not case.open:
        opened = events.CaseOpened(
            case_id=case_id_of(game.game_id, challenge.challenge),
            game_id=game.game_id,
            tournament_id=game.tournament_id,
            turn=challenge.turn,
            challenge=challenge.challenge,
            words=challenge.words,
            lexicon=game_events.Pin(name=game.lexicon_name, digest=game.lexicon_digest),
            mode=events.MODE_AUTOMATIC,
            occurred_at=challenge.occurred_at,
        )
        facts.append(opened)
        case = evolve(case, opened)
    if not case.ruled:
        rulings = [events.WordRuling(word=game_events.Word(faces=word), valid=is_word(word)) for word in case.words]
        facts.append(
            events.CaseRuled(
                case_id=case.case_id,
                game_id=case.game_id,
                turn=case.turn,
                challenge=case.challenge,
                valid=all(ruling.valid for ruling in rulings),
                words=rulings,
                occurred_at=case.opened_at,
            )
        )
    return facts
