"""Records exchanges with a server as `assay probe --save` does: LABEL.request and LABEL.response are the bytes of both
bodies, LABEL.json has the path, the status, the content type and the arrival times."""

from __future__ import annotations

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
    """Makes a request; body None: GET. Returns the members of LABEL.json but for the label, and the answer's body."""
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


def create(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "probe.json").write_text(json.dumps({"schema": SCHEMA, "url": "http://127.0.0.1"}))


def record(directory: Path, url: str, label: str, path: str, body: bytes | None, private: str) -> dict[str, Any]:
    """Makes a request and stores it, without the text `private` and the kernel's name; returns the members of LABEL.json."""
    head, found = exchange(url, path, body)
    for text, other in ((private, ""), (platform.release(), "0.0.0")):
        found = found.replace(text.encode(), other.encode())
    head["arrivals"] = [(min(n, len(found)), seconds) for n, seconds in head["arrivals"]]
    place = directory / label
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_name(place.name + ".request").write_bytes(body or b"")
    place.with_name(place.name + ".response").write_bytes(found)
    place.with_name(place.name + ".json").write_text(json.dumps({"label": label, **head}))
    return head
