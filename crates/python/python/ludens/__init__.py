"""Any rulesheet in GDL as a fast environment, an opponent and an object of study.

>>> game = ludens.load("tic-tac-toe")
>>> state = game.new_initial_state()
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> state.returns()
[100.0, 0.0]

Many games at once, in arrays:

>>> env = game.vector(1024, seed=1)
>>> rewards, done = env.step(env.sample())
>>> env.observations.shape, env.masks.shape
((1024, 29), (1024, 10))

`ludens.pettingzoo` and `ludens.gymnasium` are the same for those who know these interfaces; `python -m ludens.bench` measures.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, List, Optional, Sequence, Union

from . import _ludens, errors
from ._forks import threads_wanted
from ._game import Game, Path, Progress, _text, load
from ._game import names as _names
from ._ludens import State, VectorEnv, __version__
from ._results import (
    GameInfo,
    Match,
    MoveThoughts,
    PlanResult,
    PlayerKind,
    Playouts,
    Probe,
    ProbeMove,
    Problem,
    Solution,
    SolvedMove,
    Standings,
    Study,
    TableProbe,
    Thoughts,
)
from .errors import IllegalAction, LimitError, LudensError, RulesError

__all__ = [
    "Ending",
    "Game",
    "GameInfo",
    "IllegalAction",
    "LimitError",
    "LudensError",
    "Match",
    "MoveThoughts",
    "PlanResult",
    "PlayerKind",
    "Playouts",
    "Probe",
    "ProbeMove",
    "Problem",
    "Progress",
    "RulesError",
    "SIMULTANEOUS",
    "Solution",
    "SolvedMove",
    "Standings",
    "State",
    "Study",
    "TERMINAL",
    "TableProbe",
    "Thoughts",
    "VectorEnv",
    "__version__",
    "check",
    "errors",
    "games",
    "load",
    "match",
    "plan",
    "players",
    "table",
    "tournament",
]

#: What `current_player` says where several choose at once, and where the game is over.
SIMULTANEOUS = -2
TERMINAL = -4


def games() -> List[GameInfo]:
    """The games of the library.

    >>> [game.name for game in ludens.games()][:3]
    ['amazons', 'amazons-small', 'atari-go']
    """
    return [GameInfo(**{**game, "tags": tuple(game["tags"])}) for game in json.loads(_ludens.entries())]


def check(text: str) -> List[Problem]:
    """Everything that is wrong with a text of rules, strictly; play itself is lenient.

    >>> [(problem.line, problem.code) for problem in ludens.check("(role me)\\n(legal me")][0]
    (2, 'unclosed')
    """
    return [Problem(**problem) for problem in json.loads(_ludens.check(text))]


def players() -> List[PlayerKind]:
    """The kinds of players, with their settings. They are written as KIND or KIND:NAME=VALUE,NAME=VALUE.

    >>> "uct" in [kind.name for kind in ludens.players()]
    True
    """
    kinds = json.loads(_ludens.players())
    return [
        PlayerKind(kind["name"], kind["what"], {each["name"]: each["what"] for each in kind["settings"]}) for kind in kinds
    ]


class Ending:
    """The table of a chess ending. `ludens.table` makes it."""

    def __init__(self, inside: _ludens.Ending) -> None:
        self._inside = inside

    @property
    def name(self) -> str:
        """The men, such as KQKR."""
        return self._inside.name

    def line(self, fen: str) -> List[str]:
        """The line of best play from a position, in coordinates."""
        return self._inside.line(fen)

    def __repr__(self) -> str:
        return f"<ludens.Ending {self.name}>"

    def probe(self, fen: str) -> Probe:
        """What a position and its moves are worth.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = ludens.table("KRK", folder=folder, build=True).probe("8/8/8/3k4/8/8/1R6/K7 w - -")
        >>> found.value, found.plies
        ('win', 25)
        """
        return Probe._of(self._inside._probe(fen))


def table(
    name: str,
    *,
    folder: Optional[Path] = None,
    metric: str = "mate",
    build: bool = False,
    progress: Optional[Progress] = None,
) -> Ending:
    """The table of a chess ending, such as KQKR, from the folder of tables; with `build` it is built if it is not there.

    The metric is what is counted: mate, conversion or zeroing.
    """
    threads_wanted()
    return Ending(_ludens.Ending(name, _text(folder), metric, build, progress))


def plan(
    name: str,
    *,
    build: bool = False,
    role: Optional[str] = None,
    seconds: float = 60.0,
    seed: int = 1,
    save: bool = True,
    folder: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> PlanResult:
    """A plan that a person can follow: for a chess ending (`KRK`) or a game that can be listed (`nim`), from the folder of tables.

    With `build` it is looked for, for so many seconds, and stored unless `save` is false.
    """
    threads_wanted()
    if build:
        found = _ludens.plan_build(name, role, seconds, seed, save, _text(folder), progress)
    else:
        found = _ludens.plan_find(name, _text(folder))
    told = json.loads(found)
    return PlanResult(**{**told, "meanings": [(word, meaning) for word, meaning in told["meanings"]]})


def match(
    game: Union[str, Game],
    players: Sequence[Union[str, Callable[[State], Union[int, str]]]],
    *,
    start: float = 1.0,
    play: float = 1.0,
    seed: int = 0,
    max_steps: int = 10_000,
    folder: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> Match:
    """Plays a match: one player for each role, with clocks that hold: `start` seconds before the first move, `play` for each move.

    A player is a description (`ludens.players()`), or a function that is given a state and answers an action, by number or in words.

    >>> played = ludens.match("tic-tac-toe", ["random", lambda state: state.legal_actions("o")[0]], start=0.1, play=0.1)
    >>> sum(played.goals), len(played.moves) >= 5
    (100, True)
    """
    threads_wanted()
    loaded = load(game) if isinstance(game, str) else game
    found = _ludens.play_match(loaded, list(players), start, play, seed, max_steps, _text(folder), progress)
    return Match._of(found)


def tournament(
    games: Union[str, Game, Iterable[Union[str, Game]]],
    players: Sequence[str],
    *,
    rounds: int = 2,
    start: float = 1.0,
    play: float = 1.0,
    parallel: int = 1,
    gauntlet: bool = False,
    seed: int = 0,
    max_steps: int = 10_000,
    out: Optional[Path] = None,
    folder: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> Standings:
    """Plays a tournament between described players; every pair meets `rounds` times in each game, every second time with roles changed.

    Games are names of the library or paths. With a folder `out` every finished game is written down there at once, and the same call
    goes on where it was interrupted. With `gauntlet` only the first player meets the others.

    >>> standings = ludens.tournament("tic-tac-toe", ["random", "legal"], start=0.1, play=0.1)
    >>> standings.games
    2
    """
    threads_wanted()
    chosen: List[Any] = [games] if isinstance(games, (str, Game)) else list(games)
    found = _ludens.play_tournament(
        _names(chosen),
        list(players),
        rounds,
        start,
        play,
        parallel,
        gauntlet,
        seed,
        max_steps,
        _text(out),
        _text(folder),
        progress,
    )
    return Standings._of(found)
