"""One role of any game as an environment of Gymnasium, against players that are built in or functions.

>>> from ludens.gymnasium import RoleEnv
>>> env = RoleEnv("tic-tac-toe", role="x", opponent="random")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum())
((29,), 9)
>>> observation, reward, terminated, truncated, info = env.step(int(env.action_masks().argmax()))
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple, Union

import gymnasium
import numpy
import numpy.typing as npt
from gymnasium import spaces

from ._fixed import loaded
from ._game import Game
from ._ludens import State

__all__ = ["RoleEnv"]

Opponent = Union[str, Callable[[State], Union[int, str]]]


class RoleEnv(gymnasium.Env[npt.NDArray[numpy.uint8], int]):
    """The game as one role sees it: a step makes its move, then the others move until it decides again or the game is over.

    The opponent is "random", another description of a player (`ludens.players()`), which then thinks for `seconds` a move, or a function
    from a state to an action. The reward comes at the end: the goal of the role, from 0 to 100, divided by 100.

    An action that is not legal raises `ludens.IllegalAction`; with `illegal="random"` a random legal one is made in its place, as managers of
    matches do it, and `info["illegal"]` says so. The legal ones are `info["action_mask"]`, and `action_masks()` for those who look there.
    """

    metadata: Dict[str, Any] = {"render_modes": ["ansi", "human"]}

    def __init__(
        self,
        game: Union[str, Game],
        role: Union[int, str] = 0,
        opponent: Opponent = "random",
        *,
        seconds: float = 0.1,
        illegal: str = "raise",
        max_steps: int = 10_000,
        render_mode: Optional[str] = None,
    ) -> None:
        if illegal not in ("raise", "random"):
            raise ValueError(f"illegal is 'raise' or 'random', not {illegal!r}")
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"there is no render mode {render_mode!r}; there are 'ansi' and 'human'")
        self.game = loaded(game)
        # A role that does not exist is told of here.
        self.game.num_distinct_actions(role)
        names = [name.lower() for name in self.game.roles]
        self.role = names.index(role.lower()) if isinstance(role, str) else role
        self.opponent = opponent
        self.seconds = seconds
        self.illegal = illegal
        self.max_steps = max_steps
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, (self.game.num_facts(),), numpy.uint8)
        self.action_space = spaces.Discrete(self.game.num_distinct_actions(self.role))  # type: ignore[assignment]
        self.position = self.game.new_initial_state()
        self.moves = 0

    def action_masks(self) -> npt.NDArray[numpy.bool_]:
        """The legal actions, as those who learn with masks ask for them."""
        mask = numpy.zeros(self.game.num_distinct_actions(self.role), numpy.bool_)
        if not self._is_over():
            mask[self.position.legal_actions(self.role)] = True
        return mask

    def _is_over(self) -> bool:
        return self.position.is_terminal() or self.position.is_stuck() or self.moves >= self.max_steps

    def _others(self, own: Optional[int]) -> None:
        """Makes the joint move with one's own action, then whatever follows until one has a choice again."""
        while True:
            joint: Dict[int, Union[int, str]] = {}
            for player in range(self.game.num_players()):
                legal = self.position.legal_actions(player)
                if player == self.role and own is not None:
                    joint[player] = own
                elif len(legal) == 1:
                    joint[player] = legal[0]
                elif player == self.role:
                    return
                else:
                    joint[player] = self._reply(player, legal)
            self.position.apply_actions(joint)
            self.moves += 1
            own = None
            if self._is_over():
                return

    def _reply(self, player: int, legal: Any) -> Union[int, str]:
        if self.opponent == "random":
            return int(legal[int(self.np_random.integers(len(legal)))])
        if callable(self.opponent):
            return self.opponent(self.position.clone())
        seed = int(self.np_random.integers(1 << 31))
        found = self.game.search(self.position, self.opponent, self.seconds, role=player, seed=seed)
        return int(legal[0]) if found.move is None else found.move

    def _info(self) -> Dict[str, Any]:
        return {"action_mask": self.action_masks().astype(numpy.int8)}

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[npt.NDArray[numpy.uint8], Dict[str, Any]]:
        super().reset(seed=seed)
        self.position = self.game.new_initial_state()
        self.moves = 0
        if not self._is_over():
            self._others(None)
        return self.position.observation(), self._info()

    def step(self, action: Any) -> Tuple[npt.NDArray[numpy.uint8], float, bool, bool, Dict[str, Any]]:
        chosen, replaced = int(action), False
        if self._is_over():
            raise gymnasium.error.ResetNeeded("the game is over: call reset() first")
        legal = self.position.legal_actions(self.role)
        if chosen not in legal and self.illegal == "random":
            chosen, replaced = int(legal[int(self.np_random.integers(len(legal)))]), True
        self._others(chosen)
        is_over = self.position.is_terminal()
        reward = self.position.player_return(self.role) / 100.0 if is_over else 0.0
        info = self._info()
        if replaced:
            info["illegal"] = True
        if self.render_mode == "human":
            self.render()
        return self.position.observation(), reward, is_over, not is_over and self._is_over(), info

    def render(self) -> Any:
        if self.render_mode == "human":
            print(self.position)
            return None
        return str(self.position) if self.render_mode == "ansi" else None
