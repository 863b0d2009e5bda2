"""Records exchanges with a server as `assay probe --save FILE.jsonl` does: a line of JSON for each, with the path, the status, the
content type, the arrival times, and both bodies."""

from __future__ import annotations

import base64
import http.client
import json
import platform
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SCHEMA = "assay-probe-exchanges/1"
SECONDS = 120.0


def exchange(url: str, path: str, body: bytes | None, seconds: float = SECONDS) -> tuple[dict[str, Any], bytes]:
    """Makes a request; body None: GET. Returns the members of its line but for the label and the bodies, and the
    answer's body."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=seconds)
    started, found = time.monotonic(), b""
    arrivals: list[tuple[int, float]] = []
    head: dict[str, Any] = {"path": path, "get": body is None, "delay": 0.0, "leave_after": 0, "end": "answered",
                            "status": 0, "content_type": "", "why": "", "sent": 0.0}
    try:
        connection.request("GET" if body is None else "POST", path, body,
                           {"Content-Type": "application/json"} if body is not None else {})
        answer = connection.getresponse()
        head |= {"status": answer.status, "content_type": answer.getheader("content-type") or ""}
        while data := answer.read1(65536):
            found += data
            arrivals.append((len(found), round(time.monotonic() - started, 6)))
    except TimeoutError:
        head |= {"end": "timeout", "why": f"no complete answer within {seconds:g} s"}
    except (http.client.HTTPException, OSError) as error:
        head |= {"end": "broken off", "why": f"{type(error).__name__}: {error}"}
    finally:
        connection.close()
    times = [seconds for _, seconds in arrivals]
    head |= {"first": times[0] if times else -1.0, "last": times[-1] if times else -1.0, "arrivals": arrivals}
    return head, found


def body_member(name: str, body: bytes) -> dict[str, str]:
    """The member of a line that holds a body: a string if it is UTF-8, otherwise NAME_base64."""
    try:
        return {name: body.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(body).decode()}


def line(members: dict[str, Any]) -> str:
    return json.dumps(members, ensure_ascii=False) + "\n"


def create(archive: Path) -> None:
    """Begins an archive, in the place of an older one."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_text(line({"schema": SCHEMA, "url": "http://127.0.0.1"}), encoding="utf-8")


def record(archive: Path, url: str, label: str, path: str, body: bytes | None, private: str) -> dict[str, Any]:
    """Makes a request and appends it to the archive, without the text `private` and the kernel's name; returns the members of its
    line but for the label and the bodies."""
    head, found = exchange(url, path, body)
    for text, other in ((private, ""), (platform.release(), "0.0.0")):
        found = found.replace(text.encode(), other.encode())
    head["arrivals"] = [(min(n, len(found)), seconds) for n, seconds in head["arrivals"]]
    with archive.open("a", encoding="utf-8") as out:
        out.write(line({"label": label, **head, **body_member("request", body or b""), **body_member("response", found)}))
    return head
