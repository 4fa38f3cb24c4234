"""What happens by itself: challenges and appeals become cases, and cases end with what they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from faristol.bus import Reaction
from faristol.host import StartError
from faristol.kernel.cases import case_id_of
from faristol.kernel.times import to_timestamp
from faristol.lexicon import adjudication, decide
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.model import Case, stream
from faristol.lexicon.opening import Question, adjudicate
from faristol.lexicon.pinning import law_of
from faristol.lexicon.streams import case_of, load_adjudication
from faristol.lexicon.views import Game, game_stream, watch_game
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.record import Decision, Guard, Loaded, Record, Recorded, Write, load
from faristol.words import LexiconError

TYPES = frozenset(
    kind.DESCRIPTOR.full_name
    for kind in (
        game_events.ChallengeRaised,
        game_events.AppealRaised,
        game_events.AppealRuled,
        game_events.EntriesTakenBack,
        game_events.GameEnded,
        game_events.TableClosed,
    )
)


def ruling(record: Record, lexicons: Lexicons, now: Callable[[], datetime]) -> Reaction:
    """The reaction that makes a case of every challenge, and has the lexicon rule on it where no judge does.

    When the lexicon that the game has pinned is not here it raises ``StartError`` and so ends the process, which says
    what is missing: a challenge is neither skipped nor ruled on by another lexicon. Once it is installed, the service
    goes on there.
    """

    async def rule(event: Recorded) -> Decision | None:
        game = (await load(record, game_stream(event.stream.removeprefix(game_stream(""))), Game(), watch_game)).state
        match event.message:
            case game_events.ChallengeRaised() as challenge:
                return await _open(game, Question(challenge, challenge.occurred_at))
            case game_events.AppealRaised() as appeal:
                first = (await case_of(record, game, appeal.challenge)).state
                challenge = game.challenges[appeal.challenge]
                question = Question(challenge, appeal.occurred_at, appeal=True, barred=first.ruled_by)
                return await _open(game, question)
            case game_events.AppealRuled() as ruled:
                appealed = await case_of(record, game, ruled.challenge, appeal=True)
                return _withdraw([appealed], events.WITHDRAWN_REASON_ARBITER_RULED, event)
            case game_events.EntriesTakenBack():
                cases = await _cases(game, game.taken_back)
                return _withdraw(cases, events.WITHDRAWN_REASON_ENTRIES_TAKEN_BACK, event)
            case _:
                cases = await _cases(game, game.challenges)
                return _withdraw(cases, events.WITHDRAWN_REASON_GAME_ENDED, event)

    async def _cases(game: Game, challenges: Iterable[int]) -> list[Loaded[Case]]:
        """The cases that challenges of those numbers, and appeals in them, have become or could."""
        return [await case_of(record, game, number, appeal=appeal) for number in challenges for appeal in (False, True)]

    async def _open(game: Game, question: Question) -> Decision | None:
        number = question.challenge.challenge
        case = await case_of(record, game, number, appeal=question.appeal)
        settings = await load_adjudication(record, game.tournament_id)
        try:
            law = await law_of(record, game, settings.state, lexicons)
        except LexiconError as error:
            raise StartError(
                f"challenge {number} of game {game.game_id} waits for the lexicon {game.lexicon.name}: {error}"
            ) from error
        facts = adjudicate(case.state, question, game, settings.state, law, to_timestamp(now()))
        if not facts:
            return None
        case_id = case.state.case_id or case_id_of(game.game_id, game.seed, number, appeal=question.appeal)
        # The game's pins never change: there is nothing of it to guard.
        guards = [Guard(adjudication.stream(game.tournament_id), settings.version)]
        return Decision([Write(stream(case_id), case.version, facts, game.tournament_id)], guards)

    return Reaction("lexicon.ruling", TYPES, rule)


def _withdraw(
    cases: Iterable[Loaded[Case]], reason: events.WithdrawnReason.ValueType, event: Recorded
) -> Decision | None:
    writes = []
    for case in cases:
        occurred_at = event.message.occurred_at  # type: ignore[attr-defined] # every fact that ends a case has it
        if facts := decide.withdraw(case.state, reason, occurred_at):
            writes.append(Write(stream(case.state.case_id), case.version, facts, event.tournament))
    return Decision(writes) if writes else None
