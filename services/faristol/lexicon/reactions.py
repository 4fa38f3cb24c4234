"""What happens by itself: every challenge becomes a case, and the lexicon rules on it."""

from __future__ import annotations

from faristol.bus import Reaction
from faristol.host import StartError
from faristol.lexicon.decide import adjudicate
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.model import Case, GameView, case_id_of, evolve, game_stream, stream, view
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.record import Decision, Record, Recorded, Write, load
from faristol.words import LexiconError


def ruling(record: Record, lexicons: Lexicons) -> Reaction:
    """The reaction that rules on every challenge by the lexicon that the game has pinned.

    When that lexicon is not here it raises ``StartError`` and so ends the process, which says what is missing: a
    challenge is neither skipped nor ruled on by another lexicon. Once it is installed, the service goes on there.
    """

    async def rule(event: Recorded) -> Decision | None:
        challenge = event.message
        assert isinstance(challenge, game_events.ChallengeRaised)
        game_id = event.stream.removeprefix(game_stream(""))
        game = (await load(record, game_stream(game_id), GameView(), view)).state
        case_stream = stream(case_id_of(game_id, challenge.challenge))
        case = await load(record, case_stream, Case(), evolve)
        try:
            lexicon = lexicons.by_digest(game.lexicon_digest)
        except LexiconError as error:
            raise StartError(
                f"challenge {challenge.challenge} of game {game_id} waits for the lexicon {game.lexicon_name}: {error}"
            ) from error
        facts = adjudicate(case.state, challenge, game, lexicon.contains)
        # The game's lexicon is pinned when it opens and never changes: there is nothing to guard.
        return Decision([Write(case_stream, case.version, facts, game.tournament_id)]) if facts else None

    return Reaction("lexicon.ruling", frozenset({game_events.ChallengeRaised.DESCRIPTOR.full_name}), rule)
