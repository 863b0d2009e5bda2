"""The toy engine, which prints to standard output where the answers of an engine would be without assay.claim."""

from __future__ import annotations

import os

import numpy as np

from assay import Step, StepOptions

from .toy import Toy

print("a module that prints when it is imported")


class Noisy(Toy):
    def step(self, session: dict[int, list[int]], steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        print("a step that prints")
        os.system("echo a child process that prints")
        os.write(1, b"a library in C that prints")
        return super().step(session, steps, options)
