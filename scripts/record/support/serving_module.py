"""Calls a module that exports assay_serving_v2 (include/assay/serving.h), such as ref32, in this process."""

from __future__ import annotations

import ctypes
from pathlib import Path

UNSUPPORTED = 4  # ASSAY_EUNSUPPORTED of include/assay/status.h
ERROR_MAX = 1019  # bytes of the text of an assay_error
IDS_MAX = 1 << 16
TAKE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
# The functions of assay_serving up to template_render.
FUNCTIONS = ("stop_set reply_open reply_feed reply_end reply_free tokenizer_open tokenizer_free encode decode detokenizer_open detokenizer_push "
             "detokenizer_end detokenizer_free completion_open completion_push completion_free response_open response_chunk response_fail "
             "response_end response_free template_render").split()


class Text(ctypes.Structure):
    _fields_ = [("at", ctypes.c_char_p), ("n", ctypes.c_size_t)]


class TemplateOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("source", Text), ("variables", Text), ("now", ctypes.c_int64)]


class Sink(ctypes.Structure):
    _fields_ = [("take", TAKE), ("context", ctypes.c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * (ERROR_MAX + 1))]


class Serving(ctypes.Structure):
    _fields_ = [("abi", ctypes.c_uint32), ("size", ctypes.c_uint32), ("name", ctypes.c_char_p), ("version", ctypes.c_char_p),
                *((name, ctypes.c_void_p) for name in FUNCTIONS)]


class Refused(Exception):
    """The module's status and error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def pointer(of: type) -> type:
    return ctypes.POINTER(of)


class Module:
    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        library.assay_serving_v2.restype = pointer(Serving)
        self.serving = library.assay_serving_v2().contents
        error, size = pointer(Error), ctypes.c_size_t
        self._render = self._function("template_render", pointer(TemplateOptions), pointer(Sink), error)
        self._open = self._function("tokenizer_open", ctypes.c_char_p, pointer(ctypes.c_void_p), error)
        self._free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.serving.tokenizer_free)
        self._encode = self._function("encode", ctypes.c_void_p, ctypes.c_char_p, size, ctypes.c_bool, pointer(ctypes.c_int32), size, pointer(size), error)
        self._decode = self._function("decode", ctypes.c_void_p, pointer(ctypes.c_int32), size, ctypes.c_bool, ctypes.c_char_p, size, pointer(size), error)
        self._ids, self._text = (ctypes.c_int32 * IDS_MAX)(), ctypes.create_string_buffer(IDS_MAX)

    def _function(self, name: str, *types: type) -> object:
        function = ctypes.CFUNCTYPE(ctypes.c_int, *types)(getattr(self.serving, name))

        def call(*arguments: object) -> None:
            error = Error()
            status = function(*arguments, ctypes.byref(error))
            if status:
                raise Refused(status, error.text.decode(errors="replace"))

        return call

    def render(self, template: str, variables: str, now: int) -> str:
        parts: list[bytes] = []
        source, document = template.encode(), variables.encode()
        options = TemplateOptions(ctypes.sizeof(TemplateOptions), 0, Text(source, len(source)), Text(document, len(document)), now)
        sink = Sink(TAKE(lambda _, at, n: parts.append(at[:n])), None)
        self._render(ctypes.byref(options), ctypes.byref(sink))
        return b"".join(parts).decode()

    def open_tokenizer(self, directory: Path) -> Tokenizer:
        handle = ctypes.c_void_p()
        self._open(str(directory).encode(), ctypes.byref(handle))
        return Tokenizer(self, handle)


class Tokenizer:
    """Of a module; used in `with`."""

    def __init__(self, module: Module, handle: ctypes.c_void_p) -> None:
        self.module, self.handle, self.n = module, handle, ctypes.c_size_t()

    def __enter__(self) -> Tokenizer:
        return self

    def __exit__(self, *_: object) -> None:
        self.module._free(self.handle)

    def encode(self, text: str, add_special: bool) -> list[int]:
        data = text.encode()
        self.module._encode(self.handle, data, len(data), add_special, self.module._ids, IDS_MAX, ctypes.byref(self.n))
        return self.module._ids[:self.n.value]

    def decode(self, ids: list[int], skip_special: bool) -> str:
        self.module._decode(self.handle, (ctypes.c_int32 * len(ids))(*ids), len(ids), skip_special, self.module._text, IDS_MAX, ctypes.byref(self.n))
        return self.module._text.raw[:self.n.value].decode()
