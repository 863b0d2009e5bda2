"""Runs test cases of unittest and prints TAP: one point for each test, named after its method.

    python3 -m scripts.tests.tap MODULE...

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import sys
import unittest


class Tap(unittest.TestResult):
    subtests_failed = False

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

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        print(f"ok {self.testsRun} # SKIP {reason}")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: object) -> None:
        super().addSubTest(test, subtest, err)  # type: ignore[arg-type]
        if err is not None:
            failed = self.failures if issubclass(err[0], test.failureException) else self.errors  # type: ignore[index]
            for line in (f"{subtest.id()}\n{failed[-1][1]}").splitlines():
                print(f"# {line}")
            self.subtests_failed = True

    def stopTest(self, test: unittest.TestCase) -> None:
        """A test of which only subtests failed has no other point."""
        if self.subtests_failed:
            self.say(False, test)
            self.subtests_failed = False
        super().stopTest(test)


def run(*tests: type[unittest.TestCase]) -> int:
    """Returns the exit status."""
    return run_suite(unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, tests)))


def run_suite(suite: unittest.TestSuite) -> int:
    print(f"1..{suite.countTestCases()}")
    return 0 if suite.run(Tap()).wasSuccessful() else 1


def rules(results: list[tuple[str, list[str]]]) -> None:
    """A point for each (rule, violations)."""
    print(f"1..{len(results)}")
    for number, (name, broken) in enumerate(results, 1):
        print(f"{'not ok' if broken else 'ok'} {number} - {name}")
        for line in broken:
            print(f"# {line}")


if __name__ == "__main__":
    sys.exit(run_suite(unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])))
