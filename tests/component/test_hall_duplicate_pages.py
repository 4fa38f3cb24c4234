"""Players of a duplicate game are led to the laptop of their hall, and sign in there."""

from __future__ import annotations

import uuid
from functools import partial
from pathlib import Path
from urllib.parse import quote

from tests.component.test_hall_cell import TOURNAMENT, until
from tests.component.test_hall_duplicate import NORD, scene
from tests.component.test_hall_kept import get_page
from tests.component.test_hall_pages import guest, is_accepted

from faristol.access_control.roles import PLAYER
from faristol.gateway.pages.qr import qr
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events


async def test_a_player_of_a_duplicate_game_is_led_to_the_laptop_of_the_hall_and_signs_in_there(tmp_path: Path) -> None:
    async with scene(tmp_path) as at:
        championship, hall, game = at.officials.championship, at.officials.hall, at.officials.game
        slip = f"/duplicate/{game}/slip"
        granted = {}
        for player_id in ("anna", "didac"):
            request = access_pb2.GrantCredentialRequest(
                command_id=str(uuid.uuid4()),
                role=PLAYER,
                player_id=player_id,
                scope=access_events.Scope(tournament_ids=[TOURNAMENT]),
                lifetime_seconds=3_600,
                form=access_events.FORM_LINK,
            )
            granted[player_id] = await championship.api.access.GrantCredential(request)
        (there,) = granted["anna"].hall_codes
        assert there.hall == NORD
        assert not granted["didac"].hall_codes  # the other hall has no laptop
        for player_id in granted:
            async with guest(championship) as someone:
                assert await someone.sign_in(granted[player_id].code)
                page = (await someone.web.get(slip)).text
                link = f"{hall.address}/sign-in?next={quote(slip, safe='')}#{there.code}"
                assert (f'href="{link}"' in page) == (player_id == "anna")
        await until(partial(is_accepted, hall, there.code), "the hall knows the player")
        async with guest(hall) as someone:
            assert await someone.sign_in(there.code)
            shown = await someone.web.get(slip)
            assert shown.status_code == 200
            assert "takes the slips" not in shown.text
        papers = await get_page(championship, f"/tournaments/{TOURNAMENT}/print/round/1/playslips")
        for address in (hall.address, championship.address):
            assert str(qr(f"{address}{slip}", at_once=True)) in papers
