"""The adapters pass the tests of the projects that they are for."""

from __future__ import annotations

import warnings

import ludens
import numpy
import pytest

GAMES = ["tic-tac-toe", "connect-four", "rock-paper-scissors", "three-player-nim", "eight-puzzle"]


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_by_turns(name):
    pytest.importorskip("pettingzoo", reason="there is no pettingzoo here")
    from ludens.pettingzoo import env
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(name, max_steps=200), num_cycles=60)
        seed_test(lambda: env(name, max_steps=200), num_cycles=20)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_all_at_once(name):
    pytest.importorskip("pettingzoo", reason="there is no pettingzoo here")
    from ludens.pettingzoo import parallel_env
    from pettingzoo.test import parallel_api_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel_api_test(parallel_env(name, max_steps=200), num_cycles=60)


def test_pettingzoo_tells_the_end():
    pytest.importorskip("pettingzoo", reason="there is no pettingzoo here")
    from ludens.pettingzoo import env

    game = env("tic-tac-toe", render_mode="ansi")
    game.reset()
    rewards = {}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        rewards[agent] = reward
        over = terminated or truncated
        game.step(None if over else int(observation["action_mask"].argmax()))
    assert rewards == {"x": 1.0, "o": 0.0} and "x" in game.render()
    game.reset()
    with pytest.raises(ludens.IllegalAction):
        game.step(9)
    with pytest.raises(ValueError, match="render mode"):
        env("nim", render_mode="film")
    with pytest.raises(ValueError, match="no net"):
        env(ludens.load("nim", engine="rules"))


@pytest.mark.parametrize("name", GAMES)
def test_gymnasium(name):
    pytest.importorskip("gymnasium", reason="there is no gymnasium here")
    from gymnasium.utils.env_checker import check_env
    from ludens.gymnasium import RoleEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(RoleEnv(name, opponent="random", illegal="random"), skip_render_check=True)


def test_gymnasium_against_players():
    pytest.importorskip("gymnasium", reason="there is no gymnasium here")
    from ludens.gymnasium import RoleEnv

    def last(state):
        return state.legal_actions("o")[-1]

    for opponent in ("random", "uct:playouts=50", last):
        env = RoleEnv("tic-tac-toe", role="x", opponent=opponent)
        observation, info = env.reset(seed=3)
        terminated = False
        while not terminated:
            assert observation.dtype == numpy.uint8 and info["action_mask"].sum() > 0
            observation, reward, terminated, truncated, info = env.step(int(env.action_masks().argmax()))
            assert not truncated
        assert reward in (0.0, 0.5, 1.0)
        with pytest.raises(Exception, match="reset"):
            env.step(0)
    second = RoleEnv("tic-tac-toe", role="o")
    observation, _ = second.reset(seed=1)
    assert second.position.current_player() == 1
    with pytest.raises(ludens.IllegalAction):
        second.step(second.position.legal_actions("o")[0] + 100)
    with pytest.raises(ValueError):
        RoleEnv("tic-tac-toe", role="z")
    with pytest.raises(ValueError):
        RoleEnv("tic-tac-toe", illegal="lose")
