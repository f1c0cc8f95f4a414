"""Users of the machine who talk to the service: each is a process of that user, so that the kernel vouches for it."""

import array
import http.client
import json
import multiprocessing
import os
import pwd
import socket
import subprocess

SOCKET = "/run/touchgate/touchgate.sock"


class Refused(Exception):
    """The kernel has refused the connection."""


class Answer:
    def __init__(self, status, body):
        self.status, self.body = status, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class User:
    """A user. `number`: a user id without a name, for attacks by many."""

    def __init__(self, name=None, number=None):
        if name:
            entry = pwd.getpwnam(name)
            self.name, self.uid, self.gid = name, entry.pw_uid, entry.pw_gid
            self.groups = os.getgrouplist(name, self.gid)
        else:
            self.name, self.uid, self.gid = str(number), number, number
            self.groups = [pwd.getpwnam("touchgate").pw_gid]
        # Connections are opened by a process of this user that lives as long as this one.
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.agent = mine
        process = multiprocessing.Process(target=self._serve, args=(its,), daemon=True)
        process.start()
        self.pid = process.pid

    def become(self):
        os.setgroups(self.groups)
        os.setgid(self.gid)
        os.setuid(self.uid)

    def _serve(self, asked):
        # Not the connections of others, which would stay open.
        os.closerange(3, asked.fileno())
        os.closerange(asked.fileno() + 1, 4096)
        self.become()
        while asked.recv(1):
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(SOCKET)
                asked.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
            except OSError as error:
                asked.send(b"-" + str(error).encode())
            connection.close()

    def connect(self):
        """A connection of this user. Raises Refused."""
        self.agent.send(b"c")
        message, ancillary, _, _ = self.agent.recvmsg(200, socket.CMSG_SPACE(4))
        if message[:1] != b"+":
            raise Refused(message[1:].decode())
        connection = socket.socket(fileno=array.array("i", ancillary[0][2])[0])
        connection.settimeout(20)
        return connection

    def send(self, method, path, body=None, headers=None, connection=None):
        """A request, whose answer can be read. `body`: bytes, or what becomes JSON."""
        client = http.client.HTTPConnection("touchgate")
        client.sock = connection or self.connect()
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        client.request(method, path, body, {**({"Content-Type": "application/json"} if body else {}), **(headers or {})})
        return client

    def ask(self, method, path, body=None, headers=None, connection=None):
        client = self.send(method, path, body, headers, connection)
        response = client.getresponse()
        answer = Answer(response.status, response.read())
        client.close()
        return answer

    def open(self, method, path, body=None):
        """A request whose answer stays open: its first line, and what to close."""
        client = self.send(method, path, body)
        response = client.getresponse()
        line = response.readline()
        return Answer(response.status, line), client

    def submit(self, handler, **fields):
        return self.ask("POST", "/v1/updates", {"handler": handler, **fields})

    def run(self, *command, timeout=20):
        """A command of this user: exit status and all that it has written."""
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
            preexec_fn=self.become, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, cwd="/")
        return done.returncode, done.stdout.decode(errors="replace")
