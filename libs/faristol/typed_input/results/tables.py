"""Tables of a round for `faristol enter`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.names import Named, candidates
from faristol.presentation.unplayed_results import by_forfeit, has_points, outcome
from faristol.rules.scoring import UsualScores
from faristol.text import say
from faristol.typed_input.results.doubts import Doubt, doubts
from faristol.typed_input.results.lines import InvalidLine, ParsedResult

ENTERED_BY = N_("entered by {who} at {time}")
ENTERED_AT = N_("entered at {time}")
CORRECTED_BY = N_("corrected by {who} at {time}")
CORRECTED_AT = N_("corrected at {time}")
FROM_TABLE = N_("from its table at {time}")
ENTERED_AS = N_("entered as {scores}")
TAKEN_OFF = N_(
    "a sanction at the table deducts {points} {points:point|points} from the score of {player}: type the "
    "score without the sanction"
)
SANCTION_BESIDE_RESULT = N_(
    "a sanction at the table deducts {points} {points:point|points} from the spread of {player}: type the "
    "score without the sanction"
)
NOBODY_IS = N_("{winner} does not play at table {table}: {players}")


class Tables:
    """Tables of a round with their results."""

    def __init__(self, listed: pairing.ListResultsResponse, language: str, helper: str = "") -> None:
        """Create the tables; a blind second entry hides results from ``helper``, the id of a person, unless empty."""
        self.listed = listed
        self._helper = helper
        self.usual = UsualScores(listed.usual.lowest, listed.usual.highest, listed.usual.largest_difference)
        self._language = language
        self._by_number = {table.table: table for table in listed.tables}

    def __getitem__(self, number: int) -> pairing.TableResult:
        return self._by_number[number]

    def players(self, number: int) -> int:
        """Return the number of players at a table; 0 if there is no such table."""
        found = self._by_number.get(number)
        return len(found.players) if found else 0

    @property
    def left(self) -> list[int]:
        """Tables without a result, except for postponed games, and in a hall for the tables of others."""
        return [
            table.table
            for table in self.listed.tables
            if not (table.scores or table.postponed or table.decided_elsewhere)
        ]

    def head(self, number: int) -> str:
        """Format a table with its players: ``11 · Anna Puig – Blai Soler``."""
        return f"{number} · {' – '.join(names_at(self[number]))}"

    def standing(self, number: int) -> str:
        """Format a table and its result: ``11 · Anna Puig 412 – Blai Soler 378, entered by Eva Soler at 10:31:02``."""
        table = self[number]
        if self.is_hidden_from_helper(number):
            return f"{self.head(number)}, {self._who(table)}"
        names = names_at(table)
        if self.has_points(number):
            names = [f"{name} {score.score}" for name, score in zip(names, table.scores, strict=True)]
        return f"{number} · {', '.join(filter(None, [' – '.join(names), self.about(number)]))}"

    def has_points(self, number: int) -> bool:
        """Check whether a table has a result with points; a forfeit has none unless the rules award them."""
        table = self[number]
        return bool(table.scores) and has_points((each.score for each in table.scores), unplayed=table.unplayed)

    def is_hidden(self, number: int, subject: str) -> bool:
        """Check whether a blind second entry hides a result: it is open, and another person entered it."""
        table = self[number]
        is_open = table.check == pairing.RESULT_CHECK_PHASE_OPEN
        return self.listed.blind and is_open and table.actor != subject

    def is_hidden_from_helper(self, number: int) -> bool:
        """Check whether a blind second entry hides a result from the helper who types."""
        return bool(self._helper) and self.is_hidden(number, self._helper)

    def about(self, number: int) -> str:
        """Format the notes on a result, without its scores: ``entered by Eva Soler at 10:31:02``."""
        table = self[number]
        given = " – ".join(str(score.score) for score in table.scores_given)
        as_given = say(ENTERED_AS, {"scores": given}, self._language) if given else ""
        return ", ".join(filter(None, [self.describe_decision(number), as_given, self._who(table)]))

    def describe_decision(self, number: int) -> str:
        """Describe a decision that does not follow from the scores, such as a forfeit; empty if the scores decide."""
        table = self[number]
        names = {player.player_id: name for player, name in zip(table.players, names_at(table), strict=True)}
        decided = outcome(
            list(names.values()),
            self._language,
            winner=names.get(table.winner_id, ""),
            unplayed=table.unplayed,
            left=[names[player_id] for player_id in table.abandoned_by if player_id in names],
            lost_by_all=table.lost_by_all,
        )
        return by_forfeit(decided, self._language) if table.unplayed else decided

    def format_forfeit(self, given: ParsedResult) -> str:
        """Format a forfeit."""
        names = names_at(self[given.table])
        came = [name for name, score in zip(names, given.scores, strict=True) if not score.forfeit]
        decided = outcome(names, self._language, winner=came[0] if len(came) == 1 else "", unplayed=True)
        return by_forfeit(decided, self._language)

    def _who(self, table: pairing.TableResult) -> str:
        at = to_datetime(table.recorded_at).astimezone(ZoneInfo(self.listed.time_zone))
        params = {"who": table.actor_name or table.actor, "time": f"{at:%H:%M:%S}"}
        if table.corrected:
            return say(CORRECTED_BY if params["who"] else CORRECTED_AT, params, self._language)
        if not table.entered:
            return say(FROM_TABLE, params, self._language)
        return say(ENTERED_BY if params["who"] else ENTERED_AT, params, self._language)

    def winner(self, given: ParsedResult) -> int | None:
        """Return the seat of the named winner.

        Raises ``InvalidLine`` if the name matches no player there, or several.
        """
        if not given.winner:
            return None
        table = self[given.table]
        seats = [Named(player.player_id, player.name) for player in table.players]
        found = candidates(given.winner, seats)
        if len(found) != 1:
            raise InvalidLine(
                NOBODY_IS, winner=quote_text(given.winner), table=given.table, players=" – ".join(names_at(table))
            )
        return seats.index(found[0])

    def doubts(self, given: ParsedResult, also: Iterable[ParsedResult] = ()) -> list[Doubt]:
        """Return the doubts about a result. ``also`` are results to be entered with it."""
        others = {table.table: [score.score for score in table.scores] for table in self.listed.tables if table.scores}
        others |= {other.table: list(other.points) for other in also if not other.forfeit}
        names = names_at(self[given.table])
        return [
            *self._taken_off(given, names),
            *doubts(given, self.usual, others, names, self.winner(given)),
        ]

    def _taken_off(self, given: ParsedResult, names: Sequence[str]) -> Iterator[Doubt]:
        """Yield a doubt for each sanction that deducts points, since the typed scores must exclude it."""
        table = self[given.table]
        seats = [player.player_id for player in table.players]
        for each in table.taken_off:
            text = SANCTION_BESIDE_RESULT if each.beside_result else TAKEN_OFF
            seat = seats.index(each.player_id)
            yield Doubt(text, {"points": each.points, "player": names[seat]}, seat)

    def stands(self, given: ParsedResult) -> bool:
        """Check whether a result equals the recorded one, so that entering it again changes no game.

        Raises ``InvalidLine`` like ``winner``.
        """
        table, winner = self[given.table], self.winner(given)
        if not table.scores:
            return False
        if given.forfeit or table.unplayed:
            lost = {
                player.player_id for player, score in zip(table.players, given.scores, strict=True) if score.forfeit
            }
            all_but_winner = {player.player_id for player in table.players if player.player_id != table.winner_id}
            return given.forfeit and table.unplayed and lost == all_but_winner
        if winner is not None and table.players[winner].player_id != table.winner_id:
            return False
        left = {player.player_id for player, score in zip(table.players, given.scores, strict=True) if score.left}
        known = [tuple(score.score for score in scores) for scores in (table.scores, table.scores_given)]
        return left == set(table.abandoned_by) and given.points in known

    def result(self, given: ParsedResult) -> pairing.GameResult:
        """Return a result as a contract message. Raises ``InvalidLine`` like ``winner``."""
        table, winner = self[given.table], self.winner(given)
        seats = list(zip((player.player_id for player in table.players), given.scores, strict=True))
        made = pairing.GameResult(game_id=table.game_id)
        if given.forfeit:
            made.forfeited_by.extend(player_id for player_id, score in seats if score.forfeit)
            return made
        for player, points in zip(table.players, given.points, strict=True):
            made.scores.add(player_id=player.player_id, score=points)
        made.abandoned_by.extend(player_id for player_id, score in seats if score.left)
        made.winner_id = "" if winner is None else table.players[winner].player_id
        return made


def correct_result(
    command: pairing.CorrectResultRequest | pairing.CorrectOwnResultRequest,
    table: pairing.TableResult,
    result: pairing.GameResult,
) -> Message:
    """Return a command that replaces the recorded result of a table, after setting its result."""
    command.game_id, command.winner_id = table.game_id, result.winner_id
    command.scores.extend(result.scores)
    command.scores_before.extend(table.scores)
    if result.forfeited_by:
        came = [player.player_id for player in table.players if player.player_id not in result.forfeited_by]
        command.unplayed, command.lost_by_all = True, not came
        command.winner_id = came[0] if len(came) == 1 else ""
    return command


def names_at(table: pairing.TableResult) -> list[str]:
    """Return the names of the players of a table; the id for a player without a name."""
    return [player.name or player.player_id for player in table.players]
