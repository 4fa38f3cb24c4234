"""The players that qualify for a stage of a championship, at first and again. Pure.

A qualification can be repeated while no round of the stage is paired: a result of a source may have been corrected, or
a player may have withdrawn. The players that qualify are then computed again and compared with the field of the stage.
Players that still qualify stay registered, those that no longer do leave, the next in line join, and seeds follow the
places. Players that were registered by hand have no seed and stay.

A player who withdrew from the stage, or from one beside it, does not qualify again until reinstated. A player who left
because of a qualification (`PlayerState.displaced`) returns as soon as a later one has a place for them.

Points and spreads that the players carry over (`Stage.carry_over`) are computed with the qualification and stored in
its event, so that the stage does not depend on later changes of its sources. A repeated qualification can correct them
at any time.

Places of groups stay with a player who withdrew after the groups were dealt, and the next in line takes the vacant one:
otherwise each withdrawal would move all players behind it to another group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Param, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.administration.divisions import check_in_no_other
from faristol.tournament.conditions import check_open
from faristol.tournament.rounds.knock_out import is_decided
from faristol.tournament.rounds.ranking import compute_spreads, in_order, rank_by_results, standing_of
from faristol.tournament.rounds.systems import determine_rounds
from faristol.tournament.situation import Situation, Undo, latest
from faristol.tournament.state import Phase, PlayerState, Stage, TournamentState

PLACE_IN_SOURCE = N_("Place {place} in {source}.")
PLACE_AFTER_OTHERS = N_("Place {place} in {source}, without {count} before that {count:does|do} not take part.")
PLACE_OUTSIDE = N_("Place {place} in {source}: places {first} to {last} qualify.")
PLACE_OF_OTHER_GROUP = N_("Place {place} in {source} belongs to group {group}.")
WITHDREW = N_("Withdrew from {source}.")
WITHOUT_PLACE = N_("Has no place in a tournament in which players qualify.")


@dataclass(frozen=True, slots=True)
class QualifyingTournament:
    """A tournament in which players qualify, with its rules."""

    state: TournamentState
    ruleset: Ruleset


@dataclass(frozen=True, slots=True)
class FieldChange:
    """The effect of a qualification on a player, with the reason."""

    player_id: str
    change: pb.QualificationChange.ValueType
    seed_before: int
    """Seed in the stage; 0 without one."""
    seed_after: int
    """Seed afterwards; 0 for a player that leaves."""
    source_id: str
    place: int
    reason: str
    """The msgid of the sentence."""
    params: Mapping[str, Param]
    carried_half_points: int = 0
    carried_spread: int = 0


@dataclass(frozen=True)
class Qualification:
    """The qualification for a stage from its sources, in the present state of all of them."""

    state: TournamentState
    stage: Stage
    sources: Sequence[QualifyingTournament]
    beside: Sequence[TournamentState] = ()
    """The other stages of the same number."""

    @cached_property
    def players(self) -> tuple[events.QualifiedPlayer, ...]:
        """The players that qualify, in the order of their seeds.

        Seeds follow the places, and among equal places the order of the sources: the winners of all groups come first.
        """
        found = [
            events.QualifiedPlayer(player_id=player_id, source_id=source.state.tournament_id, place=place)
            for source in self.sources
            for place, player_id in self._list_qualified(source)
        ]
        found.sort(key=lambda each: each.place)  # stable: equal places stay in the order of the sources
        self._carry_over(found)
        return tuple(found)

    @cached_property
    def recounted(self) -> tuple[events.QualifiedPlayer, ...]:
        """The present field with the points that it carries over now; empty if these have not changed.

        Results of a source can be corrected after the stage has begun, whose players and seeds then stay.
        """
        field = sorted(
            (player for player in self.state.players if player.seed_number), key=lambda each: each.seed_number
        )
        orders, found = self._orders, []
        for player in field:
            source_id = next((each for each, ids in orders.items() if player.player_id in ids), "")
            place = orders[source_id].index(player.player_id) + 1 if source_id else 0
            found.append(events.QualifiedPlayer(player_id=player.player_id, source_id=source_id, place=place))
        self._carry_over(found)
        changed = any(
            (each.carried_half_points, each.carried_spread) != (player.carried_half_points, player.carried_spread)
            for each, player in zip(found, field, strict=True)
        )
        return tuple(found) if changed else ()

    @cached_property
    def changes(self) -> tuple[FieldChange, ...]:
        """The effect on each player: by the seeds afterwards, then those that leave by the seeds before."""
        found = [self._compare(each, seed) for seed, each in enumerate(self.players, 1)]
        staying = {each.player_id for each in self.players}
        leaving = [each for each in list_field(self.state) if each.player_id not in staying]
        return (*found, *(self._leave(player) for player in sorted(leaving, key=lambda each: each.seed_number)))

    @property
    def changed(self) -> tuple[FieldChange, ...]:
        """The effects on players that join, leave or have another seed."""
        return tuple(each for each in self.changes if each.change != pb.QUALIFICATION_CHANGE_NONE)

    @property
    def joining(self) -> tuple[str, ...]:
        """The players that join, in the order of their seeds."""
        return tuple(each.player_id for each in self.changes if each.change == pb.QUALIFICATION_CHANGE_JOINS)

    @property
    def leaving(self) -> tuple[str, ...]:
        """The players that leave."""
        return tuple(each.player_id for each in self.changes if each.change == pb.QUALIFICATION_CHANGE_LEAVES)

    @cached_property
    def _related(self) -> tuple[TournamentState, ...]:
        """The stage, and those beside it whose players come from the same tournaments."""
        own = set(self.stage.source_ids)
        return (self.state, *(each for each in self.beside if each.stage and own.intersection(each.stage.source_ids)))

    @cached_property
    def _entered(self) -> frozenset[str]:
        """The players that have ever had a place in these stages."""
        return frozenset(player.player_id for each in self._related for player in each.players)

    @cached_property
    def _withdrawn(self) -> frozenset[str]:
        """The players that withdrew from one of these stages, other than by a qualification."""
        return frozenset(
            player.player_id
            for each in self._related
            for player in each.players
            if player.withdrawn is not None and not player.displaced
        )

    def _carry_over(self, found: Sequence[events.QualifiedPlayer]) -> None:
        """Set the points and spreads that players carry over (``Stage.carry_over``)."""
        rule = self.stage.carry_over
        for source in self.sources if rule else ():
            own = [each for each in found if each.source_id == source.state.tournament_id]
            among = {each.player_id for each in own} if rule == events.CARRY_OVER_QUALIFIED else None
            points = {row.player: row.points for row in rank_by_results(source.state, source.ruleset, among)}
            spreads = compute_spreads(source.state, among)
            divisor = 2 if rule == events.CARRY_OVER_HALF else 1
            for each in own:
                each.carried_half_points = ceil(2 * points.get(each.player_id, 0) / divisor)
                each.carried_spread = int(spreads.get(each.player_id, 0) / divisor)

    def _list_takers(self, source: QualifyingTournament) -> list[str]:
        """Return the players of a source that can qualify, in the order of their places."""
        return [
            player_id for player_id in self._orders[source.state.tournament_id] if self._takes_part(source, player_id)
        ]

    @cached_property
    def _orders(self) -> Mapping[str, tuple[str, ...]]:
        """All players of each source in the order of their places, those that withdrew included."""
        return {source.state.tournament_id: self._list_order(source) for source in self.sources}

    def _list_order(self, source: QualifyingTournament) -> tuple[str, ...]:
        if self.stage.by_rating or not source.state.played:
            return tuple(player.player_id for player in in_order(source.state.players))
        return standing_of(source.state, source.ruleset)

    def _takes_part(self, source: QualifyingTournament, player_id: str) -> bool:
        player = source.state.player(player_id)
        return player is not None and player.withdrawn is None and player_id not in self._withdrawn

    def _list_qualified(self, source: QualifyingTournament) -> Iterator[tuple[int, str]]:
        """Yield the players of a source that qualify, with their places among those that take part."""
        stage, first = self.stage, self.stage.first_place
        if not stage.groups:
            yield from enumerate(self._list_takers(source)[first - 1 : stage.last_place], first)
            return
        for place, player_id, group in self._deal(source):
            if group == stage.group:
                yield place, player_id

    def _deal(self, source: QualifyingTournament) -> Iterator[tuple[int, str, int]]:
        """Yield place, player and group of the players of a source that qualify for one of the groups."""
        first, last = self.stage.first_place, self.stage.last_place
        order = [
            player_id
            for player_id in self._orders[source.state.tournament_id]
            if self._takes_part(source, player_id) or player_id in self._entered
        ]
        following = ((place, each) for place, each in enumerate(order[last:], last + 1))
        further = (each for each in following if self._takes_part(source, each[1]))
        for index, player_id in enumerate(order[first - 1 : last]):
            taken = (first + index, player_id) if self._takes_part(source, player_id) else next(further, None)
            if taken is not None:
                yield *taken, group_of(index, self.stage.groups)

    def _compare(self, qualified: events.QualifiedPlayer, seed: int) -> FieldChange:
        """Return the effect on a player that qualifies."""
        player = self.state.player(qualified.player_id)
        carried = qualified.carried_half_points, qualified.carried_spread
        before = 0
        if player is None or player.withdrawn is not None:
            change = pb.QUALIFICATION_CHANGE_JOINS
        else:
            before = player.seed_number
            if before != seed:
                change = pb.QUALIFICATION_CHANGE_RESEEDED
            elif carried != (player.carried_half_points, player.carried_spread):
                change = pb.QUALIFICATION_CHANGE_RECOUNTED
            else:
                change = pb.QUALIFICATION_CHANGE_NONE
        source = next(each for each in self.sources if each.state.tournament_id == qualified.source_id)
        rank = self._orders[qualified.source_id].index(qualified.player_id) + 1
        missing = rank - qualified.place
        params: dict[str, Param] = {"place": qualified.place, "source": name_of(source.state), "count": missing}
        reason = PLACE_AFTER_OTHERS if missing else PLACE_IN_SOURCE
        return FieldChange(
            qualified.player_id, change, before, seed, qualified.source_id, qualified.place, reason, params, *carried
        )

    def _leave(self, player: PlayerState) -> FieldChange:
        """Return the effect on a player that no longer qualifies."""
        source_id, place, reason, params = self._explain_leaving(player.player_id)
        return FieldChange(
            player.player_id, pb.QUALIFICATION_CHANGE_LEAVES, player.seed_number, 0, source_id, place, reason, params
        )

    def _explain_leaving(self, player_id: str) -> tuple[str, int, str, Mapping[str, Param]]:
        """Return source, place, reason and its parameters of a player that no longer qualifies."""
        stage = self.stage
        for source in self.sources:
            if source.state.player(player_id) is None:
                continue
            found, named = source.state.tournament_id, name_of(source.state)
            takers = self._list_takers(source)
            if player_id not in takers:
                left = next((each for each in self._related if _has_withdrawn(each, player_id)), source.state)
                return found, 0, WITHDREW, {"source": name_of(left)}
            if stage.groups:
                for place, other, group in self._deal(source):
                    if other == player_id:
                        of_group: Mapping[str, Param] = {"place": place, "source": named, "group": group}
                        return found, place, PLACE_OF_OTHER_GROUP, of_group
            place = takers.index(player_id) + 1
            bounds: Mapping[str, Param] = {
                "place": place,
                "source": named,
                "first": stage.first_place,
                "last": stage.last_place,
            }
            return found, place, PLACE_OUTSIDE, bounds
        return "", 0, WITHOUT_PLACE, {}


def _has_withdrawn(state: TournamentState, player_id: str) -> bool:
    player = state.player(player_id)
    return player is not None and player.withdrawn is not None and not player.displaced


def list_field(state: TournamentState) -> list[PlayerState]:
    """Return the players of a stage that qualified for it and have not left."""
    return [player for player in state.players if player.seed_number and player.withdrawn is None]


def group_of(index: int, groups: int) -> int:
    """Return the group of a place, counted from 0: groups are dealt from the first to the last and back."""
    turn, position = divmod(index, groups)
    return groups - position if turn % 2 else position + 1


def count_places(stage: Stage) -> int:
    """Return the number of players that a stage has if all places are taken."""
    places = stage.last_place - stage.first_place + 1
    if stage.groups:
        dealt = [place for place in range(places) if group_of(place, stage.groups) == stage.group]
        return len(dealt) * len(stage.source_ids)
    return places * len(stage.source_ids)


def count_present(state: TournamentState) -> int:
    """Return the number of players that have not withdrawn."""
    return sum(player.withdrawn is None for player in state.players)


def adjust_rounds(situation: Situation, ruleset: Ruleset, players: int) -> list[Message]:
    """Return the change of the number of rounds of a stage to that of its format for a number of players.

    A number that is not that of the format, for the present players or for all places, was set by hand and stays.
    """
    state = situation.state
    assert state.stage is not None, "only stages have places that determine a number of rounds"
    present, places = count_present(state), count_places(state.stage)
    rounds = determine_rounds(players or places, ruleset)
    known = {determine_rounds(number, situation.ruleset) for number in (present, places)}
    if rounds is None or rounds == state.rounds or (state.rounds not in known and ruleset == situation.ruleset):
        return []
    return [situation.event(events.RoundsChanged, rounds=rounds, before=state.rounds)]


def name_of(state: TournamentState) -> str:
    """Return the name of a tournament with that of its stage."""
    return f"{state.name} {state.division}".strip()


def find_qualification(
    state: TournamentState, sources: Sequence[QualifyingTournament], beside: Sequence[TournamentState] = ()
) -> Qualification:
    """Return the qualification for a stage. Raises ``Refusal`` if the tournament is no stage."""
    if state.stage is None:
        raise Refusal("NO_STAGE", N_("{name} is no stage in which players qualify."), {"name": name_of(state)})
    return Qualification(state, state.stage, sources, beside)


def list_obstacles(qualification: Qualification, leaving: Collection[str] = ()) -> Iterator[Refusal]:
    """Yield the reasons why the players of a stage cannot be registered, or changed, now.

    ``leaving`` are the players that leave a stage beside it in the same command.
    """
    state = qualification.state
    yield from _list_unfinished(qualification)
    if not qualification.players:
        yield Refusal("NO_PLAYER_QUALIFIES", N_("No player has one of the places that qualify."))
    if not qualification.changed:
        yield Refusal(
            "QUALIFICATION_UNCHANGED",
            N_("The players of {name} and their seeds are those that qualify: there is no change."),
            {"name": name_of(state)},
        )
    elif not (_has_begun(state) and qualification.recounted) and (begun := _refuse_begun(state)):
        yield begun
        return
    for player_id in () if _has_begun(state) else qualification.joining:
        if player_id not in leaving:
            try:
                check_in_no_other(player_id, qualification.beside)
            except Refusal as refusal:
                yield refusal


def _list_unfinished(qualification: Qualification) -> Iterator[Refusal]:
    """Yield the sources whose places can still change by their rounds."""
    for source in qualification.sources:
        state = source.state
        if qualification.stage.by_rating or state.over or is_decided(state, source.ruleset):
            continue
        closed = sum(played.phase is Phase.CLOSED for played in state.played)
        if closed < state.rounds:
            yield Refusal(
                "SOURCE_NOT_FINISHED",
                N_("{name} is not finished: {closed} of {rounds} rounds are closed."),
                {"name": name_of(state), "closed": closed, "rounds": state.rounds},
                subject=f"tournaments/{state.tournament_id}",
            )


def _has_begun(state: TournamentState) -> bool:
    """Check whether a round of the stage was started."""
    return any(played.phase is not Phase.PAIRED for played in state.played)


def _refuse_begun(state: TournamentState) -> Refusal | None:
    """Return the refusal of a change of the field of a stage whose first round is paired, or None."""
    if _has_begun(state):
        return Refusal(
            "STAGE_BEGUN",
            N_(
                "{name} has begun: its players and seeds are those of its first round. A player can still withdraw, or "
                "be registered by hand if the rules allow late entries."
            ),
            {"name": name_of(state)},
            subject="rounds/1",
        )
    if state.played or state.draft is not None:
        return Refusal(
            "STAGE_PAIRED",
            N_("Round 1 of {name} is paired: undo that with `round unpair`, then repeat the qualification."),
            {"name": name_of(state)},
            subject="rounds/1",
        )
    return None


def qualify(situation: Situation, qualification: Qualification, leaving: Collection[str] = ()) -> list[Message]:
    """Register the players that qualified for a stage, or change its field to them.

    After the beginning of the stage, only the points change that its players carry over.
    ``leaving`` are the players that leave a stage beside it in the same command. Raises ``Refusal`` if a source is not
    finished, if no player qualifies, or if there is no change. Raises ``Refusal`` if the first round of the stage is
    paired, or if a player takes part in a stage beside it.
    """
    check_open(situation.state)
    for refusal in list_obstacles(qualification, leaving):
        raise refusal
    if _has_begun(situation.state):
        return [situation.event(events.PlayersQualified, players=qualification.recounted)]
    players = {player.player_id: player for source in qualification.sources for player in source.state.players}
    return _change_field(situation, qualification.players, players)


def _change_field(
    situation: Situation, qualified: Sequence[events.QualifiedPlayer], players: Mapping[str, PlayerState]
) -> list[Message]:
    """Return the events that make ``qualified`` the field of a stage. ``players`` are the entries in the sources."""
    state, at = situation.state, situation.occurred_at
    staying = {each.player_id for each in qualified}
    left = [player.player_id for player in list_field(state) if player.player_id not in staying]
    new_events: list[Message] = []
    for seed, each in enumerate(qualified, 1):
        player = state.player(each.player_id)
        if player is None:
            entry = players[each.player_id]
            new_events.append(
                events.PlayerRegistered(
                    player_id=each.player_id,
                    rating=entry.rating,
                    unrated=entry.unrated,
                    category=entry.category,
                    seed_number=seed,
                    occurred_at=at,
                )
            )
        elif player.withdrawn is not None:
            new_events.append(events.PlayerReinstated(player_id=each.player_id, round=1, occurred_at=at))
    new_events += [events.PlayerWithdrawn(player_id=player_id, round=1, occurred_at=at) for player_id in left]
    new_events.append(events.PlayersQualified(players=qualified, left_player_ids=left, occurred_at=at))
    others = count_present(state) - len(list_field(state))  # registered by hand
    others -= sum(not player.seed_number and player.player_id in staying for player in state.players)
    return [*new_events, *adjust_rounds(situation, situation.ruleset, len(qualified) + max(others, 0))]


def _undo(situation: Situation, version: int, note: str) -> list[Message]:
    """Restore the field of a stage before a qualification: empty before the first one.

    Players that have withdrawn since stay withdrawn. Raises ``Refusal`` if a player who returns takes part in a stage
    beside it by now.
    """
    state = situation.state
    check_open(state)
    if begun := _refuse_begun(state):
        raise begun
    before = latest(events.PlayersQualified, situation.past_events[: version - 1])
    qualified = [each for each in before.players if not _has_withdrawn(state, each.player_id)]
    for each in qualified:
        player = state.player(each.player_id)
        if player is not None and player.withdrawn is not None:
            check_in_no_other(each.player_id, situation.divisions)
    new_events = _change_field(situation, qualified, {})
    for event in new_events:
        if isinstance(event, events.PlayerWithdrawn | events.PlayerReinstated):
            event.note = note
    return new_events


def _rests(act: events.PlayersQualified, later: Message) -> bool:
    return isinstance(later, events.RoundPaired)


UNDO: Mapping[type[Message], Undo] = {
    events.PlayersQualified: Undo(pb.QualifyPlayersRequest, _undo, thing=("players that qualified",), rests=_rests),
}
