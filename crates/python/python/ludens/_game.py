"""Games: the part of them that is written in Rust, with what players, studies and solvers say of them."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _ludens
from ._forks import threads_wanted
from ._ludens import State
from ._results import Playouts, Solution, Study, TableProbe, Thoughts

__all__ = ["Game", "Progress", "load"]

#: Is called now and then with what is done; an exception that it raises ends the work.
Progress = Callable[[Dict[str, Any]], object]
Path = Union[str, "os.PathLike[str]"]


def _again(text: str, name: str, engine: str) -> Game:
    return Game(text=text, name=name, engine=engine)


class Game(_ludens.Game):
    """A game that can be played. `ludens.load` makes it.

    Actions are the moves of each role, numbered from 0; facts are what can be true in a state. Both are columns of arrays.
    """

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self.rules, self.name, self.engine)

    def min_utility(self) -> float:
        """The least that a role can get: goals are from 0 to 100."""
        return 0.0

    def max_utility(self) -> float:
        """The most that a role can get."""
        return 100.0

    def playouts(self, state: Optional[State] = None, n: int = 1000, *, max_steps: int = 10_000, seed: int = 0) -> Playouts:
        """Plays `n` random games from a state, or from the start.

        >>> found = ludens.load("tic-tac-toe").playouts(n=20_000)
        >>> found.games, 55 < found.mean[0] < 75
        (20000, True)
        """
        return Playouts._of(_ludens.playouts(self, state, n, max_steps, seed))

    def search(
        self,
        state: Optional[State] = None,
        player: str = "portfolio",
        seconds: float = 1.0,
        *,
        role: Union[int, str, None] = None,
        seed: int = 1,
        folder: Optional[Path] = None,
        progress: Optional[Progress] = None,
    ) -> Thoughts:
        """What a player thinks of a state after so many seconds: values and visits of every move.

        The player is a description with settings (`ludens.players()` lists the kinds); one that has `nodes` or `playouts` thinks
        the same every time. `role` says for whom to think, else it is who decides.

        >>> nim = ludens.load("nim")
        >>> found = nim.search(player="exhaustive")
        >>> found.proven, found.value
        (True, 0.0)
        """
        threads_wanted()
        found = _ludens.search(self, state, player, seconds, role, seed, _text(folder), progress)
        return Thoughts._of(json.loads(found))

    def study(
        self, seconds: float = 1.0, *, states: Optional[int] = None, seed: int = 1, progress: Optional[Progress] = None
    ) -> Study:
        """What the form of the rules and random games reveal: turns, boards, pieces, counters, symmetries, features.

        With a number of states the same is found every time.
        """
        return Study(json.loads(_ludens.study(self, seconds, states, seed, progress)))

    def solve(
        self,
        *,
        memory: Optional[int] = None,
        save: bool = False,
        folder: Optional[Path] = None,
        progress: Optional[Progress] = None,
    ) -> Solution:
        """Solves the game outright: one player, or two who decide in turn.

        `memory` is the most to use, in MiB. With `save` the table is stored in the folder of tables, and `probe`, `search` and
        players find it there.

        >>> solution = ludens.load("tic-tac-toe").solve()
        >>> solution.value, solution.states
        (0, 5478)
        """
        threads_wanted()
        return Solution._of(_ludens.solve(self, memory, save, _text(folder), progress))

    def probe(self, state: Optional[State] = None, *, folder: Optional[Path] = None) -> Optional[TableProbe]:
        """What the tables know of a state: those of `solve(save=True)`, or those of chess where the rules are chess. None if there are none."""
        threads_wanted()
        found = _ludens.probe(self, state, _text(folder))
        return TableProbe(**json.loads(found)) if found is not None else None


def _text(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def load(source: Optional[Path] = None, *, text: Optional[str] = None, engine: str = "auto") -> Game:
    """Loads a game: a name of the library, the path of a rulesheet, or the rules themselves, in KIF or infix.

    A string with a parenthesis or more than one line is a text of rules, unless there is a file of that name; `text=` says so
    in any case. The engine is the best one for the rules unless it is named: net, rules or prover.

    >>> ludens.load("connect-four").roles
    ('red', 'yellow')
    >>> game = ludens.load("(role me) (init (at 1)) (legal me go) (<= (next (at 2)) (does me go)) (<= terminal (true (at 2))) (goal me 100)")
    >>> state = game.new_initial_state()
    >>> state.apply_action("go")
    >>> state.returns()
    [100.0]
    >>> ludens.load("conect-four")
    Traceback (most recent call last):
    FileNotFoundError: there is no game "conect-four" in the library, and no such file; did you mean connect-four?...
    """
    if source is None or text is not None:
        return Game(None if source is None else os.fspath(source), text=text, engine=engine)
    named = os.fspath(source)
    if isinstance(source, str) and ("(" in named or "\n" in named) and not _is_there(named):
        return Game(text=named, engine=engine)
    return Game(named, engine=engine)


def _is_there(path: str) -> bool:
    try:
        return os.path.exists(path)
    except (OSError, ValueError):
        return False


def names(games: Sequence[Union[str, Game]]) -> List[str]:
    """Games as they are named elsewhere."""
    return [game.name if isinstance(game, Game) else os.fspath(game) for game in games]
