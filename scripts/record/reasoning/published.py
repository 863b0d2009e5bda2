"""Inputs that upstream's own tests pass to its reasoning parsers."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Callable, Iterable
from typing import Any

from ..support import serving_package

FILES = ("test_reasoning_parser", "test_deepseek_v4_reasoning", "test_gemma4_streaming_edge",
         "test_harmony_parsers", "test_step3p5_reasoning_parser", "test_poolside_v1_parsers",
         "test_tool_call_promotion", "test_gpt_oss_tool_parsing")

MOST = 2000  # characters of an input; longer inputs are for timing tests

Call = tuple[str, str, tuple[str, ...]]  # parser, test, deltas


class CallRecorder:
    """A pytest plug-in that records the inputs of the parsers while tests run."""

    def __init__(self) -> None:
        self.test = ""
        self.calls: dict[tuple[str, tuple[str, ...]], str] = {}  # (parser, deltas) -> first test, in call order
        self.streams: dict[int, tuple[Any, str, list[str]]] = {}  # id of a parser -> parser, its name, its deltas
        self.within = False
        self.replaced: list[tuple[type, str, Any]] = []

    def pytest_runtest_setup(self, item: Any) -> None:
        self.test = item.nodeid.rpartition("/")[2]

    def pytest_runtest_teardown(self) -> None:
        for one in list(self.streams):
            self.ended(one)

    def ended(self, one: int) -> None:
        _, name, deltas = self.streams.pop(one, (None, "", []))
        if any(deltas):
            self.calls.setdefault((name, tuple(filter(None, deltas))), self.test)

    def extract_reasoning(self, name: str, parser: Any, text: str) -> None:
        if text:
            self.calls.setdefault((name, (text,)), self.test)

    def extract_reasoning_streaming(self, name: str, parser: Any, previous: str, _: str, delta: str) -> None:
        deltas = self.streams.setdefault(id(parser), (parser, name, []))[2]
        if "".join(deltas) != previous:
            self.ended(id(parser))
            deltas = self.streams.setdefault(id(parser), (parser, name, [previous]))[2]
        deltas.append(delta)

    def reset_state(self, name: str, parser: Any, **_: Any) -> None:
        self.ended(id(parser))

    def wrap_method(self, name: str, cls: type, method: str) -> None:
        """Wraps a parser's method to record its calls, except those that a parser or its base class makes itself."""
        own = cls.__dict__.get(method)
        called: Callable[..., Any] = getattr(cls, method)
        record_call = getattr(self, method)

        @functools.wraps(called)
        def wrapped(parser: Any, *arguments: Any, **named: Any) -> Any:
            if self.within or type(parser) is not cls:
                return called(parser, *arguments, **named)
            record_call(name, parser, *arguments, **named)
            self.within = True
            try:
                return called(parser, *arguments, **named)
            finally:
                self.within = False

        setattr(cls, method, wrapped)
        self.replaced.append((cls, method, own))

    def restore_methods(self) -> None:
        for cls, method, own in reversed(self.replaced):
            if own:
                setattr(cls, method, own)
            else:
                delattr(cls, method)


def run(recorder: CallRecorder, files: Iterable[str] = FILES) -> None:
    """Runs upstream's tests; the inputs of a failing test are recorded as well."""
    import pytest
    tests = [str(serving_package.place() / "tests" / f"{name}.py") for name in files]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:logging", *tests], plugins=[recorder])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"upstream's tests do not run: {said.getvalue()[-2000:]}")


def calls() -> list[Call]:
    from vllm_mlx.reasoning import get_parser, list_parsers
    recorder = CallRecorder()
    for name in list_parsers():
        for method in ("extract_reasoning", "extract_reasoning_streaming", "reset_state"):
            recorder.wrap_method(name, get_parser(name), method)
    try:
        run(recorder)
    finally:
        recorder.restore_methods()
    return [(name, test, deltas) for (name, deltas), test in recorder.calls.items()
            if len("".join(deltas)) <= MOST]
