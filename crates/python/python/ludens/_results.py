"""What searches, studies, solvers, tables and contests give back: plain objects, with data frames for those who have pandas."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

if TYPE_CHECKING:
    import numpy
    import numpy.typing

__all__ = [
    "GameInfo",
    "Match",
    "MoveThoughts",
    "PlanResult",
    "Playouts",
    "PlayerKind",
    "Probe",
    "ProbeMove",
    "Problem",
    "Solution",
    "SolvedMove",
    "Standings",
    "Study",
    "TableProbe",
    "Thoughts",
]


def _frame(rows: Sequence[Dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data frames need pandas: pip install pandas") from error
    return pandas.DataFrame(list(rows))


@dataclass(frozen=True)
class GameInfo:
    """A game of the library."""

    name: str
    title: str
    summary: str
    tags: Tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with rules, with its place in the text, counted from 1."""

    severity: str
    code: str
    line: int
    column: int
    message: str
    hint: str


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player, and its settings with what they mean."""

    name: str
    what: str
    settings: Dict[str, str]


@dataclass(frozen=True)
class MoveThoughts:
    """What a search thinks of one move."""

    move: str
    #: The goal expected after it, from 0 to 100.
    value: float
    #: How often it was tried, or how many states were looked at below it.
    visits: int
    #: Whether the value is exact.
    proven: bool
    #: The part of the time in which it would be chosen.
    share: float


@dataclass(frozen=True)
class Thoughts:
    """What a search thinks of a position."""

    role: str
    #: The move that it would make; None if there is none.
    move: Optional[str]
    #: The goal expected for the role, from 0 to 100.
    value: float
    proven: bool
    depth: int
    nodes: int
    playouts: int
    #: The joint moves expected.
    line: List[List[str]]
    #: Every legal move, the one that would be made first, the others by their value.
    moves: List[MoveThoughts]
    player: str
    seconds: float
    #: What tables say of the position, where there are any.
    table: Optional[Dict[str, Any]]
    #: What the player had to say beside that.
    notes: List[str]

    def to_frame(self) -> Any:
        """The moves as a data frame."""
        return _frame([vars(move) for move in self.moves])

    @staticmethod
    def _of(found: Dict[str, Any]) -> Thoughts:
        return Thoughts(**{**found, "moves": [MoveThoughts(**move) for move in found["moves"]]})


@dataclass(frozen=True)
class Playouts:
    """What random games came to."""

    #: Joint moves made.
    states: int
    #: Games that came to their end.
    games: int
    #: Games in which a role had no move.
    stuck: int
    #: Games that were cut.
    cut: int
    #: For each role, how many games brought each goal from 0 to 100.
    goals: numpy.typing.NDArray[numpy.int64]

    @property
    def mean(self) -> List[float]:
        """The mean goal of each role in the games that came to their end; nan where there is none."""
        values = range(101)
        sums = [(sum(v * int(n) for v, n in zip(values, row)), int(row.sum())) for row in self.goals]
        return [total / count if count else float("nan") for total, count in sums]

    @staticmethod
    def _of(text: str) -> Playouts:
        import numpy

        found = json.loads(text)
        return Playouts(**{**found, "goals": numpy.asarray(found["goals"], dtype=numpy.int64)})


class Study(Dict[str, Any]):
    """What rules and random games reveal: a dictionary, whose keys are attributes too.

    >>> study = ludens.load("tic-tac-toe").study(states=500)
    >>> study.roles
    ['x', 'o']
    >>> study.boards[0]["fluent"]
    'cell'
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the study has no {name!r}; it has: {', '.join(self)}") from None


@dataclass(frozen=True)
class SolvedMove:
    """A move of the line of best play."""

    role: str
    move: str
    joint: List[str]
    #: The value after it, and the moves to the end.
    value: Optional[int]
    distance: Optional[int]


@dataclass(frozen=True)
class Solution:
    """A game that is solved.

    The value is the best goal that one player can reach, or how far the first of two roles will be ahead of the second: 100 where it
    wins, 0 for a draw, -100 where it loses. None where no end can be reached.
    """

    roles: List[str]
    value: Optional[int]
    #: Moves to the end with best play; None for even results.
    distance: Optional[int]
    states: int
    edges: int
    #: States by the fewest moves from the start.
    layers: List[int]
    terminal: int
    stuck: int
    may_repeat: bool
    #: How many states have each value.
    values: Dict[Optional[int], int]
    #: For each value, how many states are how far from the end.
    distances: Dict[int, List[int]]
    #: The line of best play.
    line: List[SolvedMove]
    #: How the line ends: {"over": goals}, or "repeats", "stuck", "unknown".
    end: Any
    engine: str
    memory: int
    seconds: float
    #: The facts of a counter that was left out of the states.
    counter: Optional[List[str]] = None
    #: The file of the table, where it was stored.
    table: Optional[str] = None

    def to_frame(self) -> Any:
        """How many states are how far from the end, by value, as a data frame."""
        rows = [
            {"value": value, "distance": distance, "states": count}
            for value, counts in self.distances.items()
            for distance, count in enumerate(counts)
        ]
        return _frame(rows)

    @staticmethod
    def _of(text: str) -> Solution:
        found = json.loads(text)
        line = [
            SolvedMove(step["role"], step["move"], step["joint"], *(step["after"] or {"v": None, "d": None}).values())
            for step in found["line"]
        ]
        values = {value: count for value, count in found["values"]}
        distances = {value: counts for value, counts in found["distances"]}
        return Solution(**{**found, "line": line, "values": values, "distances": distances})


@dataclass(frozen=True)
class TableProbe:
    """What tables know of a state of a game."""

    #: For people.
    words: str
    #: The value for the first role, and the distance with what it counts.
    verdict: Dict[str, Any]
    #: Every move with what is known behind it, and whether it is as good as any.
    moves: List[Dict[str, Any]]


@dataclass(frozen=True)
class ProbeMove:
    """A move of a chess ending; the value is that for the side that makes it, None if a table is missing."""

    uci: str
    san: str
    value: Optional[str]
    plies: Optional[int]


@dataclass(frozen=True)
class Probe:
    """What a table says of a position: win, draw or loss for the side to move."""

    fen: str
    value: str
    #: Plies to the end that the table counts to; None for a draw.
    plies: Optional[int]
    #: All moves, the best first.
    moves: List[ProbeMove]

    @property
    def best(self) -> Optional[str]:
        """The best move, in coordinates."""
        return self.moves[0].uci if self.moves else None

    def to_frame(self) -> Any:
        """The moves as a data frame."""
        return _frame([vars(move) for move in self.moves])

    @staticmethod
    def _of(text: str) -> Probe:
        found = json.loads(text)
        none: Dict[str, Any] = {"value": None, "plies": None}
        moves = [ProbeMove(move["uci"], move["san"], **(move["worth"] or none)) for move in found["moves"]]
        return Probe(**{**found, "moves": moves})


@dataclass(frozen=True)
class PlanResult:
    """A plan that a person can follow."""

    title: str
    name: str
    #: The sentences, the first of which counts most.
    sentences: List[str]
    words: int
    #: How far to look ahead.
    plies: int
    #: Words of the sentences, and what they mean.
    meanings: List[Tuple[str, str]]
    #: What following it reaches.
    reached: List[Dict[str, Any]]
    #: What is won, in rules.
    verdict: List[str]
    proven: bool
    file: Optional[str]
    #: The file's text.
    text: str = field(repr=False)

    def __str__(self) -> str:
        return "\n".join([self.title] + [f"{n}. {said}" for n, said in enumerate(self.sentences, 1)])


@dataclass(frozen=True)
class Match:
    """A match that was played."""

    roles: List[str]
    players: List[str]
    #: The goal of each role; empty if the match was given up.
    goals: List[int]
    #: The joint moves.
    moves: List[List[str]]
    #: The facts of every state, the first being the start, as text in KIF.
    states: List[str]
    #: Why it was given up, if it was.
    given_up: Optional[str]
    #: What was wrong with players.
    troubles: List[str]
    notes: List[str]
    #: The record, as other programs read it.
    record: Dict[str, Any] = field(repr=False)

    @staticmethod
    def _of(text: str) -> Match:
        found = json.loads(text)
        record = found["record"]
        return Match(
            roles=record["gameRoleNames"],
            players=record["playerNamesFromHost"],
            goals=record.get("goalValues", []),
            moves=record["moves"],
            states=record["states"],
            given_up=found["given_up"],
            troubles=found["troubles"],
            notes=found["notes"],
            record=record,
        )


@dataclass(frozen=True)
class Standings:
    """What the games of a tournament come to."""

    #: Everybody, from the best to the worst: games, wins, draws, losses, points with their interval, Elo.
    players: List[Dict[str, Any]]
    #: Who did how against whom, game by game.
    pairs: List[Dict[str, Any]]
    #: Who did how in which role, game by game.
    roles: List[Dict[str, Any]]
    games: int
    given_up: int
    #: Why not everything was played, if it was not.
    missing: Optional[str]
    settings: Dict[str, Any]
    #: The tables for people.
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def to_frame(self) -> Any:
        """The players as a data frame."""
        return _frame(self.players)

    @staticmethod
    def _of(text: str) -> Standings:
        found = json.loads(text)
        report = found["report"]
        return Standings(
            players=report["players"],
            pairs=report["pairs"],
            roles=report["roles"],
            games=report["games"],
            given_up=report["givenUp"],
            missing=found["missing"],
            settings=report["settings"],
            text=found["text"],
        )
