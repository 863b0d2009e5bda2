"""Errors of an engine, each with a status of docs/protocol.md."""

from __future__ import annotations

import traceback

TEXT_MOST = 2000  # characters of an error's text


class EngineError(Exception):
    """What an engine raises to answer a call with an error; the text is one line."""

    status = "internal"


class Invalid(EngineError, ValueError):
    """An argument that the engine must not accept: a token outside the vocabulary, a sample that does not exist."""

    status = "invalid"


class Unsupported(EngineError):
    """Well-formed, but not implemented: the case, or the manner, is skipped, and the report has the text."""

    status = "unsupported"


class FileUnreadable(EngineError):
    """A file that cannot be read."""

    status = "io"


class FormatError(EngineError):
    """A file that breaks its format."""

    status = "format"


class Stopped(EngineError):
    """The harness ended the step at a tap: raised by Tap, and to be let through by the engine."""

    status = "stopped"


class ProtocolError(Exception):
    """The other side broke the protocol: nothing that it sends later can be understood."""


def one_line(text: str) -> str:
    return " ".join(text.split())[:TEXT_MOST]


def described(error: Exception) -> tuple[str, str]:
    """(status, text) of an exception that an engine raised."""
    if isinstance(error, EngineError):
        return error.status, one_line(str(error)) or type(error).__name__
    if isinstance(error, MemoryError):
        return "no-memory", one_line(str(error)) or "out of memory"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return "internal", one_line(f"{type(error).__name__}: {error}{place}")
