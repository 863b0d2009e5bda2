"""What is done to a server. Each function returns what is wrong, as lines; nothing is well."""

from __future__ import annotations

import collections
import contextlib
import random
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from . import malformed, talking
from .requests import CHAT, MESSAGES, Request, long, valid, written
from .running import Server, fold, waits_for

TOKENS = 12  # of a valid answer


class Bystander:
    """A client that asks valid requests while others attack: each answer must have the bits of the one that came first, alone."""

    def __init__(self, server: Server) -> None:
        self.server, self.requests = server, valid(server.name, TOKENS)
        self.truth = [self.ask(i) for i in range(len(self.requests))]
        self.n_asked = 0

    def ask(self, i: int) -> bytes:
        status, content = self.server.ask("POST", *self.requests[i])
        return b"%d " % status + fold(content)

    def differences(self, n: int) -> list[str]:
        """Asks n times."""
        wrong = []
        for _ in range(n):
            i = self.n_asked % len(self.requests)
            self.n_asked += 1
            found = self.ask(i)
            if found != self.truth[i]:
                wrong.append(f"request {i} of {self.requests[i][0]}: found {found[:300]!r}, expected {self.truth[i][:300]!r}")
        return wrong

    @contextlib.contextmanager
    def asking(self, wrong: list[str]) -> Iterator[None]:
        """Asks all the time on a thread of its own, and adds to `wrong`."""
        stop = threading.Event()

        def run() -> None:
            while not stop.is_set():
                try:
                    wrong.extend(self.differences(1))
                except OSError as error:
                    wrong.append(f"a valid request: {type(error).__name__}: {error}")
                    return
                time.sleep(0.005)
        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def malformed_requests(server: Server, seed: int, first: int, n: int, kinds: collections.Counter) -> list[str]:
    """Requests first to first + n of a seed, eight at once. kinds: counts them, by kind and status."""
    def send_one(index: int) -> str | None:
        case = malformed.draw(seed, index, server.name)
        try:
            found = talking.exchange(server, case.content, 0.1 if case.http else None)
            status = talking.statuses(found)
            if not case.http:
                (answer,) = talking.parse(found)
                talking.check(answer, case.path)
            elif any(each >= 500 and each not in (501, 505) for each in status):
                raise talking.Broken(f"a fault of the server: {found[:300]!r}")
        except (talking.Broken, OSError, ValueError) as error:
            return f"malformed request {index} of seed {seed} ({case.kind}, {case.content[:120]!r}): {type(error).__name__}: {error}"
        kinds[f"{case.kind}: {status[-1] if status else 'closed'}"] += 1
        return None

    with ThreadPoolExecutor(8) as pool:
        return [wrong for wrong in pool.map(send_one, range(first, first + n)) if wrong]


def crowd(server: Server, bystander: Bystander, n: int) -> list[str]:
    """n connections at once, all open before the first request is sent."""
    clients, wrong, n_full = [], [], 0
    try:
        for _ in range(n):
            clients.append(server.dial())
        if not waits_for(lambda: server.metric("assay_connections") > n):
            wrong.append(f"found {server.metric('assay_connections')} connections, expected more than {n}")
        for i, client in enumerate(clients):
            client.sendall(written(bystander.requests[i % len(bystander.requests)], "Connection: close"))
        for i, client in enumerate(clients):
            (answer,) = talking.parse(talking.receive(client))
            n_full += answer.status == 429
            if answer.status != 429 and b"%d " % answer.status + fold(answer.content) != bystander.truth[i % len(bystander.truth)]:
                wrong.append(f"connection {i}: found {answer.content[:300]!r}, expected {bystander.truth[i % len(bystander.truth)][:300]!r}")
    except (talking.Broken, OSError, ValueError) as error:
        wrong.append(f"a crowd of {n}: {type(error).__name__}: {error}")
    finally:
        for client in clients:
            client.close()
    return wrong + ([f"{n_full} of {n} requests were refused, expected that the queue takes them"] if n_full else [])


def idle(server: Server) -> list[str]:
    """Nothing of the clients that were there is left. The connection that asks for the metrics is counted itself."""
    wrong = []
    for name, most in (("assay_running_samples", 0), ("assay_queued_requests", 0), ("assay_connections", 1)):
        if not waits_for(lambda name=name, most=most: 0 <= server.metric(name) <= most):
            wrong.append(f"{name}: found {server.metric(name)}, expected {most}")
    return wrong


def slow_readers(server: Server, bystander: Bystander, n: int) -> list[str]:
    """Clients that ask for long streams with many logprobs, and take nothing: others are answered, and the slow ones lose their
    connection after the server's timeout."""
    wrong: list[str] = []
    clients = []
    before = server.metric("assay_abandoned_total")
    with bystander.asking(wrong):
        for _ in range(n):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(60)
            client.connect(("127.0.0.1", server.port))
            send_request(client, long(server.name, max_tokens=400, logprobs=True, top_logprobs=200))
            clients.append(client)
        if not waits_for(lambda: server.metric("assay_abandoned_total") >= before + n, 300):
            wrong.append(f"found {server.metric('assay_abandoned_total') - before} abandoned samples, expected {n}")
    for client in clients:
        client.close()
    return wrong + idle(server)


def send_request(client: socket.socket, request: Request) -> None:
    client.sendall(written(request))


def half_open(server: Server, bystander: Bystander, n: int, seed: int) -> list[str]:
    """Clients that stop within a request, that close one side, or that vanish within an answer."""
    wrong: list[str] = []
    r = random.Random(seed)
    clients = []
    with bystander.asking(wrong):
        for i in range(n):
            request = written(long(server.name, max_tokens=400))
            client = server.dial()
            clients.append(client)
            if i % 4 == 0:
                client.sendall(request[:r.randrange(len(request))])  # stays open until the server closes it
            elif i % 4 == 1:
                client.sendall(request[:r.randrange(1, len(request))])
                client.shutdown(socket.SHUT_WR)
            elif i % 4 == 2:
                client.sendall(request)
                client.shutdown(socket.SHUT_WR)
            else:
                client.sendall(request)
                if r.random() < 0.5:
                    client.recv(1)
                talking.vanish(client)
        for i, client in enumerate(clients):
            if i % 4 == 3:
                continue
            try:
                talking.receive(client)
            except TimeoutError:
                wrong.append(f"half-open connection {i} stays open")
            client.close()
    return wrong + idle(server)


def release_time(server: Server) -> tuple[float, list[str]]:
    """How long a sample goes on after its client has gone, by the counts of the server."""
    before = server.metric("assay_abandoned_total")
    client = server.dial()
    send_request(client, long(server.name, max_tokens=1500))
    client.recv(1)
    talking.vanish(client)
    start = time.monotonic()
    gone = waits_for(lambda: server.metric("assay_abandoned_total") == before + 1)
    return time.monotonic() - start, [] if gone else ["the sample of a vanished client runs to its end"]


def large_bodies(server: Server, bystander: Bystander, n_bytes: int) -> list[str]:
    """A body of n_bytes, announced, announced and sent, and in chunks. The server's memory must not follow."""
    wrong: list[str] = []
    block = b"a" * (1 << 20)
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\n" % CHAT.encode()
    with bystander.asking(wrong):
        with server.dial() as client:
            client.sendall(head + b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % n_bytes)
            answers = talking.parse(talking.receive(client))
            if [answer.status for answer in answers] != [413]:
                wrong.append(f"an announced body: found {answers}, expected status 413")
        for framing in (b"Content-Length: %d\r\n\r\n" % n_bytes, b"Transfer-Encoding: chunked\r\n\r\n"):
            n_sent = 0
            with server.dial() as client, contextlib.suppress(ConnectionError):
                client.sendall(head + framing)
                while n_sent < n_bytes:
                    client.sendall(b"100000\r\n" + block + b"\r\n" if b"chunked" in framing else block)
                    n_sent += len(block)
            if n_sent >= n_bytes:
                wrong.append(f"{framing[:17]!r}: the server took {n_sent} bytes")
    return wrong


def pipelined(server: Server, bystander: Bystander) -> list[str]:
    """All valid requests in one packet, and byte by byte: the answers come in their order."""
    wrong = []
    content = b"".join(written(request) for request in bystander.requests) + b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    for size in (len(content), 7):
        with server.dial() as client:
            for at in range(0, len(content), size):
                client.sendall(content[at:at + size])
            answers = talking.parse(talking.receive(client))
        found = [b"%d " % answer.status + fold(answer.content) for answer in answers[:-1]]
        if found != bystander.truth:
            wrong.append(f"{len(content) // size} packets: found {[answer.status for answer in answers]}, or another answer")
    return wrong


def network(server: Server, bystander: Bystander) -> list[str]:
    """Images are never fetched: a URL of a network is refused by name, and nobody connects to it."""
    wrong = []
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.2)
        url = f"http://127.0.0.1:{trap.getsockname()[1]}/a.png"
        part = {"type": "image_url", "image_url": {"url": url}}
        source = {"type": "image", "source": {"type": "url", "url": url}}
        for path, content, member in ((CHAT, part, "messages[0].content[0].image_url.url"), (MESSAGES, source, "messages[0].content[0].source.url")):
            status, answer = server.ask("POST", path, {"model": server.name, "max_tokens": 4, "messages": [{"role": "user", "content": [content]}]})
            if status != 400 or member.encode() not in answer:
                wrong.append(f"{path}: found status {status} and {answer!r}, expected 400 and {member}")
        with contextlib.suppress(TimeoutError):
            trap.accept()
            wrong.append("the server has connected to the address of an image")
    return wrong
