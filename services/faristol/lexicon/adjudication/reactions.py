"""Reactions to the events of a game: challenges and appeals open cases, and other events withdraw them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.adjudication import policy
from faristol.adjudication.cases import decide
from faristol.adjudication.cases.challenges import Question, adjudicate
from faristol.adjudication.cases.model import Case, stream
from faristol.adjudication.views import AdjudicatedGame, watch_game
from faristol.consumers import Reaction
from faristol.event_store import Decision, Guard, Loaded, Record, Recorded, Write, load
from faristol.host import StartError
from faristol.kernel import event_types
from faristol.kernel.cases import case_id_of
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication.streams import case_of, load_adjudication
from faristol.lexicon.lexicons.library import Lexicons, law_of
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import LexiconError


def ruling(record: Record, lexicons: Lexicons, now: Callable[[], datetime]) -> Reaction:
    """Return the reaction that opens a case for every challenge, with the ruling of the lexicon if no judge rules.

    It raises ``StartError`` if the game's pinned lexicon is not installed. This parks the game and reports the lexicon:
    a challenge is neither skipped nor ruled on by another lexicon. The game continues after the installation.
    """
    cases = Cases(record, lexicons, now)
    acts: Mapping[event_types.Kind, Callable[[AdjudicatedGame, Any], Awaitable[Decision | None]]] = {
        game_events.ChallengeRaised: cases.open_challenge,
        game_events.AppealRaised: cases.open_appeal,
        game_events.AppealRuled: cases.withdraw_appeal,
        game_events.EntriesTakenBack: cases.withdraw_taken_back,
        game_events.GameEnded: cases.withdraw_all,
        game_events.TableClosed: cases.withdraw_all,
        game_events.TableTakenBack: cases.open_unruled,
    }

    async def rule(event: Recorded) -> Decision | None:
        game = (await load(record, event.stream, AdjudicatedGame(), watch_game)).state
        decision = await acts[type(event.message)](game, event.message)
        return decision if decision and _writer_of(game, decision) == record.owner_key else None

    return Reaction("lexicon.ruling", event_types.types_of(acts), rule)


class Cases:
    """Handlers of the events of a game that change its cases."""

    def __init__(self, record: Record, lexicons: Lexicons, now: Callable[[], datetime]) -> None:
        self._record = record
        self._lexicons = lexicons
        self._now = now

    async def open_challenge(self, game: AdjudicatedGame, challenge: game_events.ChallengeRaised) -> Decision | None:
        """Open the case of a challenge."""
        return await self._open(game, Question(challenge, challenge.occurred_at))

    async def open_appeal(self, game: AdjudicatedGame, appeal: game_events.AppealRaised) -> Decision | None:
        """Open the case of an appeal; the judges of the first ruling may not rule on it."""
        first = (await case_of(self._record, game, appeal.challenge)).state
        challenge = game.challenges[appeal.challenge]
        return await self._open(game, Question(challenge, appeal.occurred_at, appeal=True, barred=first.ruled_by))

    async def open_unruled(self, game: AdjudicatedGame, _: game_events.TableTakenBack) -> Decision | None:
        """Open the case of a challenge that was raised in a hall and waits for its ruling; none if the hall did."""
        return await self.open_challenge(game, game.challenges[game.unruled]) if game.unruled else None

    async def withdraw_appeal(self, game: AdjudicatedGame, ruled: game_events.AppealRuled) -> Decision | None:
        """Withdraw the case of an appeal after the ruling of the arbiter at the table."""
        appealed = await case_of(self._record, game, ruled.challenge, appeal=True)
        return _withdraw([appealed], events.WITHDRAWN_REASON_ARBITER_RULED, game, ruled.occurred_at)

    async def withdraw_taken_back(
        self, game: AdjudicatedGame, taken_back: game_events.EntriesTakenBack
    ) -> Decision | None:
        """Withdraw the cases of challenges that were taken back with the entries of their table."""
        cases = await self._of(game, game.taken_back)
        return _withdraw(cases, events.WITHDRAWN_REASON_ENTRIES_TAKEN_BACK, game, taken_back.occurred_at)

    async def withdraw_all(
        self, game: AdjudicatedGame, end: game_events.GameEnded | game_events.TableClosed
    ) -> Decision | None:
        """Withdraw all cases of a game that is over."""
        cases = await self._of(game, game.challenges)
        return _withdraw(cases, events.WITHDRAWN_REASON_GAME_ENDED, game, end.occurred_at)

    async def _of(self, game: AdjudicatedGame, challenges: Iterable[int]) -> list[Loaded[Case]]:
        """Return the cases of challenges with those numbers and of appeals in them, open or not."""
        appeals = (False, True)
        return [await case_of(self._record, game, number, appeal=appeal) for number in challenges for appeal in appeals]

    async def _open(self, game: AdjudicatedGame, question: Question) -> Decision | None:
        number = question.challenge.challenge
        case = await case_of(self._record, game, number, appeal=question.appeal)
        settings = await load_adjudication(self._record, game.tournament_id)
        try:
            law = await law_of(self._record, game, settings.state, self._lexicons)
        except LexiconError as error:
            raise StartError(
                f"challenge {number} of game {game.game_id} waits for the lexicon {game.lexicon.name}: {error}"
            ) from error
        opened = adjudicate(case.state, question, game, settings.state, law, to_timestamp(self._now()))
        if not opened:
            return None
        case_id = case.state.case_id or case_id_of(game.game_id, game.seed, number, appeal=question.appeal)
        # The game's stream needs no guard: its pins never change.
        guards = [Guard(policy.stream(game.tournament_id), settings.version)]
        return Decision([Write(stream(case_id), case.version, opened, game.tournament_id)], guards)


def _writer_of(game: AdjudicatedGame, decision: Decision) -> bytes:
    """Return the key of the cell that writes a decision on a case; empty for the championship.

    A ruling of the lexicon is written by the cell that has the table, which may have no line. A case for judges is
    written by the championship, where the judges are.
    """
    is_ruled = any(isinstance(event, events.CaseRuled) for write in decision.writes for event in write.events)
    return game.owner_key if is_ruled else b""


def _withdraw(
    cases: Iterable[Loaded[Case]], reason: events.WithdrawnReason.ValueType, game: AdjudicatedGame, at: Timestamp
) -> Decision | None:
    writes = [
        Write(stream(case.state.case_id), case.version, withdrawn, game.tournament_id)
        for case in cases
        if (withdrawn := decide.withdraw(case.state, reason, at))
    ]
    return Decision(writes) if writes else None
