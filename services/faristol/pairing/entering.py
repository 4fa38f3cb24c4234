"""gRPC in: results that an arbiter enters, and those that stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, decide, identity, pinning
from faristol.pairing.commands import Commands, Context, M, decision_of
from faristol.pairing.model import Pairing, Phase, Round, Tournament, stream
from faristol.pairing.presenting import PHASES
from faristol.pairing.rulings import Rulings, game_stream, watch
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision, Guard, Recorded, load, people
from faristol.rules.usual_scores import usual_scores

_ABANDONED = (game_events.END_CONDITION_ABANDONED, game_events.END_CONDITION_ALL_ABANDONED)


class Entering(Commands):
    """Results that come from an arbiter and not from their table."""

    async def GiveForfeit(self, request: pairing.GiveForfeitRequest, context: Context) -> pairing.GiveForfeitResponse:
        """Decide a game of which no turn is over."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)

        def facts_of(state: Tournament, turns: int) -> list[Message]:
            return decide.give_forfeit(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                turns=turns,
                loser_ids=request.loser_ids,
                arbiter_id=arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.GiveForfeitResponse:
            recorded = next(fact for fact in facts if isinstance(fact, events.ResultRecorded))
            return pairing.GiveForfeitResponse(position=position, scores=recorded.scores)

        return await self._enter(context, request, facts_of, answer, pairing.GiveForfeitResponse)

    async def EnterResult(self, request: pairing.EnterResultRequest, context: Context) -> pairing.EnterResultResponse:
        """Enter the result of a game that was not kept at its table."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)

        def facts_of(state: Tournament, turns: int) -> list[Message]:
            return decide.enter_result(
                state,
                pinning.ruleset_of(state),
                game=request.game_id,
                turns=turns,
                scores=[(score.player_id, score.score) for score in request.scores],
                abandoned_by=request.abandoned_by,
                winner_id=request.winner_id,
                arbiter_id=arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.EnterResultResponse:
            recorded = next(fact for fact in facts if isinstance(fact, events.ResultRecorded))
            return pairing.EnterResultResponse(position=position, scores=recorded.scores)

        return await self._enter(context, request, facts_of, answer, pairing.EnterResultResponse)

    async def EnterResults(
        self, request: pairing.EnterResultsRequest, context: Context
    ) -> pairing.EnterResultsResponse:
        """Enter results of several games in one act."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)
        given = [
            decide.GameResult(
                one.game_id,
                [(score.player_id, score.score) for score in one.scores],
                one.abandoned_by,
                one.winner_id,
                one.forfeited_by,
            )
            for one in request.results
        ]

        def facts_of(state: Tournament, turns: Mapping[str, int]) -> list[Message]:
            return decide.enter_results(
                state,
                pinning.ruleset_of(state),
                results=given,
                turns=turns,
                arbiter_id=arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            )

        return await self._enter_all(
            context,
            request,
            [one.game for one in given],
            facts_of,
            lambda position, _: pairing.EnterResultsResponse(position=position),
            pairing.EnterResultsResponse,
        )

    async def ListResults(self, request: pairing.ListResultsRequest, context: Context) -> pairing.ListResultsResponse:
        """The tables of a round with the results that stand."""
        loaded = await self.load(request.tournament_id)
        state, ruleset = loaded.state, pinning.ruleset_of(loaded.state)
        one = conditions.found_round(state, request.round or _running(state))
        recorded = await self._record.read_stream(stream(request.tournament_id))
        by = _entered_by(recorded, loaded.version)
        given = _scores_given(recorded, loaded.version)
        known = await people.names(self._record, {last.metadata.actor for last in by.values()})
        names = {actor: person.name for actor, person in known.items()} | await self.names(state)
        usual = usual_scores(ruleset, max((len(table.player_ids) for table in one.pairings), default=2))
        return pairing.ListResultsResponse(
            tournament=state.name,
            round=one.number,
            phase=PHASES[one.phase],
            tables=[
                _table(one, table, by.get(table.game_id), given.get(table.game_id, ()), names) for table in one.pairings
            ],
            usual=pairing.UsualScores(
                lowest=usual.lowest, highest=usual.highest, largest_difference=usual.largest_difference
            ),
            time_zone=state.time_zone,
            version=loaded.version,
        )

    async def _enter(
        self,
        context: Context,
        request: Any,
        facts_of: Callable[[Tournament, int], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Decide the result of one game, as ``_enter_all`` does."""
        game = request.game_id
        return await self._enter_all(
            context, request, [game], lambda state, turns: facts_of(state, turns[game]), answer, response
        )

    async def _enter_all(
        self,
        context: Context,
        request: Any,
        games: Iterable[str],
        facts_of: Callable[[Tournament, Mapping[str, int]], list[Message]],
        answer: Callable[[int, list[Message]], M],
        response: type[M],
    ) -> M:
        """Decide results in the tournament against the turns of their tables, which must not go on meanwhile."""

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await self.load(request.tournament_id)
            tables = {game: await load(self._record, game_stream(game), Rulings(), watch) for game in games}
            facts = facts_of(loaded.state, {game: table.state.turns for game, table in tables.items()})
            writes = decision_of(request.tournament_id, loaded, facts).writes
            guards = [Guard(game_stream(game), table.version) for game, table in tables.items()]
            return Decision(writes, guards), lambda position: answer(position, facts)

        return await self.handle(context, request, attempt, response=response)


def _running(state: Tournament) -> int:
    """The number of the round that was started last. Refuses where none was."""
    started = [one.number for one in state.played if one.phase is not Phase.PAIRED]
    if not started:
        raise Refusal("NO_ROUND_STARTED", "", N_("No round of {name} has been started yet."), {"name": state.name})
    return started[-1]


def _entered_by(recorded: Iterable[Recorded], version: int) -> dict[str, Recorded]:
    """The event by which each game came to the result that stands, up to a version of the tournament's stream.

    Of a result that was entered it is the act itself: what is recorded and corrected after it comes from that.
    """
    found: dict[str, Recorded] = {}
    for one in recorded:
        match one.message:
            case events.ResultEntered() | events.ResultRecorded() | events.ResultCorrected() as fact:
                if one.version <= version:
                    found[fact.game_id] = one
    return found


def _scores_given(recorded: Iterable[Recorded], version: int) -> dict[str, Sequence[game_events.FinalScore]]:
    """The scores that were entered of each game where the book made others of them, unless it was corrected since."""
    found: dict[str, Sequence[game_events.FinalScore]] = {}
    for one in recorded:
        if one.version > version:
            continue
        match one.message:
            case events.ResultEntered() as fact:
                found[fact.game_id] = fact.scores_given
            case events.ResultCorrected() as fact:
                found.pop(fact.game_id, None)
    return found


def _table(
    one: Round,
    table: Pairing,
    last: Recorded | None,
    scores_given: Sequence[game_events.FinalScore],
    names: Mapping[str, str],
) -> pairing.TableResult:
    """A table with the result that stands."""
    game = table.game_id
    shown = pairing.TableResult(
        table=table.table,
        hall=table.hall,
        game_id=game,
        players=[
            pairing.SeatedPlayer(player_id=player_id, name=names.get(player_id, "")) for player_id in table.player_ids
        ],
        postponed=game in one.postponed,
    )
    if game not in one.results:
        return shown
    decided = one.decided[game]
    scores = dict(zip(table.player_ids, one.results[game], strict=True))
    best = [player_id for player_id, score in scores.items() if score == max(scores.values())]
    shown.scores.extend(game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores.items())
    shown.winner_id = decided.winner_id or (best[0] if len(best) == 1 and not decided.lost_by_all else "")
    shown.lost_by_all, shown.unplayed, shown.entered = decided.lost_by_all, decided.unplayed, game in one.entered
    if decided.condition in _ABANDONED:
        shown.abandoned_by.extend(decided.losers)
    shown.scores_given.extend(scores_given)
    if last is not None:
        shown.actor = last.metadata.actor
        shown.actor_name = names.get(last.metadata.actor, "")
        shown.recorded_at.CopyFrom(to_timestamp(last.recorded_at))
    return shown
