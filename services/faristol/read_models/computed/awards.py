"""The awards of the prize lists of a tournament, with their reasons. Pure.

``faristol.rules.prizes`` shares the money. This module ranks the players of each list by its criterion, and says in
sentences why a player has a prize.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Param
from faristol.kernel.spellings import labels_of
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.minors import MINORS_AGE_LIMIT, is_of_minors
from faristol.read_models.computed.prizes import CRITERION_KINDS, Offered, Play, Plays, list_claims
from faristol.read_models.storage.rows import Round
from faristol.rules.prizes import Limit, Outcome, PrizeEntrant, PrizeList, Sharing, award
from faristol.text import number, say, translations
from faristol.text.money import format_money

SHARINGS: Mapping[int, Sharing] = MappingProxyType(
    {
        pairing.PRIZE_SHARING_NONE: Sharing.NONE,
        pairing.PRIZE_SHARING_EQUAL: Sharing.EQUAL,
        pairing.PRIZE_SHARING_HORT: Sharing.HORT,
    }
)

LIMITS: Mapping[int, Limit] = MappingProxyType(
    {
        pairing.PRIZE_LIMIT_SEVERAL: Limit.SEVERAL,
        pairing.PRIZE_LIMIT_FIRST_LIST: Limit.FIRST_LIST,
        pairing.PRIZE_LIMIT_MOST_MONEY: Limit.MOST_MONEY,
    }
)

BY_PLACE = N_("Place {place} of “{list}”: rank {rank} in the standings, points: {points}.")
SHARED_EQUALLY = N_("The prizes of {sharers} players with equal points are added and divided equally.")
HORT = N_(
    "Half of a prize belongs to its place; the other halves of {sharers} players with equal points are divided equally."
)
TIED = N_("No tie-break separates {sharers} players: they divide the prizes of their places.")
BY_LOT = N_("The prizes in kind are drawn by lot between the players of this place.")
GIVEN_UP = N_("Given up for it: {prizes}.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player with the data that prize lists look at."""

    standing: results.Standing
    category: str = ""
    club: str = ""
    birth_year: int = 0


@dataclass(frozen=True, slots=True)
class Feat:
    """The best value of a player for a criterion."""

    player_id: str
    value: int
    game_id: str = ""
    round: int = 0
    word: str = ""


Feats = Mapping[int, Sequence[Feat]]
"""The values of each criterion, the best first, several of a player allowed."""


def feats_of_plays(plays: Iterable[Play]) -> list[Feat]:
    """Return plays as values, the highest first."""
    found = ((play, play.to_winner()) for play in plays)
    return [Feat(won.player_id, play.line.score, won.game_id, won.round, won.word) for play, won in found]


def feats_of_games(criterion: int, rounds: Sequence[Round], plays: Plays, annulled: Collection[str]) -> list[Feat]:
    """Return the values of players for a criterion of ``CRITERION_KINDS``, the highest first.

    ``annulled`` are the players whose games count for no player.
    """
    claims = list_claims(CRITERION_KINDS[criterion], rounds, plays, annulled)
    return sorted(
        (Feat(won.player_id, value, won.game_id, won.round) for value, won in claims),
        key=lambda feat: (-feat.value, feat.player_id, feat.round),
    )


def compute_awards(
    offered: Offered,
    candidates: Sequence[Candidate],
    feats: Feats,
    names: Mapping[str, str],
    language: str,
    hidden: Collection[int] = (),
) -> list[results.AwardList]:
    """Return the prize lists with their awards. ``candidates`` are in the order of the standings.

    The awards of ``hidden`` lists are left out, and no award of another list mentions them. Players whose games were
    annulled (FIDE C.05 6.6), expelled players and those excluded by the rules get no prize.
    """
    without = {each.standing.player_id for each in candidates if each.standing.annulled}
    without |= offered.expelled | {*offered.rules.player_ids}
    ranked = {each.list: list(_rank(each, candidates, feats)) for each in offered.lists}
    lists = [
        PrizeList(each.list, [entrant for entrant, _ in ranked[each.list]], each.amounts, each.things, each.apart)
        for each in offered.lists
    ]
    sharing, limit = SHARINGS[offered.rules.sharing], LIMITS[offered.rules.limit]
    outcomes = award(lists, sharing, limit, without)
    by_id = {each.standing.player_id: each for each in candidates}
    shown = {each.list: each.name for each in offered.lists if each.list not in hidden}
    return [
        _to_message(each, outcome, dict(_feats_in(ranked[each.list])), by_id, names, shown, offered.rules, language)
        if each.list in shown
        else list_of(each)
        for each, outcome in zip(offered.lists, outcomes, strict=True)
    ]


def list_of(offered: pairing.PrizeListSet) -> results.AwardList:
    """Return a prize list without awards."""
    return like(results.AwardList, offered)


Ranked = tuple[PrizeEntrant, Feat]


def _feats_in(ranked: Iterable[Ranked]) -> Iterator[tuple[str, Feat]]:
    for entrant, feat in ranked:
        yield entrant.player_id, feat


def _rank(of: pairing.PrizeListSet, candidates: Sequence[Candidate], feats: Feats) -> Iterator[Ranked]:
    """Yield the players of a list in its order, each with the value that ranks them."""
    eligible = {each.standing.player_id: each for each in candidates if is_eligible(of, each)}
    if of.criterion == pairing.PRIZE_CRITERION_CHOSEN:
        for place, player_id in enumerate(of.player_ids):
            if player_id in eligible:
                yield PrizeEntrant(player_id, place, place), Feat(player_id, 0)
        return
    if of.criterion == pairing.PRIZE_CRITERION_PLACE:
        for player_id, each in eligible.items():
            line = each.standing
            yield PrizeEntrant(player_id, line.half_points, line.rank), Feat(player_id, line.half_points)
        return
    seen: set[str] = set()
    for feat in feats.get(of.criterion, ()):
        if feat.value > 0 and feat.player_id in eligible and feat.player_id not in seen:
            seen.add(feat.player_id)
            yield PrizeEntrant(feat.player_id, feat.value, feat.value), feat


def is_eligible(of: pairing.PrizeListSet, candidate: Candidate) -> bool:
    """Check whether a player has the category, the club and the age of a list. An unknown year has no age."""
    if of.category and of.category.casefold() != candidate.category.casefold():
        return False
    if of.club and of.club.casefold() != candidate.club.casefold():
        return False
    if of.born_from and candidate.birth_year < of.born_from:
        return False
    return not of.born_until or 0 < candidate.birth_year <= of.born_until


def _to_message(
    of: pairing.PrizeListSet,
    outcome: Outcome,
    feats: Mapping[str, Feat],
    candidates: Mapping[str, Candidate],
    names: Mapping[str, str],
    shown: Mapping[int, str],
    rules: pairing.PrizeRulesSet,
    language: str,
) -> results.AwardList:
    message = list_of(of)
    message.left_over = outcome.left_over
    for each in outcome.awards:
        won, feat, candidate = each.share, feats[each.share.player_id], candidates[each.share.player_id]
        message.awards.append(
            like(
                results.Award,
                won,
                name=names.get(won.player_id, ""),
                club=candidate.club,
                rank=candidate.standing.rank if of.criterion == pairing.PRIZE_CRITERION_PLACE else 0,
                value=feat.value,
                given_up=[
                    results.GivenUpPrize(list=lost.number, name=shown[lost.number], amount=lost.amount)
                    for lost in each.given_up
                    if lost.number in shown
                ],
                game_id=feat.game_id,
                round=feat.round,
                word=feat.word,
            )
        )
        message.awards[-1].why = " ".join(_reasons(of, message.awards[-1], rules, language))
    return message


def _reasons(
    of: pairing.PrizeListSet, won: results.Award, rules: pairing.PrizeRulesSet, language: str
) -> Iterator[str]:
    """Yield the sentences on the reason for an award."""
    params: dict[str, Param] = {"place": won.place, "list": of.name, "sharers": won.sharers}
    if of.criterion == pairing.PRIZE_CRITERION_PLACE:
        points = number(won.value / 2, language)
        yield say(BY_PLACE, {**params, "rank": won.rank, "points": points}, language)
    elif of.criterion == pairing.PRIZE_CRITERION_CHOSEN:
        yield say(N_("Place {place} of “{list}”, chosen by the organiser."), params, language)
    else:
        label = translations(language).gettext(labels_of(pairing.PrizeCriterion.DESCRIPTOR)[of.criterion])
        value = f"{label}: {number(won.value, language)}{f' ({won.word})' if won.word else ''}"
        yield say(N_("Place {place} of “{list}”: {value}."), {**params, "value": value}, language)
    if won.sharers > 1 and won.amount:
        text = {pairing.PRIZE_SHARING_EQUAL: SHARED_EQUALLY, pairing.PRIZE_SHARING_HORT: HORT}.get(rules.sharing, TIED)
        yield say(text, params, language)
    if won.by_lot:
        yield say(BY_LOT, {}, language)
    if won.given_up:
        prizes = "; ".join(_describe(lost, rules.currency, language) for lost in won.given_up)
        yield say(GIVEN_UP, {"prizes": prizes}, language)


def _describe(lost: results.GivenUpPrize, currency: str, language: str) -> str:
    return f"{lost.name} ({format_money(lost.amount, currency, language)})" if lost.amount else lost.name


def is_list_of_minors(of: pairing.PrizeListSet, year: int) -> bool:
    """Check whether the players of a list are minors in a ``year``, by its category or its years of birth."""
    return is_of_minors(of.category) or (of.born_from > 0 and year - of.born_from <= MINORS_AGE_LIMIT)
