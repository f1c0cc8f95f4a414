"""A hostile user of the socket: 64 connections that never do what they should, opened again whenever they are closed.

    hostile.py SOCKET     until it is killed; says `ready` once all have been tried
"""

import os
import socket
import sys
import time

PATH = sys.argv[1]
KINDS = [
    "a byte a second", "headers without end", "a body without end", "answers never read", "a stream never read",
    "bodies that cost", "nothing at all", "gone in mid-request",
]
COSTLY = b'{"handler":"' + b"e\xcc\x81" * 600_000 + b'"}'
MANY = b"{" + b",".join(b'"%x":0' % number for number in range(200_000)) + b"}"
BODIES = [b"POST /v1/updates HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body for body in (COSTLY, MANY)]


class Client:
    def __init__(self, kind):
        self.kind = kind
        self.socket = None
        self.open()

    def open(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.setblocking(False)
        # Not at once: who does nothing but connect fills the queue of the kernel, which knows no users.
        self.step, self.next, self.rest = 0, time.monotonic() + 0.1, b""
        try:
            self.socket.connect(PATH)
        except OSError:
            pass

    def act(self, now):
        if now < self.next:
            return
        try:
            if not self.rest:
                self.rest = self.words(now)
            if self.rest:
                self.rest = self.rest[self.socket.send(self.rest[:65536]):]
        except BlockingIOError:
            pass
        except OSError:
            self.open()
            return
        if self.kind in ("answers never read", "a stream never read", "nothing at all"):
            return
        try:
            if self.socket.recv(65536) == b"":
                self.open()
        except BlockingIOError:
            pass
        except OSError:
            self.open()

    def words(self, now):
        self.step += 1
        if self.kind == "a byte a second":
            self.next = now + 1
            return b"POST /v1/updates HTTP/1.1\r\nHost: x\r\n"[self.step - 1:self.step] or b"x"
        if self.kind == "headers without end":
            return b"GET /v1 HTTP/1.1\r\n" if self.step == 1 else b"X-%d: y\r\n" % self.step
        if self.kind == "a body without end":
            if self.step == 1:
                return b"POST /v1/updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            return b"4000\r\n" + b"[" * 0x4000 + b"\r\n"
        if self.kind == "answers never read":
            return b"GET /v1/openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 100
        if self.kind == "a stream never read":
            return b"GET /v1/events?since=0 HTTP/1.1\r\nHost: x\r\n\r\n" if self.step == 1 else b""
        if self.kind == "bodies that cost":
            return BODIES[self.step % len(BODIES)]
        if self.kind == "gone in mid-request":
            if self.step > 1:
                raise OSError
            return b'POST /v1/updates HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"hand'
        return b""


clients = [Client(KINDS[number % len(KINDS)]) for number in range(64)]
for client in clients:
    client.act(time.monotonic())
print("ready", file=sys.stderr, flush=True)
while True:
    now = time.monotonic()
    for client in clients:
        client.act(now)
    time.sleep(0.005)
    if os.getppid() == 1:
        sys.exit()
