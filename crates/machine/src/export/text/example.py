"""How to use the library from Python: plays a random game, then many of them at once. `make` builds the library."""

import ctypes
import os
import random
import sys

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib@NAME@.so"))

# What the functions take and give, unless it is an int: see @NAME@.h.
number, numbers, memory = ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32), ctypes.c_void_p
big, bigs = ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)
for name in "role_count", "move_count", "fact_count", "changing_count":
    getattr(lib, "ludens_" + name).restype = number
for name in "role_name", "move_name", "fact_name":
    getattr(lib, "ludens_" + name).argtypes = [number]
    getattr(lib, "ludens_" + name).restype = ctypes.c_char_p
lib.ludens_max_moves.argtypes, lib.ludens_max_moves.restype = [number], number
lib.ludens_state_size.restype = lib.ludens_scratch_size.restype = ctypes.c_size_t
lib.ludens_init.argtypes, lib.ludens_init.restype = [memory], None
lib.ludens_fact.argtypes = [memory, number]
lib.ludens_set_fact.argtypes = [memory, number, ctypes.c_int]
lib.ludens_terminal.argtypes = [memory, memory]
lib.ludens_legal.argtypes, lib.ludens_legal.restype = [memory, number, numbers, memory], number
lib.ludens_next.argtypes = [memory, numbers, memory, memory]
lib.ludens_goal.argtypes = [memory, number, memory]
lib.ludens_playouts.argtypes, lib.ludens_playouts.restype = [memory, big, big, big, bigs, bigs], big

scratch = ctypes.create_string_buffer(lib.ludens_scratch_size())  # filled with zeros, as it has to be
roles = range(lib.ludens_role_count())
role_names = [lib.ludens_role_name(role).decode() for role in roles]


def first():
    """The state in which the game begins."""
    state = ctypes.create_string_buffer(lib.ludens_state_size())
    lib.ludens_init(state)
    return state


def legal(state, role):
    """The legal moves of a role."""
    moves = (number * lib.ludens_max_moves(role))()
    return moves[: lib.ludens_legal(state, role, moves, scratch)]


def after(state, joint):
    """The state after a joint move: a move for each role."""
    following = ctypes.create_string_buffer(lib.ludens_state_size())
    if not lib.ludens_next(state, (number * len(joint))(*joint), following, scratch):
        raise ValueError("not a legal joint move")
    return following


def facts(state):
    """The facts that hold."""
    held = (fact for fact in range(lib.ludens_fact_count()) if lib.ludens_fact(state, fact))
    return [lib.ludens_fact_name(fact).decode() for fact in held]


def main():
    state = first()
    for _ in range(1000):
        choices = [legal(state, role) for role in roles]
        if not all(choices):  # in a terminal state nobody has a move
            break
        joint = [random.choice(moves) for moves in choices]
        print("  ".join(f"{name}: {lib.ludens_move_name(move).decode()}" for name, move in zip(role_names, joint)))
        state = after(state, joint)
    print("over" if lib.ludens_terminal(state, scratch) else "not over", *facts(state))
    for role in roles:
        print(f"{role_names[role]}: goal {lib.ludens_goal(state, role, scratch)}")

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sums, made = (big * len(roles))(), big()
    ended = lib.ludens_playouts(first(), count, 10_000, 1, sums, ctypes.byref(made))
    print(f"{ended} of {count} random games ended, after {made.value} moves in all")
    for role in roles if ended else []:
        print(f"{role_names[role]}: goal {sums[role] / ended:.2f} on average")


main()
