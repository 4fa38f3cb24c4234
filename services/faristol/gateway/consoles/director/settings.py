"""Page of the tournament's description, rules, rounds, rating, archiving and removal."""

from __future__ import annotations

import grpc
from starlette.responses import Response

from faristol.gateway.cache.recorded_reads import UNAVAILABLE_CODES
from faristol.gateway.consoles.director.creation import choices_of, fitting_lexicons, time_zones
from faristol.gateway.consoles.director.page import SETTINGS, DirectorPage, page_of_forms
from faristol.gateway.consoles.frame import Typed
from faristol.gateway.consoles.lexicons import may_install
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


async def _show(desk: DirectorPage) -> Response:
    known = desk.tournament.ruleset.name in ruleset_names()
    draft = pairing.GetDraftResponse()
    if desk.may_call("GetDraft"):
        draft = await desk.calls.ask(pairing.GetDraftRequest(tournament_id=desk.tournament_id))
    return await desk.show(
        "director/settings.html",
        PAGE,
        zones=time_zones(),
        choices=choices_of(load_ruleset(desk.tournament.ruleset.name)) if known else [],
        chosen_options=Typed({each.name: each.value for each in desk.tournament.ruleset.options}),
        none=NONE,
        rating_labels=RATING_LABELS,
        lexicons=await _lexicons(desk),
        installs=may_install(desk),
        publications=[
            (name_of(PairingPublication.DESCRIPTOR, value), text)
            for value, text in labels_of(PairingPublication.DESCRIPTOR).items()
        ],
        publication=name_of(PairingPublication.DESCRIPTOR, draft.publication),
        systems=await _systems(desk),
        started=any(played.phase != pairing.ROUND_PHASE_PAIRED for played in desk.tournament.played),
    )


routes = page_of_forms(PAGE, _show)


async def _lexicons(desk: DirectorPage) -> list[lexicon.Lexicon]:
    """Return the lexicons that a tournament without one can choose; empty if it has one."""
    if desk.tournament.HasField("lexicon") or desk.rules is None or not desk.may_call("ChooseLexicon"):
        return []
    return fitting_lexicons(desk.rules, await desk.calls.ask(lexicon.ListLexiconsRequest()))


async def _systems(desk: DirectorPage) -> list[rating.RatingSystem]:
    """Return the available rating systems, the default first; empty if the rating service is unavailable."""
    if is_of_duplicate_games(desk.tournament) or not desk.may_call("ChooseRatingSystem", "rating"):
        return []
    try:
        return list((await desk.calls.ask(rating.ListRatingSystemsRequest())).systems)
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in UNAVAILABLE_CODES:
            raise
        return []
