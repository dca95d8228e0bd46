"""Any game as an environment of PettingZoo, for agents by turns (`env`) or all at once (`parallel_env`).

Agents are called as the roles of the rules. An observation is a dictionary: the facts as bytes under "observation", and the legal actions
under "action_mask". Rewards come at the end: the goal of each role, from 0 to 100, divided by 100.

>>> from ludens.pettingzoo import env
>>> game = env("tic-tac-toe")
>>> game.reset(seed=1)
>>> game.agents, game.agent_selection
(['x', 'o'], 'x')
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import numpy
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from ._fixed import loaded
from ._game import Game
from ._ludens import State

__all__ = ["LudensAEC", "LudensParallel", "env", "parallel_env"]


def _space(game: Game) -> spaces.Dict:
    actions = game.num_distinct_actions()
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (game.num_facts(),), numpy.uint8),
            "action_mask": spaces.Box(0, 1, (actions,), numpy.int8),
        }
    )


class _Base:
    """What both kinds share."""

    game: Game
    state_: State
    possible_agents: List[str]
    render_mode: Optional[str]

    def _begin(self, game: Union[str, Game], render_mode: Optional[str], max_steps: int) -> None:
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"there is no render mode {render_mode!r}; there are 'ansi' and 'human'")
        self.game = loaded(game)
        self.metadata = {"name": f"ludens_{self.game.name}_v0", "render_modes": ["ansi", "human"], "is_parallelizable": True}
        self.render_mode = render_mode
        self.max_steps = max_steps
        self.possible_agents = list(self.game.roles)
        self.agents: List[str] = []
        self._spaces = {agent: _space(self.game) for agent in self.possible_agents}
        self._actions = {
            agent: spaces.Discrete(self.game.num_distinct_actions()) for agent in self.possible_agents
        }
        self.state_ = self.game.new_initial_state()
        self.moves = 0

    def observation_space(self, agent: str) -> Any:
        return self._spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._actions[agent]

    def state(self) -> Any:
        """The facts of the position, as bytes."""
        return self.state_.observation()

    def _seen_by(self, agent: str) -> Dict[str, Any]:
        if self.state_.is_terminal() or self.state_.is_stuck():
            mask = numpy.zeros(self.game.num_distinct_actions(), numpy.int8)
        else:
            mask = self.state_.legal_actions_mask(agent).astype(numpy.int8)
        return {"observation": self.state_.observation(), "action_mask": mask}

    def _rewards(self) -> Dict[str, float]:
        return {agent: value / 100.0 for agent, value in zip(self.possible_agents, self.state_.returns())}

    def render(self) -> Optional[str]:
        if self.render_mode is None:
            return None
        if self.render_mode == "human":
            print(self.state_)
            return None
        return str(self.state_)

    def close(self) -> None:
        """Nothing is open."""


class LudensAEC(_Base, AECEnv):  # type: ignore[misc]
    """Agents by turns. Where several choose at once they are asked one after the other, and nobody sees what the others chose."""

    def __init__(self, game: Union[str, Game], render_mode: Optional[str] = None, max_steps: int = 10_000) -> None:
        AECEnv.__init__(self)
        self._begin(game, render_mode, max_steps)

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        # Nothing here is random: chance is a role like any other.
        self.state_ = self.game.new_initial_state()
        self.moves = 0
        self.agents = self.possible_agents[:]
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: Dict[str, Dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: Dict[str, int] = {}
        self._settle()

    def _settle(self) -> None:
        """Finds who is to choose next; at the end everybody is told."""
        is_over, is_stuck = self.state_.is_terminal(), self.state_.is_stuck()
        if is_over or is_stuck or self.moves >= self.max_steps:
            self.rewards = self._rewards()
            self.terminations = {agent: is_over for agent in self.agents}
            self.truncations = {agent: not is_over for agent in self.agents}
            self._waiting: List[str] = []
            self.agent_selection = self.agents[0]
            return
        choosers = [agent for agent in self.possible_agents if len(self.state_.legal_actions(agent)) > 1]
        self._waiting = choosers or [self.possible_agents[max(self.state_.current_player(), 0)]]
        self.agent_selection = self._waiting[0]

    def observe(self, agent: str) -> Dict[str, Any]:
        return self._seen_by(agent)

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action is None or action not in self.state_.legal_actions(agent):
            # The state says what is wrong.
            self.state_.clone().apply_actions({agent: -1 if action is None else int(action)})
        self._chosen[agent] = int(action)  # type: ignore[arg-type]
        self._waiting = self._waiting[1:]
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            self.state_.apply_actions(self._chosen)
            self._chosen = {}
            self.moves += 1
            self._settle()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()


class LudensParallel(_Base, ParallelEnv):  # type: ignore[misc]
    """All agents at once; who waits has one legal action."""

    def __init__(self, game: Union[str, Game], render_mode: Optional[str] = None, max_steps: int = 10_000) -> None:
        self._begin(game, render_mode, max_steps)

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any:
        self.state_ = self.game.new_initial_state()
        self.moves = 0
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> Dict[str, Any]:
        return {agent: self._seen_by(agent) for agent in self.agents}

    def step(self, actions: Dict[str, int]) -> Any:
        if not self.agents:
            return {}, {}, {}, {}, {}
        self.state_.apply_actions([int(actions[agent]) for agent in self.possible_agents])
        self.moves += 1
        is_over = self.state_.is_terminal()
        is_cut = not is_over and (self.state_.is_stuck() or self.moves >= self.max_steps)
        found: Any = (
            self._observations(),
            self._rewards(),
            {agent: is_over for agent in self.agents},
            {agent: is_cut for agent in self.agents},
            {agent: {} for agent in self.agents},
        )
        if is_over or is_cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return found


def env(game: Union[str, Game], render_mode: Optional[str] = None, max_steps: int = 10_000) -> LudensAEC:
    """Agents by turns; a game is what `ludens.load` takes, or what it gives. Games are cut after `max_steps`."""
    return LudensAEC(game, render_mode, max_steps)


def parallel_env(game: Union[str, Game], render_mode: Optional[str] = None, max_steps: int = 10_000) -> LudensParallel:
    """All agents at once."""
    return LudensParallel(game, render_mode, max_steps)
