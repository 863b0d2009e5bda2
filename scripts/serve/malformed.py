"""Malformed requests from a seed: the body (truncated, wrong types, deep nesting, invalid UTF-8, huge numbers), or HTTP itself (request
line, headers, lengths, chunks)."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .requests import PIXEL, valid


class Malformed(NamedTuple):
    """http: the HTTP is malformed, so that the server may answer nothing; else it must answer, in the protocol of `path`."""
    kind: str
    path: str
    content: bytes
    http: bool


WRONG: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 1.5, -0.0, 1e308, 5e-324, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, -2**63 - 1, 10**400, "", " ", "\0",
    "a" * 5000, "\ud800", "\U0010ffff", "null", [], [[]], [None], {}, {"": {}}, {"type": "text"}, [{"type": "image_url"}], [{"type": "input_audio"}],
    [{"type": "input_audio", "input_audio": {"data": "UklGRgAAAABXQVZF", "format": "wav"}}],
    [{"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/a.png"}}],
    [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}],
    [{"type": "image_url", "image_url": {"url": PIXEL}}], [{"role": "user", "content": "a"}] * 3, ["a"] * 200, [0] * 600)

UNKNOWN = ("logit_bias", "grammar", "frequency_penalty", "response_format", "", "\0", "n", "a" * 300, "__proto__", "stop", "top_k", "messages")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def edit(body: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    made = copy.deepcopy(body)
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return made


def dump(value: Any, r: random.Random) -> bytes:
    return json.dumps(value, ensure_ascii=r.random() < 0.5).encode("utf-8", "surrogatepass")


# ---- Bodies ----

def replace_value(r: random.Random, body: Any) -> bytes:
    value = r.choice(WRONG)
    return dump(edit(body, r.choice(list(places(body))), lambda parent, key: parent.__setitem__(key, value)), r)


def remove_member(r: random.Random, body: Any) -> bytes:
    return dump(edit(body, r.choice(list(places(body))), lambda parent, key: parent.__delitem__(key)), r)


def add_member(r: random.Random, body: Any) -> bytes:
    inner = [()] + [p for p in places(body) if isinstance(value_at(body, p), dict)]
    made = copy.deepcopy(body)
    value_at(made, r.choice(inner))[r.choice(UNKNOWN)] = r.choice(WRONG)
    return dump(made, r)


def value_at(body: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        body = body[key]
    return body


def truncate(r: random.Random, body: Any) -> bytes:
    content = dump(body, r)
    return content[:r.randrange(len(content))]


def flip_bytes(r: random.Random, body: Any) -> bytes:
    content = bytearray(dump(body, r))
    for _ in range(r.randint(1, 4)):
        content[r.randrange(len(content))] = r.choice(b'{}[]",:\\\x00\x1f\x80\xff0-e. ')
    return bytes(content)


def insert_bytes(r: random.Random, body: Any) -> bytes:
    content = dump(body, r)
    at = r.randrange(len(content))
    found = r.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\\ud800", b"\\u0000", b"\\udc00\\ud800", b"\\x",
                      b"\0", b"\xef\xbb\xbf", b"NaN", b"Infinity", b"1e999", b"-", b"/*", b"//", b"'", b"9" * 400, b"\\" * 99))
    return content[:at] + found + content[at:]


def nest(r: random.Random, body: Any) -> bytes:
    depth = r.choice((31, 32, 33, 64, 1000, 100000))
    opening, closing = r.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    deep = opening * depth + b"1" + (closing * depth if r.random() < 0.7 else b"")
    if r.random() < 0.3:
        return deep
    marked = edit(body, r.choice(list(places(body))), lambda parent, key: parent.__setitem__(key, "@deep@"))
    return json.dumps(marked).encode().replace(b'"@deep@"', deep)


def repeat_member(r: random.Random, body: Any) -> bytes:
    name = r.choice(list(body))
    return dump(body, r)[:-1] + b", " + json.dumps({name: r.choice(WRONG)}).encode()[1:]


def other_content(r: random.Random, body: Any) -> bytes:
    return r.choice((b"", b" ", b"null", b"[]", b'""', b"0", b"{}", b"[" + dump(body, r) + b"]", dump(body, r) + b" x", dump(body, r) * 2,
                     b"\x1f\x8b\x08\0" + dump(body, r), b"\xef\xbb\xbf" + dump(body, r), dump(body, r).decode().encode("utf-16"),
                     bytes(r.randrange(256) for _ in range(r.randrange(300))), b'{"model":' * 500, b"," * 500))


def many_values(r: random.Random, body: Any) -> bytes:
    name = r.choice(list(body))
    size = r.choice((1000, 20000, 300000))
    return dump({**body, name: "@"}, r).replace(b'"@"', r.choice((b"[" + b"0," * size + b"0]", b'"' + b"a" * size + b'"', b"1" * size,
                                                                b"{" + b",".join(b'"%d":0' % i for i in range(size // 10)) + b"}")))


BODIES = (replace_value, replace_value, replace_value, remove_member, add_member, truncate, flip_bytes, insert_bytes, nest, repeat_member,
          other_content, many_values)


def post(path: str, content: bytes) -> bytes:
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(content)) + content


# ---- HTTP ----

def request_line(r: random.Random, path: str, content: bytes) -> bytes:
    line = r.choice((b"POST", b"POST ", b"post / HTTP/1.1", b"POST  %s  HTTP/1.1" % path.encode(), b"POST %s HTTP/9.9" % path.encode(),
                     b"POST %s" % path.encode(), b"%s %s HTTP/1.1" % (b"A" * 5000, path.encode()), b"POST /%s HTTP/1.1" % (b"a" * 70000),
                     b"POST %s?%s HTTP/1.1" % (path.encode(), b"a=b&" * 3000), b"POST %s/%%00/../.. HTTP/1.1" % path.encode(),
                     b"POST %s%%2 HTTP/1.1" % path.encode(), b"GET /v1/models/%s HTTP/1.1" % (b"%41" * 3000), b"GET /metrics\0 HTTP/1.1",
                     b"GET http://localhost/health HTTP/1.1", b"OPTIONS * HTTP/1.1", b"CONNECT localhost:80 HTTP/1.1", b"\0" * 100,
                     b"PRI * HTTP/2.0", b"TRACE / HTTP/1.1", b"PUT %s HTTP/1.1" % path.encode(), b"GET /health HTTP/1.0",
                     bytes(r.randrange(256) for _ in range(200))))
    return line + b"\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(content) + content


def headers(r: random.Random, path: str, content: bytes) -> bytes:
    n = len(content)
    found = r.choice((
        b"Content-Length: -1", b"Content-Length: 1e3", b"Content-Length: %d, %d" % (n, n), b"Content-Length: 99999999999999999999999",
        b"Content-Length: %d\r\nContent-Length: %d" % (n, n + 1), b"Content-Length: %d" % (n + 7), b"Content-Length: %d" % max(0, n - 7),
        b"Content-Length: 0x10", b"Content-Length:", b"Content-Length: %d\r\nTransfer-Encoding: chunked" % n, b"X: " + b"a" * 100000,
        b"\r\n".join(b"X%d: a" % i for i in range(5000)), b"No colon", b": no name", b"A\0B: c", b"A: \0\r\x01", b" folded: yes\r\n  more",
        b"Host: other", b"Expect: 100-continue\r\nContent-Length: %d" % n, b"Expect: a miracle", b"Content-Encoding: gzip",
        b"Transfer-Encoding: gzip, chunked", b"Connection: upgrade\r\nUpgrade: websocket", b"Authorization: Bearer " + b"k" * 9000,
        b"Cookie: " + b"a=b; " * 3000, b"Content-Type: multipart/form-data; boundary=" + b"b" * 400, b"Content-Length: \xff",
        b"Range: bytes=0-", b"X-Forwarded-For: " + bytes(r.randrange(128, 256) for _ in range(50))))
    end = r.choice((b"\r\n\r\n", b"\r\n\r\n", b"\r\n\r\n", b"\n\n", b"\r\r", b""))
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\n" % path.encode() + found + end + content


def chunked(r: random.Random, path: str, content: bytes) -> bytes:
    cut = r.randrange(len(content) + 1)
    pieces = [piece for piece in (content[:cut], content[cut:]) if piece]
    sized = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    found = r.choice((
        sized + b"0\r\n\r\n", sized + b"0\r\nTrailer: x\r\n\r\n", sized, sized + b"0\r\n", b"zz\r\n" + content, b"-1\r\n" + content,
        b"ffffffffffffffff\r\n" + content, b"fffffffffffffffff0\r\n" + content, b"7fffffffffffffff\r\n" + content, b"5;ext=" + b"a" * 9000 + b"\r\n",
        b"%x\r\n%s" % (len(content) + 9, content), b"%x\r\n%s\r\n0\r\n\r\n" % (max(0, len(content) - 9), content), b"\r\n\r\n", b"0\r\n\r\n",
        b"1\n" + content, b"0x5\r\nabcde\r\n0\r\n\r\n", b"".join(b"1\r\n%c\r\n" % byte for byte in content[:400]) + b"0\r\n\r\n"))
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" % path.encode() + found


def pipeline(r: random.Random, path: str, content: bytes) -> bytes:
    """A valid request, and a malformed one behind it in the same packet."""
    first = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * r.randint(1, 5)
    return first + r.choice((request_line, headers, chunked))(r, path, content)


HTTP = (request_line, headers, chunked, pipeline)


def draw(seed: int, index: int, model: str) -> Malformed:
    """The malformed request of this index; it depends on nothing else."""
    r = random.Random(f"{seed} {index}")
    path, body = r.choice(valid(model, 4))
    change = r.choice(BODIES)
    content = change(r, body)
    if r.random() < 0.7:
        return Malformed(change.__name__, path, post(path, content), False)
    if r.random() < 0.7 or len(content) > 100000:
        content = json.dumps(body).encode()
    break_http = r.choice(HTTP)
    return Malformed(break_http.__name__, path, break_http(r, path, content), True)

