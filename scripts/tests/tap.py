"""Runs test cases of unittest and prints TAP: one point for each test, named after its method.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import unittest


class Tap(unittest.TestResult):
    def say(self, ok: bool, test: unittest.TestCase, text: str = "") -> None:
        name = test.id().rpartition(".")[2].removeprefix("test_").replace("_", " ")
        print(f"{'' if ok else 'not '}ok {self.testsRun} - {name}")
        for line in text.splitlines():
            print(f"# {line}")

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.say(True, test)

    def addFailure(self, test: unittest.TestCase, err: object) -> None:
        super().addFailure(test, err)  # type: ignore[arg-type]
        self.say(False, test, self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: object) -> None:
        super().addError(test, err)  # type: ignore[arg-type]
        self.say(False, test, self.errors[-1][1])


def run(tests: type[unittest.TestCase]) -> int:
    """Returns the exit status."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(tests)
    print(f"1..{suite.countTestCases()}")
    return 0 if suite.run(Tap()).wasSuccessful() else 1
