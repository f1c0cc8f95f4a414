"""A pytest plugin: while the kernel's HID tests run, the service must see the fingers that the kernel sees.

After each reading of events in a test, and before each device goes, the contacts of each screen in the service's
status are compared with the kernel's own state of the same nodes (EVIOCGMTSLOTS; BTN_TOUCH where there are no slots).
Asking for the status makes the service look at the kernel's table too, which repairs what the events did not tell. So a
repair counts as a disagreement as well: it is a warning in the service's log (HID_LOG), as everything is that must not
be there. Results go to the file named by HID_RESULT, as JSON. HID_SHARD=1/3 runs each third test, from the first.
"""

import array
import fcntl
import json
import os
import select
import socket
import time

import pytest

# Seconds, on the simulated clock, for which work costs nothing. A difference must not outlive the 0.1 s after which the
# kernel itself ends contacts that a device forgot.
TO_BE_FOUND, TO_AGREE = 5, 0.05
EV_KEY, EV_ABS, BTN_TOUCH, PROP_DIRECT = 1, 3, 0x14A, 1
ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_TOOL_TYPE, ABS_MT_TRACKING_ID, ABS_MT_DISTANCE = 0x2F, 0x35, 0x37, 0x39, 0x3B
PALM = 2


# --- the kernel ---------------------------------------------------------------------------------------------------
def ask(descriptor, number, size):
    """A reading ioctl of evdev, EVIOC…(size)."""
    buffer = bytearray(size)
    fcntl.ioctl(descriptor, 2 << 30 | size << 16 | ord("E") << 8 | number, buffer)
    return buffer


def bit(buffer, number):
    return buffer[number // 8] >> number % 8 & 1 == 1


class Node:
    """One event node, through a descriptor of its own: asking for keys empties the queue of the one that asks."""

    def __init__(self, path):
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        axes = ask(self.descriptor, 0x20 + EV_ABS, 8)
        self.direct = bit(ask(self.descriptor, 0x09, 8), PROP_DIRECT)
        self.slots = 0
        if bit(axes, ABS_MT_SLOT):
            _, _, most, *_ = array.array("i", bytes(ask(self.descriptor, 0x40 + ABS_MT_SLOT, 24)))
            self.slots = most + 1
        self.has = {code for code in (ABS_MT_TOOL_TYPE, ABS_MT_DISTANCE) if bit(axes, code)}
        self.is_screen = self.direct and self.slots > 0 and bit(axes, ABS_MT_POSITION_X)
        self.may_be_screen = self.direct or self.udev("ID_INPUT_TOUCHSCREEN") == "1"

    def close(self):
        os.close(self.descriptor)

    def udev(self, property):
        number = os.fstat(self.descriptor).st_rdev
        try:
            with open(f"/run/udev/data/c{os.major(number)}:{os.minor(number)}", encoding="utf-8") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return None
        return next((line.split("=", 1)[1] for line in lines if line.startswith(f"E:{property}=")), None)

    def axis(self, code):
        values = array.array("i", [code] + [0] * self.slots)
        fcntl.ioctl(self.descriptor, 2 << 30 | len(values) * 4 << 16 | ord("E") << 8 | 0x0A, values)
        return values[1:]

    def contacts(self):
        """Slots with a finger on the glass: not in the air, no palm."""
        if self.slots == 0:
            return 1 if bit(ask(self.descriptor, 0x18, 96), BTN_TOUCH) else 0
        count = [id != -1 for id in self.axis(ABS_MT_TRACKING_ID)]
        if ABS_MT_DISTANCE in self.has:
            count = [here and value <= 0 for here, value in zip(count, self.axis(ABS_MT_DISTANCE))]
        if ABS_MT_TOOL_TYPE in self.has:
            count = [here and value != PALM for here, value in zip(count, self.axis(ABS_MT_TOOL_TYPE))]
        return sum(count)


# --- the service --------------------------------------------------------------------------------------------------
def status():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(os.environ["HID_SOCKET"])
        connection.sendall(b"GET /v1/status HTTP/1.1\r\nHost: touchgate\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    return json.loads(body)


class Events:
    """The service's events (GET /v1/events): after each the service is asked again, and not in between."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.sendall(b"GET /v1/events HTTP/1.0\r\nHost: touchgate\r\n\r\n")
        self.connection.recv(65536)

    def come(self, limit):
        """Waits for the next ones, seconds at most."""
        if not select.select([self.connection], [], [], limit)[0]:
            return False
        assert self.connection.recv(65536), "the service has ended"
        return True

    def eventually(self, limit, holds):
        end = time.monotonic() + limit
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or not self.come(left):
                return False
        return True


# --- both ---------------------------------------------------------------------------------------------------------
class Log:
    """The service's log as it grows; each line begins with its priority, as the journal has it."""

    def __init__(self, path):
        self.file = open(path, encoding="utf-8", errors="replace")
        self.rest = ""

    def warnings(self):
        *lines, self.rest = (self.rest + self.file.read()).split("\n")
        return [line for line in lines if not line.startswith(("<5>", "<6>", "<7>"))]


class Watch:
    def __init__(self):
        self.test = ""
        self.log = None
        self.events = None
        self.passed = []
        self.watched = set()
        self.results = {
            "collected": 0,
            "passed": 0,
            "skipped": {},
            "failed": [],
            "unwatched": [],
            "comparisons": 0,
            "fingers": 0,
            "disagreements": [],
        }

    def disagree(self, words):
        self.results["disagreements"].append(f"{self.test}: {words}")

    def read_log(self):
        for line in self.log.warnings():
            self.disagree(f"the service says: {line}")

    def compare(self, device):
        """The service's contacts on this device's screens against the kernel's."""
        self.watched.add(self.test)
        nodes = {node.path: node for node in map(Node, device.device_nodes)}
        try:
            if not any(node.is_screen for node in nodes.values()):
                self.compare_without_screen(nodes)
                return
            found = {}
            self.events.eventually(TO_BE_FOUND, lambda: self.agree(nodes, found) or not found["missing"])
            if not self.events.eventually(TO_AGREE, lambda: self.agree(nodes, found)):
                self.disagree(found["words"])
            self.results["comparisons"] += 1
            self.results["fingers"] += found["kernel"] > 0
        finally:
            self.read_log()
            for node in nodes.values():
                node.close()

    def compare_without_screen(self, nodes):
        for screen in status()["screens"]:
            for entry in screen["devices"]:
                node = entry["node"]
                if node in nodes and not nodes[node].may_be_screen:
                    self.disagree(f"{node} is no screen, but counts as one")

    def agree(self, nodes, found):
        """One look; how it stood goes to `found`."""
        before = {path: node.contacts() for path, node in nodes.items()}
        here = {}
        known = set()
        for screen in status()["screens"]:
            own = [entry["node"] for entry in screen["devices"] if entry["node"] in nodes]
            known.update(own)
            if own:
                here[screen["name"]] = (screen["contacts"], sum(before[node] for node in own))
        after = {path: node.contacts() for path, node in nodes.items()}
        missing = sorted(path for path, node in nodes.items() if node.is_screen and path not in known)
        foreign = sorted(path for path in known if not nodes[path].may_be_screen)
        found["missing"] = missing
        found["kernel"] = sum(kernel for _, kernel in here.values())
        found["words"] = "; ".join(
            [f"'{name}': the service has {service}, the kernel {kernel}" for name, (service, kernel) in here.items()]
            + [f"{path} is not among the service's devices" for path in missing]
            + [f"{path} is no screen, but counts as one" for path in foreign]
        )
        return before == after and not missing and not foreign and all(service == kernel for service, kernel in here.values())


WATCH = Watch()


def install():
    """Wraps the two moments at which a test has just sent something."""
    from tests.base_device import BaseDevice

    reading, destroying = BaseDevice.next_sync_events, BaseDevice.destroy

    def next_sync_events(device, *arguments, **names):
        events = reading(device, *arguments, **names)
        WATCH.compare(device)
        return events

    def destroy(device):
        if device.kernel_is_ready:
            WATCH.compare(device)
        destroying(device)

    BaseDevice.next_sync_events = next_sync_events
    BaseDevice.destroy = destroy


def pytest_collection_modifyitems(config, items):
    if shard := os.environ.get("HID_SHARD"):
        number, count = map(int, shard.split("/"))
        skipped = [item for index, item in enumerate(items) if index % count != number - 1]
        items[:] = items[number - 1 :: count]
        config.hook.pytest_deselected(items=skipped)


def pytest_collection_finish(session):
    WATCH.results["collected"] = len(session.items)
    if "HID_SOCKET" in os.environ:
        WATCH.log = Log(os.environ["HID_LOG"])
        WATCH.events = Events(os.environ["HID_SOCKET"])
        install()


def pytest_runtest_setup(item):
    WATCH.test = item.nodeid


def pytest_runtest_logreport(report):
    results = WATCH.results
    if report.failed and report.nodeid not in results["failed"]:
        results["failed"].append(report.nodeid)
        results["passed"] -= report.when == "teardown"
    elif report.when == "call" and report.passed:
        results["passed"] += 1
        WATCH.passed.append(report.nodeid)
    elif report.skipped:
        reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "expected to fail"
        results["skipped"][reason] = results["skipped"].get(reason, 0) + 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if "HID_SOCKET" in os.environ:
        WATCH.test = "at the end"
        if not WATCH.events.eventually(10, lambda: not status()["touched"]):
            WATCH.disagree(f"no device is left, and the service has {status()}")
        WATCH.read_log()
        WATCH.results["unwatched"] = [test for test in WATCH.passed if test not in WATCH.watched]
    with open(os.environ["HID_RESULT"], "w", encoding="utf-8") as file:
        json.dump(WATCH.results, file)
