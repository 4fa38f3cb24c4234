"""Offered commands are accepted, and accepted commands were offered: at tables of every book, played at random."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.table.hall import Hall, rules
from tests.unit.table.test_any_command import TABLES, Somebody

from faristol.kernel.times import Instant
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Ruleset
from faristol.table.decide import CLOCK_COMMANDS, GAME_COMMANDS
from faristol.table.game.state import Phase
from faristol.table.offers import Offer, find_actor, is_accepted, offers
from faristol.table.offers.examples import CHOSEN, EXAMPLES

ARBITER = "eleni"


class Offering(Hall):
    """A table that compares executed commands with its offers."""

    def do(self, request: Message, seconds: float = 1) -> list[Message]:
        """See ``Hall.do``; the command must have been offered."""
        self.settle()
        at = self.at + int(seconds * 1_000_000_000)
        offered = offers(self.table, at, ARBITER)
        self.check_offered(offered, at)
        new_events = super().do(request, seconds)
        assert self.is_among(request, offered), f"{find_actor(request)} did what nobody offered: {request!r}"
        return new_events

    def check_offered(self, offered: list[Offer], at: Instant) -> None:
        for offer in offered:
            assert is_accepted(self.table, offer.example, at)

    @staticmethod
    def is_among(request: Message, offered: list[Offer]) -> bool:
        kinds = [offer for offer in offered if type(offer.example) is type(request)]
        if isinstance(request, game_pb2.AbandonRequest):
            return {offer.who.player_id for offer in kinds} >= set(request.player_ids)
        return any(offer.who == find_actor(request) for offer in kinds)


def table(name: str, **more: object) -> Hall:
    return Hall(rules(name), 2, recorded=True, **more)  # type: ignore[arg-type] # as Hall takes them


def commands(hall: Hall, player: str, arbiter: str = "") -> set[str]:
    """Return the commands that a player can give a second from now."""
    found = offers(hall.table, hall.at + 1_000_000_000, arbiter)
    return {offer.command for offer in found if offer.who.player_id == player and not offer.who.is_arbiter}


@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_what_is_offered_is_accepted_and_what_is_accepted_was_offered(name: str, players: int, seed: int) -> None:
    play(rules(name), players, seed, 40)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_the_same_of_many_tables(name: str, players: int, seed: int) -> None:
    play(rules(name), players, seed, 80)


def play(ruleset: Ruleset, players: int, seed: int, steps: int) -> None:
    hall = Offering(ruleset, players, recorded=seed % 2 == 1)
    somebody = Somebody(hall, Random(seed), arbiters=0.1)
    for _ in range(steps):
        somebody.act()
        if hall.game.phase is Phase.FINAL:
            break


ACTORS = {"player_id", "arbiter_id"}
"""Fields of a command by which it has examples without its own."""


def test_every_command_is_tried() -> None:
    commands = {*GAME_COMMANDS, *CLOCK_COMMANDS}
    assert EXAMPLES.keys() < commands
    assert all(ACTORS.intersection(kind.DESCRIPTOR.fields_by_name) for kind in commands - EXAMPLES.keys())
    for kind, field in CHOSEN.items():
        assert field in kind.DESCRIPTOR.fields_by_name or field == "square"


def test_the_turn_of_fisc_is_offered_step_by_step() -> None:
    hall = table("fisc-2023")
    assert {"PlacePlay", "Exchange", "Pass", "LayTiles"} <= commands(hall, "anna")
    assert not {"PlacePlay", "Exchange", "Pass", "Challenge"} & commands(hall, "biel")
    assert not {"DrawTiles", "Press"} & commands(hall, "anna")
    hall.play("H7 C A S A")
    assert "Challenge" in commands(hall, "biel")
    assert "DrawTiles" in commands(hall, "anna")
    assert not {"PlacePlay", "Press", "Challenge"} & commands(hall, "anna")
    hall.do(game_pb2.DrawTilesRequest(player_id="anna"))
    assert "Press" in commands(hall, "anna")
    assert "Challenge" not in commands(hall, "biel")  # drawing closes the time for it (FISC I.10)
    hall.press()
    assert "PlacePlay" in commands(hall, "biel")


def test_nothing_of_an_arbiter_is_offered_where_none_is_there() -> None:
    hall = table("fisc-2023")
    assert not [offer for offer in offers(hall.table, hall.at) if offer.who.is_arbiter]
    given_to_arbiter = {offer.command for offer in offers(hall.table, hall.at, ARBITER) if offer.who.is_arbiter}
    assert {"Neutralise", "ImposeSanction", "AssignArbiter"} <= given_to_arbiter


def test_offers_say_the_article_and_the_values_that_are_accepted() -> None:
    hall = table("fisc-2023")
    found = {(offer.command, offer.who.player_id): offer for offer in offers(hall.table, hall.at, ARBITER)}
    assert found["Pass", "anna"].article.startswith("FISC I.7")
    neutralise = found["Neutralise", ""]
    assert (neutralise.service, neutralise.field) == ("clock", "reason")
    at = hall.at + 1_000_000_000
    for reason in range(8):
        request = clock_pb2.NeutraliseRequest(arbiter_id=ARBITER, reason=reason)  # type: ignore[arg-type] # any number
        assert is_accepted(hall.table, request, at) is (reason in neutralise.choices)
