"""What schemathesis cannot know of touchgate: where the service listens, what an administrator configured, and that
some answers never end. Loaded by `st run` (SCHEMATHESIS_HOOKS); Tests/Tools/api/run starts it."""

import atexit
import os
import re
import socket

import requests
import schemathesis
import urllib3.util.connection
from hypothesis import strategies
from requests.adapters import HTTPAdapter

SOCKET = os.environ["API_SOCKET"]
HANDLER, RECEIVED = "reload-page", "show-page"
SCREEN = "lobby"
STREAM = "application/x-ndjson"
# An answer that takes longer is a hang. The longest wait that is asked for is a tenth of it.
HANG = 10


def connect(address, timeout=None, *_, **__):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if isinstance(timeout, (int, float)):
        connection.settimeout(timeout)
    connection.connect(SOCKET)
    return connection


urllib3.util.connection.create_connection = connect

calls = 0
send = HTTPAdapter.send


def send_bounded(self, request, stream=False, timeout=None, **options):
    """As requests does, but of an answer that stays open only the first line is read."""
    global calls
    calls += 1
    response = send(self, request, stream=True, timeout=HANG, **options)
    if response.headers.get("Content-Type") == STREAM:
        # The first event or delivery may never come; then there was none.
        may_wait = request.path_url.startswith(("/v1/events", "/v1/deliveries"))
        response._content = b"" if may_wait else next(response.raw.stream(65536), b"")
        response._content_consumed = True
        response.raw.close()
    else:
        response.content
    return response


HTTPAdapter.send = send_bounded


@atexit.register
def tell():
    with open(os.environ["API_COUNT"], "w") as file:
        print(calls, file=file)


# A line of every kind.
NOTHING = {
    "seq": 0, "time": "1970-01-01T00:00:00Z", "type": "none", "id": "none", "handler": "none", "parameters": {},
    "attempt": 1, "answerBy": "1970-01-01T00:00:00Z",
}


@schemathesis.deserializer(STREAM)
def lines(_, response):
    import json

    text = response.content.decode().split("\n")
    return json.loads(text[0]) if text[0] else NOTHING


spans = strategies.sampled_from(["1ms", "20 ms", "0.1s", ".05", "1ms 500us", "30msec"])
TIMES = ["30min", "1h 30min", "2w", "2099-12-31T23:59:59Z", "2099-12-31T23:59:59.123456Z", "2099-12-31T23:59:59+01:00"]
schemathesis.openapi.format("time-span", spans)
schemathesis.openapi.format("time-or-span", strategies.sampled_from(TIMES))
schemathesis.openapi.format("base64", strategies.binary(max_size=100).map(lambda b: __import__("base64").b64encode(b).decode()))

WAITING = {"/v1/quiet", "/v1/turns", "/v1/updates/{id}/wait"}
CONFIGURED = {
    "handler-name": [HANDLER, RECEIVED],
    "received-handler": [RECEIVED],
    "screen-name": [SCREEN],
    "parameter-name": ["url", "text"],
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Names are those that this service is configured with."""

    def walk(node):
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            if node.get("format") in CONFIGURED:
                node["enum"] = CONFIGURED[node.pop("format")] + ([None] if "null" in node["type"] else [])
                node.pop("maxLength", None)
            for item in list(node.values()):
                walk(item)

    global SPAN, TIME
    SPAN, TIME = (
        re.compile(raw_schema["components"]["schemas"][name]["pattern"].replace("$", r"\Z"), re.ASCII)
        for name in ("TimeSpan", "Time")
    )
    walk(raw_schema)


pauses = 0


@schemathesis.hook
def after_call(context, case, response):
    """Every other pause is over at once, else nothing would ever be applied, or be the caller's turn."""
    global pauses
    if case.operation.path == "/v1/pause" and case.method == "POST" and response.status_code == 200:
        pauses += 1
        if pauses % 2 == 0:
            requests.post("http://localhost/v1/resume")


@schemathesis.hook
def before_call(context, case, **_):
    """Nothing waits for long, or for as long as it takes."""
    query = case.query if isinstance(case.query, dict) else {}
    short = {name: "50ms" for name in ("timeout", "wait", "for") if SPAN.search(str(query.get(name, "")))}
    if case.operation.path in WAITING and "timeout" not in query and (case.operation.path, case.method) != ("/v1/turns", "GET"):
        short["timeout"] = "50ms"
    if short:
        case.query = {**query, **short}
    body = case.body if isinstance(case.body, dict) else {}
    if "ttl" in body and "resumes" in body:
        # Not both, which is said in words.
        del body["resumes"]
    for name in ("quietPeriod", "ttl", "max"):
        # More than that is refused, which a schema cannot say.
        if isinstance(body.get(name), str) and SPAN.search(body[name]):
            body[name] = "20ms"
    for name, time in (("notBefore", "10ms"), ("deadline", "30min")):
        if isinstance(body.get(name), str) and body[name] not in TIMES and TIME.search(body[name]):
            body[name] = time
    if body.get("notBefore") in TIMES and isinstance(body.get("deadline"), str):
        body["notBefore"] = "10ms"
    for name in ("key", "reason"):
        text = body.get(name)
        # The limit is in bytes, which a schema cannot say.
        most = 1000 if case.operation.path.endswith("/nack") else 200
        if isinstance(text, str) and len(text) <= most:
            body[name] = text.encode()[:most].decode(errors="ignore")
