"""Page of the tournament's description, rules, rounds, rating, archiving and removal."""

from __future__ import annotations

from starlette.responses import Response

from faristol.gateway.consoles.director.creation import choices_of, fitting_lexicons, time_zones
from faristol.gateway.consoles.director.page import SETTINGS, DirectorPage, page_of_forms
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.consoles.lexicons import may_install
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.kernel.spellings import labels_of, name_of
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1.events_pb2 import PairingPublication
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.presentation.labels import RATING_LABELS
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.rules.ruleset.file import load_ruleset, ruleset_names
from faristol.rules.ruleset.options import NONE

PAGE = SETTINGS


async def _show(console: DirectorPage) -> Response:
    known = console.tournament.ruleset.name in ruleset_names()
    draft = pairing.GetDraftResponse()
    if console.may_call("GetDraft"):
        draft = await console.calls.ask(pairing.GetDraftRequest(tournament_id=console.tournament_id))
    return await console.show(
        "director/settings.html",
        PAGE,
        zones=time_zones(),
        choices=choices_of(load_ruleset(console.tournament.ruleset.name)) if known else [],
        chosen_options=Typed({each.name: each.value for each in console.tournament.ruleset.options}),
        none=NONE,
        rating_labels=RATING_LABELS,
        lexicons=await _lexicons(console),
        installs=may_install(console),
        publications=[
            (name_of(PairingPublication.DESCRIPTOR, value), text)
            for value, text in labels_of(PairingPublication.DESCRIPTOR).items()
        ],
        publication=name_of(PairingPublication.DESCRIPTOR, draft.publication),
        systems=await _systems(console),
        started=any(played.phase != pairing.ROUND_PHASE_PAIRED for played in console.tournament.played),
    )


routes = page_of_forms(PAGE, _show)


async def _lexicons(console: DirectorPage) -> list[lexicon.Lexicon]:
    """Return the lexicons that a tournament without one can choose; empty if it has one."""
    if console.tournament.HasField("lexicon") or console.rules is None or not console.may_call("ChooseLexicon"):
        return []
    return fitting_lexicons(console.rules, await console.calls.ask(lexicon.ListLexiconsRequest()))


async def _systems(console: DirectorPage) -> list[rating.RatingSystem]:
    """Return the available rating systems, the default first; empty if the rating service is unavailable."""
    if is_of_duplicate_games(console.tournament) or not console.may_call("ChooseRatingSystem", "rating"):
        return []
    asked = console.calls.ask(rating.ListRatingSystemsRequest())
    return list((await answer_or(asked, rating.ListRatingSystemsResponse(), *UNAVAILABLE_CODES)).systems)
