"""Whatever is done wrong raises an exception, and the interpreter lives."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import ludens
import numpy
import pytest


@pytest.fixture(scope="module")
def game():
    return ludens.load("tic-tac-toe")


@pytest.mark.parametrize(
    "text",
    ["(", ")", "((((", "(role", "(role x) (role", "\x00(", "(role me) (legal me", "(" * 5000, "role(", "(<= (a ?x) (b ?y))\n(", "(\udcff"],
)
def test_garbage_rules(text):
    with pytest.raises((ludens.RulesError, UnicodeEncodeError)):
        ludens.load(text=text)


@pytest.mark.parametrize(
    "text",
    [
        "(role me)",
        "(init (at 1)) (legal me go)",
        "(role me) (init (at 1)) (<= (legal me ?x) (true (at ?y)))",
        "(role me) (init (p 0)) (<= (legal me (s ?x)) (legal me ?x)) (legal me a) (<= terminal (not (true (p 0)))) (goal me 0)",
        "(role me) (init (p 0)) (<= (next (p (s ?x))) (true (p ?x))) (legal me go) (<= terminal (true (p z))) (goal me 0)",
        "(role me) (<= a (not b)) (<= b (not a)) (<= (legal me go) a) (<= terminal b) (goal me 1)",
    ],
)
def test_rules_that_mean_nothing(text):
    """They are refused, or come to a limit, or play; nothing else may happen."""
    try:
        game = ludens.load(text=text)
        state = game.new_initial_state()
        for _ in range(20):
            if state.is_terminal() or state.is_stuck():
                break
            state.apply_action(state.legal_actions()[0])
        env = game.vector(3, max_steps=10)
        for _ in range(20):
            env.step(env.sample())
    except (ludens.LudensError, ValueError):
        pass


def test_places_in_rules():
    with pytest.raises(ludens.RulesError) as caught:
        ludens.load(text="(role me)\n(init (at 1))\n(legal me")
    assert (caught.value.line, caught.value.column) == (3, 1)
    assert "never closed" in str(caught.value) and "hint" in str(caught.value)


def test_what_is_no_game(tmp_path):
    with pytest.raises(FileNotFoundError, match="did you mean"):
        ludens.load("conect-four")
    with pytest.raises(FileNotFoundError):
        ludens.load(tmp_path / "nothing.kif")
    with pytest.raises(FileNotFoundError):
        ludens.load("-")
    with pytest.raises(ValueError):
        ludens.load()
    with pytest.raises(ValueError):
        ludens.load("nim", text="(role me)")
    with pytest.raises(ValueError, match="there is no engine"):
        ludens.load("nim", engine="steam")
    with pytest.raises(TypeError):
        ludens.load(7)  # type: ignore[arg-type]
    spoiled = tmp_path / "spoiled.kif"
    spoiled.write_bytes(b"(role \xff\xfe)")
    with pytest.raises(ludens.RulesError):
        ludens.load(spoiled)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (numpy.zeros(3, numpy.int64), ValueError),
        (numpy.zeros((4, 3), numpy.int64), ValueError),
        (numpy.zeros((4, 2, 1), numpy.int64), ValueError),
        (numpy.int64(0), ValueError),
        (numpy.zeros(4), TypeError),
        (numpy.zeros(4, bool), TypeError),
        (numpy.zeros(4, "datetime64[s]"), TypeError),
        (["a"] * 4, TypeError),
        ([None] * 4, TypeError),
        (None, TypeError),
        ("nine", TypeError),
        (numpy.full(4, 10), ludens.IllegalAction),
        (numpy.full(4, -1), ludens.IllegalAction),
        (numpy.full(4, 1 << 62), ludens.IllegalAction),
        (numpy.full(4, -(1 << 63)), ludens.IllegalAction),
        (numpy.full(4, (1 << 64) - 1, numpy.uint64), ludens.IllegalAction),
        (numpy.array([0, 0, 0, 9]), ludens.IllegalAction),
        ([[0, 0]] * 4, ludens.IllegalAction),
    ],
)
def test_wrong_actions_change_nothing(game, actions, error):
    env = game.vector(4)
    before = env.observations.copy()
    with pytest.raises(error):
        env.step(actions)
    assert (env.observations == before).all() and env.steps == 0
    env.step(env.sample())


def test_any_whole_numbers_will_do(game):
    env = game.vector(4)
    for kind in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", ">i4"):
        env.reset()
        env.step(numpy.arange(4).astype(kind))
    env.reset()
    env.step(numpy.arange(8)[::2])
    env.reset()
    env.step([0, 1, 2, 3])
    env.reset()
    env.step(numpy.asfortranarray([[0, 9], [1, 9], [2, 9], [3, 9]]))


def test_wrong_numbers_of_games(game):
    for n in (0, -1, 1 << 62, (1 << 64) - 1):
        with pytest.raises((ValueError, MemoryError, OverflowError)):
            game.vector(n)
    with pytest.raises(TypeError):
        game.vector("many")
    with pytest.raises(ValueError):
        game.vector(1, max_steps=0)
    with pytest.raises(OverflowError):
        game.vector(1, seed=-1)
    env = game.vector(2)
    for index in (2, -1, 1 << 70):
        with pytest.raises((IndexError, OverflowError)):
            env.state(index)
    with pytest.raises(TypeError):
        env.set_state(0, None)
    with pytest.raises(ValueError, match="another game"):
        env.set_state(0, ludens.load("nim").new_initial_state())


def test_wrong_states(game):
    state = game.new_initial_state()
    for action in (10, -1, 1 << 70, None, 1.5, "mark", "(", object()):
        with pytest.raises((ludens.IllegalAction, TypeError, OverflowError)):
            state.apply_action(action)
    for actions in ([0], [0, 0], {"x": 0, "z": 0}, {7: 0}, 5, None, [[0], [0]]):
        with pytest.raises((ludens.IllegalAction, ValueError, TypeError, IndexError)):
            state.apply_actions(actions)
    with pytest.raises(IndexError):
        state.legal_actions(2)
    with pytest.raises(ValueError, match="there is no role"):
        state.legal_actions("z")
    for facts in ([], ["("], ["(cell 1 1"], ["(nowhere)"], [""]):
        with pytest.raises(ValueError):
            game.from_facts(facts)
    with pytest.raises(ludens.IllegalAction):
        game.from_moves(["(mark 9 9)"])
    assert state == game.new_initial_state()
    over = game.from_moves(["(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)", "(mark 3 3)"])
    assert over.is_terminal() and over.legal_actions() == [] and over.current_player() == ludens.TERMINAL
    with pytest.raises(ludens.IllegalAction, match="over"):
        over.apply_action(0)
    with pytest.raises(ludens.LudensError, match="over"):
        game.search(over)
    for make in (ludens._ludens.State, ludens._ludens.VectorEnv):
        with pytest.raises(TypeError):
            make()


def test_states_and_players_of_others(game):
    other = ludens.load("nim").new_initial_state()
    for call in (game.search, game.probe, game.playouts):
        with pytest.raises(ValueError, match="another game"):
            call(other)
    for player in ("nobody", "uct:colour=red", "human", "random", ""):
        with pytest.raises(ValueError):
            game.search(player=player)
    for seconds in (float("nan"), -1.0, float("inf")):
        with pytest.raises(ValueError):
            game.search(seconds=seconds)
    with pytest.raises(ludens.LudensError, match="players are given"):
        ludens.match(game, ["random"])
    with pytest.raises(ValueError):
        ludens.match(game, [3, 4])
    with pytest.raises(ludens.LudensError):
        ludens.tournament("tic-tac-toe", ["random", "random"])
    for name in ("KXK", "K", "", "KQKRRRRRR"):
        with pytest.raises((ValueError, ludens.LudensError)):
            ludens.table(name)


def test_a_step_is_made_by_one_thread_at_a_time(game):
    """Threads that use one environment get an exception, or their turn; threads with their own run side by side."""
    shared = ludens.load("breakthrough").vector(2048)
    trouble, ends = [], threading.Event()

    def use_it():
        own = game.vector(64)
        while not ends.is_set():
            own.step(own.sample())
            try:
                shared.step(shared.sample())
                shared.masks.sum()
                shared.planes.sum()
            except (RuntimeError, ludens.IllegalAction):
                pass
            except BaseException as error:
                trouble.append(error)
                return

    threads = [threading.Thread(target=use_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    ends.set()
    for thread in threads:
        thread.join()
    assert not trouble
    shared.reset()
    shared.step(shared.sample())


def test_the_interpreter_goes_on_meanwhile():
    """While random games run inside, another thread of Python counts."""
    env = ludens.load("breakthrough").vector(512)
    counted, ends = [0], threading.Event()

    def count():
        while not ends.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    while time.monotonic() - began < 0.6:
        env.rollout(500)
    ends.set()
    thread.join()
    assert counted[0] > 20


def _in_child(game, queue):
    env = game.vector(16)
    env.step(env.sample())
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    queue.put(("played", game.playouts(n=10).games))
    try:
        game.solve()
        queue.put(("solved", None))
    except RuntimeError as error:
        queue.put(("refused", str(error)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore")
def test_forked_processes_play_and_say_what_they_cannot(game):
    game.solve()
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(game, queue))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert queue.get() == ("played", 10)
    word, why = queue.get()
    assert word == "refused" and "spawn" in why


INTERRUPTED = """
import os, signal, sys, threading, time
import ludens
game = ludens.load(sys.argv[1])
env = game.vector(512)
work = {
    "solve": lambda: game.solve(memory=4000),
    "search": lambda: game.search(seconds=60),
    "rollout": lambda: env.rollout(10**12),
    "playouts": lambda: game.playouts(n=10**10),
    "study": lambda: game.study(seconds=60),
    "match": lambda: ludens.match(game, ["uct", "uct"], start=60, play=60),
}[sys.argv[2]]
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    work()
    print("it ended by itself")
except KeyboardInterrupt:
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    print("interrupted", time.monotonic() - began < 20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("work", ["solve", "search", "rollout", "playouts", "study", "match"])
def test_ctrl_c_ends_long_work(work):
    command = [sys.executable, "-c", INTERRUPTED, "connect-four", work]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout.strip()) == (0, "interrupted True"), ended.stderr


def test_an_exception_of_who_is_told_ends_the_work():
    told = []

    def progress(what):
        told.append(what)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        ludens.load("connect-four").search(seconds=60, progress=progress)
    assert len(told) == 1 and told[0]["role"] == "red"


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError):
        ludens.load("connect-four").solve(memory=1)
    with pytest.raises(MemoryError):
        ludens.load("chess", engine="rules").vector(1 << 40)


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="there is no alarm here")
def test_nothing_is_left_behind():
    """Environments and states are given back: memory does not grow with their number."""
    import resource

    game = ludens.load("breakthrough")
    for _ in range(20):
        game.vector(4096).step(game.vector(4096).sample())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(60):
        env = game.vector(4096)
        env.step(env.sample())
        env.planes.sum(), env.observations.sum()
        [game.new_initial_state().legal_actions() for _ in range(50)]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 60_000, f"{(after - before) / 1024:.0f} MiB more"
