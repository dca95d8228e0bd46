"""What a forked process may do.

Solving, tables and plans work on a pool of threads that is made once. A process that is forked after that has the pool, but not its
threads, and would wait for ever; it is told so instead.
"""

from __future__ import annotations

import os

_used = False
_lost = False


def _in_child() -> None:
    global _lost
    _lost = _lost or _used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def threads_wanted() -> None:
    """Says that the pool is going to be used; raises where it cannot be."""
    global _used
    if _lost:
        raise RuntimeError(
            "this process was forked from one that had used its threads, which did not come along; "
            'start processes by multiprocessing.get_context("spawn")'
        )
    _used = True
