"""The pipes of an engine's process, kept from everything else that reads standard input or writes standard output."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

_claimed: tuple[BinaryIO, BinaryIO] | None = None


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Returns (requests, answers). From then on file descriptor 0 is /dev/null, and what is written to descriptor 1, also by
    libraries in C and by child processes, goes to standard error. Later calls return the same pipes."""
    global _claimed
    if _claimed is None:
        requests, answers = os.dup(0), os.dup(1)  # not inherited by child processes
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        sys.stdout.flush()  # what was printed before
        _claimed = os.fdopen(requests, "rb"), os.fdopen(answers, "wb")
    return _claimed
