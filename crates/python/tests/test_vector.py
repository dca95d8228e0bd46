"""Many games side by side: the same as single states, in memory that is not copied."""

from __future__ import annotations

import os
import random
import time

import ludens
import numpy
import pytest
from conftest import corpus

#: Seconds for all games of the library, and for all other rulesheets; what does not fit is named. LUDENS_FULL=1 takes all the time.
SECONDS = 25.0


def compare(game, steps=12, n=3, seed=5):
    """Plays games side by side and one by one, by the same moves."""
    env = game.vector(n, seed=seed, max_steps=steps - 2)
    states = [game.new_initial_state() for _ in range(n)]
    ages = [0] * n
    rng = random.Random(seed)
    roles = game.num_players()
    for _ in range(steps):
        players, masks, joint = env.players.tolist(), env.masks, env.joint_masks
        observations = env.observations
        actions = numpy.zeros((n, roles), numpy.int64)
        for i, state in enumerate(states):
            assert state.current_player() == players[i]
            assert state.observation().tolist() == observations[i].tolist()
            for role in range(roles):
                legal = state.legal_actions(role)
                assert numpy.flatnonzero(joint[i, role]).tolist() == sorted(legal)
                actions[i, role] = rng.choice(legal) if legal else -1
            own = sorted(state.legal_actions()) if players[i] >= 0 else []
            assert numpy.flatnonzero(masks[i]).tolist() == own
        alone = bool(rng.randrange(2)) and all(player >= 0 for player in players)
        chosen = numpy.array([actions[i, players[i]] for i in range(n)]) if alone else actions
        rewards, done = env.step(chosen)
        for i, state in enumerate(states):
            if players[i] == ludens.TERMINAL:
                continue
            state.apply_actions([int(action) for action in actions[i]])
            ages[i] += 1
            end = 1 if state.is_terminal() else 2 if state.is_stuck() else 3 if ages[i] >= steps - 2 else 0
            assert done[i] == end
            goals = [goal or 0 for goal in state.goals()] if end else [0] * roles
            assert rewards[i].tolist() == goals
            if end:
                states[i], ages[i] = game.new_initial_state(), 0
            assert env.state(i).facts() == states[i].facts()


def through(named, capsys):
    """Compares games until the time is over; tells how many."""
    began, done, left = time.monotonic(), 0, []
    limit = float("inf") if os.environ.get("LUDENS_FULL") else SECONDS
    for name, load in named:
        if time.monotonic() - began > limit:
            left.append(name)
            continue
        game = load()
        try:
            compare(game)
        except Exception as error:
            raise AssertionError(f"{name}: {error}") from error
        done += 1
    with capsys.disabled():
        rest = f"; no time for {len(left)}: {', '.join(left[:5])} … (LUDENS_FULL=1 takes it)" if left else ""
        print(f"\n{done} of {done + len(left)} games side by side as one by one, {time.monotonic() - began:.0f} s{rest}")
    return done


def test_every_game_of_the_library(capsys):
    # The quickest to load come first.
    games = sorted(ludens.games(), key=lambda game: game.name in SLOW)
    assert through([(game.name, lambda name=game.name: ludens.load(name)) for game in games], capsys) >= 10


#: What takes seconds to load.
SLOW = {"chess", "amazons", "checkers", "chinese-checkers", "kqkr", "krk", "shogi", "go", "hex"}


def test_other_peoples_rulesheets(capsys):
    sheets = corpus()
    if not sheets:
        pytest.skip("there are no rulesheets of other people here (LUDENS_CORPUS names their folder)")
    sheets.sort(key=lambda path: path.stat().st_size)
    assert through([(path.stem, lambda path=path: ludens.load(path)) for path in sheets], capsys) >= 10


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "rock-paper-scissors"])
def test_without_a_net(name):
    compare(ludens.load(name, engine="rules"), steps=10)
    env = ludens.load(name, engine="rules").vector(2)
    assert not env.has_lanes and env.planes is None


def test_nothing_is_copied():
    game = ludens.load("tic-tac-toe")
    env = game.vector(700, seed=2)
    held = {name: getattr(env, name) for name in ("players", "rewards", "done", "observations", "masks", "joint_masks")}
    planes = env.planes
    address = {name: array.__array_interface__["data"][0] for name, array in held.items()}
    before = env.observations.copy(), planes.copy()
    rewards, done = env.step(env.sample())
    # The arrays from before are the arrays from now, and show what the step has made.
    assert rewards is held["rewards"] and done is held["done"]
    for name, array in held.items():
        assert getattr(env, name) is array
        assert array.__array_interface__["data"][0] == address[name]
        assert not array.flags.owndata and numpy.shares_memory(array, getattr(env, name))
    assert (held["observations"] != before[0]).any()
    # The planes are the states themselves: nothing was asked for, and they have changed.
    assert (planes != before[1]).any() and numpy.shares_memory(planes, env.planes)
    for i in (0, 63, 64, 511, 512, 699):
        group, word, bit = i // 512, i % 512 // 64, i % 64
        bits = (planes[group, :, word] >> numpy.uint64(bit)) & numpy.uint64(1)
        assert bits.tolist() == held["observations"][i].tolist()
    # Nobody can write into the states, or move what the environment writes into.
    with pytest.raises(ValueError):
        planes[0, 0, 0] = 1
    for array in held.values():
        with pytest.raises(ValueError):
            array.resize((1,), refcheck=False)
    # They outlive the environment.
    env_planes = env.planes
    del env
    assert env_planes.sum() > 0 and held["masks"].any()


def test_packed_is_the_same():
    env = ludens.load("connect-four").vector(70, seed=2)
    for _ in range(20):
        env.step(env.sample())
        for packed, plain in ((env.packed_observations, env.observations), (env.packed_masks, env.masks)):
            bits = numpy.unpackbits(packed, axis=1, count=plain.shape[1], bitorder="little")
            assert (bits == plain).all()


def test_the_seed_decides():
    game = ludens.load("connect-four")
    drawn = [game.vector(50, seed=seed).sample().tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    found = [game.vector(50, seed=seed).rollout(100).goals.tolist() for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_games_end_and_begin_anew():
    game = ludens.load("tic-tac-toe")
    env = game.vector(200, seed=1)
    ended = 0
    for _ in range(60):
        rewards, done = env.step(env.sample())
        assert (rewards.sum(axis=1) == numpy.where(done == 1, 100, 0)).all()
        ended += int(done.sum())
        assert (env.observations[done == 1] == game.new_initial_state().observation()).all()
    assert ended > 1000
    once = game.vector(200, seed=1, restart=False)
    while (once.players >= 0).any():
        once.step(once.sample())
    assert (once.players == ludens.TERMINAL).all() and not once.masks.any() and (once.sample() == -1).all()
    rewards, done = once.step(once.sample())
    assert not done.any() and not rewards.any()
    once.reset()
    assert (once.players == 0).all()


def test_random_games_inside_are_random_games():
    game = ludens.load("tic-tac-toe")
    inside = game.vector(1000, seed=4).rollout(200)
    from_start = game.playouts(n=20_000, seed=4)
    # The first player of random games gets 58.5 % wins and 12.7 % draws.
    for found in (inside, from_start):
        assert found.stuck == found.cut == 0
        assert abs(found.mean[0] - (58.5 + 12.7 / 2)) < 1.0
    # One cell is left, and it wins.
    moves = ["(mark 1 1)", "(mark 1 2)", "(mark 1 3)", "(mark 2 1)", "(mark 2 2)", "(mark 2 3)", "(mark 3 2)", "(mark 3 1)"]
    assert game.playouts(game.from_moves(moves), n=500).mean == [100.0, 0.0]


def test_a_function_as_policy():
    env = ludens.load("nim").vector(64)
    found = env.rollout(50, policy=lambda env: env.masks.argmax(axis=1))
    assert found.states == 64 * 50 and found.games > 0
    with pytest.raises(ValueError, match="a policy is"):
        env.rollout(1, policy="clever")
