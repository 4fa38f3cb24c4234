"""Duplicate games as JSON and CSV. A turn shows only its rack and time before it is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import Answer, Pin, Read, Shown, word_of, words_of
from faristol.gateway.api.comma_separated import Value, format_csv
from faristol.gateway.api.resources.sheets import Placement
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.rules.board import Direction, Square
from faristol.rules.duplicate_game.ranking import ranks_among
from faristol.rules.notation import Notation, Start, word_tiles

Names = Mapping[str, str]
"""Names of players by id; an erased player has none."""

HANDED_ENUM = events.Handed.DESCRIPTOR

Handed = Annotated[str, word_of(events.Handed)]
End = Annotated[str, word_of(events.DuplicateEnd)]


def coordinates_of(play: events.DuplicatePlay) -> str:
    """Return the coordinates of a play: ``H8`` across and ``15G`` down (FISC II.2)."""
    return Notation.FISC.write(start_of(play))


def main_word(play: events.DuplicatePlay) -> str:
    """Return the main word of a play, with letters of blanks in parentheses."""
    blanks = {Square(tile.row, tile.column) for tile in play.placements if tile.blank}
    return " ".join(map(str, word_tiles(play.faces, start_of(play), blanks)))


def start_of(play: events.DuplicatePlay) -> Start:
    """Return the first square and direction of a play."""
    return Start(Square(play.row, play.column), Direction.ACROSS if play.across else Direction.DOWN)


class DuplicatePlay(Shown):
    """Play placed on every board."""

    row: int = Field(description="Row of the first tile of its main word, from 0.")
    column: int = Field(description="Column of that tile, from 0.")
    across: bool = Field(description="True if the play reads from left to right, false from top to bottom.")
    faces: list[str] = Field(description="The main word, including tiles of the board.")
    placements: list[Placement] = Field(description="The tiles laid.")
    score: int = Field(description="Points.")
    coordinates: Annotated[str, Read(coordinates_of)] = Field(description="First square: `H8` across, `15G` down.")


class DuplicateTurn(Shown):
    """Turn of three minutes, which pages call a round."""

    turn: int = Field(description="From 1.")
    faces: list[str] = Field(description="The rack in the order in which it was called; `?` for a blank.")
    leftover: int = Field(description="Number of tiles carried over from the previous turn.")
    rejected: int = Field(description="Number of racks rejected before this one.")
    by_hand: bool = Field(description="The judge drew the tiles from a physical bag.")
    started_at: datetime | None = Field(description="Start of the turn time; null before it.")
    ends_at: datetime | None = Field(
        description="End of the turn time; null before the start and while the time is stopped."
    )
    stopped_with: int = Field(description="Remaining milliseconds while the time is stopped after an incident.")
    scored: bool = Field(description="The turn is scored: its master play and top are public.")
    master: DuplicatePlay | None = Field(description="The master play; null before the turn is scored.")
    top: int = Field(description="The highest score that the rack allowed; 0 before the turn is scored.")


class DuplicateHall(Shown):
    """Hall of a game."""

    number: int = Field(description="From 1.")
    name: str = Field(description="Empty if the tournament has no halls.")
    players: int


class Duplicate(Answer):
    """Duplicate game."""

    game_id: str
    tournament_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    ruleset: Pin
    halls: list[DuplicateHall]
    turns: list[DuplicateTurn] = Field(description="The turns so far.")
    board: list[Placement] = Field(description="The tiles on the board.")
    bag_left: int = Field(description="Tiles in the bag.")
    commitment: str = Field(description="Commitment to the seed of the racks, in hexadecimal.")
    seed: str = Field(description="The seed after the end of the game; empty before.")
    end: End | None = Field(description="Why the game ended; null while it is in progress.")
    validated: bool = Field(description="The results are final.")
    unofficial: list[str] = Field(description="Why the game is not official: `players`, `turns`.")
    embargoed: bool = Field(description="The plays are under embargo until every group has played the game.")
    links: links.OfWholeDuplicate

    @classmethod
    def from_message(cls, game: pb.GetDuplicateResponse, position: int) -> Duplicate:
        """Build the answer from the contract message, which holds at least up to ``position``."""
        return cls(**cls.values(game), position=position)


class DuplicateLine(Shown):
    """Line of the standings of a game."""

    rank: int = Field(description="Rank; tied players share it.")
    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    total: int = Field(description="Points, including bonus and penalties.")
    percent: Annotated[float, Read(lambda line: line.percent_hundredths / 100)] = Field(
        description="Total as a percentage of the points of the master plays."
    )
    negative: int = Field(description="Difference between the total and the points of the master plays.")
    tops: int = Field(description="Number of turns in which the player found a top.")
    best_play: int = Field(description="Highest score of a turn.")
    solos: int = Field(description="Number of solos: turns in which only this player found the top.")
    bonus: int = Field(description="Points for solos.")
    penalty: int = Field(description="Points deducted for warnings.")
    game_id: str = Field(description="Game of the player if several groups share one classification; empty otherwise.")
    links: links.OfPlayer


class DuplicateStandings(Answer):
    """Standings of a game after the scored turns."""

    game_id: str
    turns: int = Field(description="Number of scored turns.")
    masters: int = Field(description="Points of all master plays.")
    validated: bool = Field(description="The results are final.")
    standings: list[DuplicateLine] = Field(description="Lines in order of rank.")
    links: links.DuplicateLinks

    @classmethod
    def from_message(
        cls, game_id: str, found: pb.GetDuplicateStandingsResponse, names: Names, position: int
    ) -> DuplicateStandings:
        """Build the answer from the contract message, which holds at least up to ``position``."""
        lines = [
            DuplicateLine(**DuplicateLine.values(line), name=names.get(line.player_id, "")) for line in found.lines
        ]
        where = links.of_duplicate(game_id)
        return cls(**cls.values(found), position=position, game_id=game_id, standings=lines, links=where)


class DuplicateShare(Shown):
    """Result of a player in one of several games."""

    total: int = Field(description="Points, including bonus and penalties; 0 for an absent player.")
    plays: bool = Field(description="The player takes part in the game.")


class SummedLine(DuplicateLine):
    """Line of the standings of several games."""

    category: str = Field(description="Categories of the player; empty for none.")
    games: list[DuplicateShare] = Field(description="Results by game.")


class SummedGame(Shown):
    """Game included in the sum."""

    game_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    turns: int = Field(description="Number of scored turns.")
    masters: int = Field(description="Points of all its master plays.")
    end: End | None = Field(description="Why the game ended; null while it is in progress.")
    validated: bool = Field(description="Its results are final.")
    links: links.OfDuplicate


class DuplicateTotals(Answer):
    """Summed standings of all duplicate games of a tournament."""

    tournament_id: str
    category: str = Field(description="Category of the players; empty for all players.")
    games: list[SummedGame] = Field(description="Games in the order of rounds.")
    standings: list[SummedLine] = Field(description="Lines in order of rank.")
    links: links.PartLinks

    @classmethod
    def from_messages(
        cls,
        tournament_id: str,
        found: pb.GetDuplicateTotalsResponse,
        listed: results_pb.ListPlayersResponse,
        category: str = "",
    ) -> DuplicateTotals:
        """Build the answer from the contract messages. Players of a category are ranked among themselves."""
        players = {player.player_id: player for player in listed.players}
        wanted = category.casefold()
        chosen = [
            each
            for each in found.lines
            if not wanted or ((known := players.get(each.line.player_id)) and known.category.casefold() == wanted)
        ]
        ranks = ranks_among([each.line.rank for each in chosen])
        lines = []
        for each, rank in zip(chosen, ranks, strict=True):
            player = players.get(each.line.player_id)
            said = DuplicateLine.values(each.line) | {"rank": rank}
            lines.append(
                SummedLine(
                    **said,
                    name=player.name if player else "",
                    category=player.category if player else "",
                    games=list(map(DuplicateShare.of, each.games)),
                )
            )
        games = list(map(SummedGame.of, found.games))
        return cls(
            position=listed.position,
            tournament_id=tournament_id,
            category=category,
            games=games,
            standings=lines,
            links=links.of_part(tournament_id, "duplicate-standings", "duplicate"),
        )


class ScoredSlip(Shown):
    """Slip of a player in a scored turn."""

    turn: int
    points: int = Field(description="0 for a null play.")
    fault: str = Field(description="Why the play is null: `coordinates`, `invalid`, `late` …; empty for a valid play.")
    warned: list[str] = Field(description="Faults for which the player was warned.")
    coordinates: str = Field(description="Coordinates as written; empty if missing.")
    word: str = Field(description="Word as written, with the letter of a blank in parentheses.")
    score: str = Field(description="Score as written; empty if missing.")
    handed: Annotated[Handed, Read(lambda slip: words_of(HANDED_ENUM)[slip.handed] or "in_time")] = Field(
        description="Origin of the slip."
    )
    coordinates_illegible: bool
    word_illegible: bool


class DuplicateSheet(Shown):
    """Sheet of a player for the scored turns (FISC II.9)."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    number: int = Field(description="Number on the player's slips.")
    hall: str = Field(description="The hall; empty if the tournament has none.")
    total: int = Field(description="Points of the turns, without bonus and penalties.")
    slips: list[ScoredSlip] = Field(description="Plays by turn.")


class DuplicateSheets(Answer):
    """Sheets of players."""

    game_id: str
    sheets: list[DuplicateSheet] = Field(description="Sheets by hall, in the order of the numbers on the slips.")
    links: links.DuplicateLinks

    @classmethod
    def from_messages(
        cls, game_id: str, found: Iterable[pb.GetHallSheetResponse], names: Names, position: int
    ) -> DuplicateSheets:
        """Build the answer from contract messages, which hold at least up to ``position``."""
        sheets = [
            DuplicateSheet(
                player_id=player.player_id,
                name=names.get(player.player_id, ""),
                number=player.number,
                hall=sheet.hall.name,
                total=sum(score.points for score in player.scores),
                slips=[
                    ScoredSlip(
                        **ScoredSlip.values(slip),
                        turn=turn,
                        points=score.points,
                        fault=score.fault,
                        warned=list(score.warned),
                    )
                    for turn, slip, score in zip(player.turns, player.slips, player.scores, strict=True)
                ],
            )
            for sheet in found
            for player in sheet.players
        ]
        return cls(position=position, game_id=game_id, sheets=sheets, links=links.of_duplicate(game_id))


SLIP_COLUMNS = (
    "turn",
    "hall",
    "number",
    "player_id",
    "name",
    "coordinates",
    "word",
    "score",
    "handed",
    "points",
    "fault",
    "warned",
)
"""Columns of slips: a line for each player and turn; ``#`` marks an illegible part."""

TURNS = (
    "turn",
    "rack",
    "leftover",
    "rejected",
    "by_hand",
    "started_at",
    "ends_at",
    "scored",
    "coordinates",
    "word",
    "master",
    "top",
)
"""Columns of turns; the last four are empty before a turn is scored."""

STANDINGS = (
    "rank",
    "player_id",
    "name",
    "total",
    "percent",
    "negative",
    "tops",
    "best_play",
    "solos",
    "bonus",
    "penalty",
)
"""Columns of standings."""


def slips_csv(answer: DuplicateSheets) -> str:
    """Return every slip of the scored turns as CSV, turn by turn."""
    found: list[tuple[int, int, list[Value]]] = [
        (slip.turn, sheet.number, _slip_line(sheet, slip)) for sheet in answer.sheets for slip in sheet.slips
    ]
    return format_csv(SLIP_COLUMNS, [line for *_, line in sorted(found, key=lambda each: each[:2])])


def _slip_line(sheet: DuplicateSheet, slip: ScoredSlip) -> list[Value]:
    return [
        slip.turn,
        sheet.hall,
        sheet.number,
        sheet.player_id,
        sheet.name,
        "#" if slip.coordinates_illegible else slip.coordinates,
        "#" if slip.word_illegible else slip.word,
        slip.score,
        slip.handed,
        slip.points,
        slip.fault,
        " ".join(slip.warned),
    ]


def turns_csv(answer: Duplicate, words: Sequence[str]) -> str:
    """Return the turns of a game as CSV. ``words`` are the main words of master plays, empty for unscored turns."""
    return format_csv(TURNS, list(_turn_lines(answer, words)))


def _turn_lines(answer: Duplicate, words: Sequence[str]) -> Iterator[list[Value]]:
    for turn, word in zip(answer.turns, words, strict=True):
        said: list[Value] = ["", "", "", ""]
        if turn.master is not None:
            said = [turn.master.coordinates, word, turn.master.score, turn.top]
        yield [
            turn.turn,
            " ".join(turn.faces),
            turn.leftover,
            turn.rejected,
            turn.by_hand,
            turn.started_at.isoformat() if turn.started_at else "",
            turn.ends_at.isoformat() if turn.ends_at else "",
            turn.scored,
            *said,
        ]


def standings_csv(answer: DuplicateStandings) -> str:
    """Return the standings of a game as CSV."""
    return format_csv(STANDINGS, ([getattr(line, name) for name in STANDINGS] for line in answer.standings))


def totals_csv(answer: DuplicateTotals) -> str:
    """Return the standings of several games as CSV, with a column for each, empty for an absent player."""
    columns = [*STANDINGS, "category", *(f"game_{game.round}" for game in answer.games)]
    return format_csv(
        columns,
        (
            [
                *(getattr(line, name) for name in STANDINGS),
                line.category,
                *(share.total if share.plays else "" for share in line.games),
            ]
            for line in answer.standings
        ),
    )


def words_of_masters(game: pb.GetDuplicateResponse) -> list[str]:
    """Return the main words of the master plays of a game, empty for an unscored turn."""
    return [main_word(turn.master) if turn.HasField("master") else "" for turn in game.turns]
