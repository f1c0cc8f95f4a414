"""Attacks on the installed service by its actors: users of the group, a user outside it, a handler, a unit. Each function
is one attempt; its docstring says what must hold (docs/security.md). One that does not hold ends with an AssertionError."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback

from evdev import AbsInfo, UInput, ecodes

from actors import Refused, SOCKET, User

CONF = "/etc/touchgate"
STATE = "/var/lib/touchgate"
ATTACKS = []
root, alice, bob, mallory, service = (User(name) for name in ("root", "alice", "bob", "mallory", "touchgate"))


def attack(function):
    ATTACKS.append(function)
    return function


# --- Help -----------------------------------------------------------------------------------------------------------


def write(path, text, mode=0o644):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def handler(name, text):
    write(f"{CONF}/handlers.d/{name}.conf", f"[Handler]\n{text}\n")


def systemctl(*words):
    done = subprocess.run(["systemctl", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def reload():
    status, output = systemctl("reload", "touchgated.service")
    assert status == 0, output


def journal():
    return subprocess.run(
        ["journalctl", "-u", "touchgated", "-o", "json", "--all"], stdout=subprocess.PIPE).stdout.decode(errors="replace")


def eventually(condition, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def expect(answer, *statuses):
    assert answer.status in statuses, f"{answer} instead of {statuses}"
    return answer


def state(update):
    return root.ask("GET", f"/v1/updates/{update}").json["state"]


def end(update, seconds=20):
    """The final state of an update."""
    root.ask("GET", f"/v1/updates/{update}/wait?timeout={seconds}s")
    return state(update)


def waits(update):
    """Whether it has not ended half a second from now."""
    return root.ask("GET", f"/v1/updates/{update}/wait?timeout=500ms").status == 408


class Paused:
    """Nothing is applied meanwhile. At the end what waits is cancelled."""

    def __enter__(self):
        expect(root.ask("POST", "/v1/pause", {"reason": "attack"}), 200)

    def __exit__(self, *_):
        for update in root.ask("GET", "/v1/updates?state=waiting&limit=1000").json["updates"]:
            root.ask("DELETE", f"/v1/updates/{update['id']}")
        root.ask("POST", "/v1/resume")


def bus(user, method, *words):
    return user.run(
        "busctl", "call", "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
        method, *words)


# --- The way to root ------------------------------------------------------------------------------------------------


@attack
def transient_unit():
    """the service's user starts no transient unit, whatever its name"""
    for unit in ("touchgate-x.service", "touchgate-named.service", "touchgate-t@x.service"):
        status, output = bus(
            service, "StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", "1", "ExecStart", "a(sasb)", "1", "/bin/sh",
            "3", "/bin/sh", "-c", "id > /run/attack-transient", "false", "0")
        assert status != 0, f"{unit}: {output}"
    assert service.run("systemd-run", "--no-ask-password", "id")[0] != 0
    assert not os.path.exists("/run/attack-transient")


@attack
def other_units():
    """the service's user starts no unit, template or instance that no handler of root names, and changes none"""
    for unit in ("ssh.service", "touchgate-unnamed.service", "touchgate-t@-x.service", "touchgate-t@a b.service", "reboot.target"):
        assert bus(service, "StartUnit", "ss", unit, "replace")[0] != 0, unit
    for call in (
        ("RestartUnit", "ss", "touchgate-named.service", "replace"), ("ReloadUnit", "ss", "touchgate-named.service", "replace"),
        ("KillUnit", "ssi", "touchgate-named.service", "all", "9"), ("Reload",), ("Reboot",), ("Exit",),
        ("MaskUnitFiles", "asbb", "1", "dbus.service", "true", "true"),
        ("EnableUnitFiles", "asbb", "1", "/tmp/evil.service", "true", "true"),
        ("LinkUnitFiles", "asbb", "1", "/tmp/evil.service", "true", "true"),
        ("SetUnitProperties", "sba(sv)", "touchgate-named.service", "true", "1", "Description", "s", "x"),
        ("SetEnvironment", "as", "1", "LD_PRELOAD=/tmp/evil.so"),
    ):
        assert bus(service, *call)[0] != 0, call


@attack
def users_and_units():
    """a user of the group starts no unit by D-Bus, not even that of a handler"""
    for user in (alice, mallory):
        for unit in ("touchgate-named.service", "touchgate-t@x.service"):
            assert bus(user, "StartUnit", "ss", unit, "replace")[0] != 0, unit


@attack
def unit_of_somebody_else():
    """a unit whose file somebody else may write is started by no handler"""
    unit = "/etc/systemd/system/touchgate-theirs.service"
    write(unit, "[Service]\nType=oneshot\nExecStart=/bin/touch /run/attack-theirs\n")
    os.chown(unit, alice.uid, alice.gid)
    handler("theirs", "Unit=touchgate-theirs.service")
    systemctl("daemon-reload")
    try:
        reload()
        assert end(alice.submit("theirs").json["id"]) == "failed"
        assert not os.path.exists("/run/attack-theirs")
    finally:
        os.unlink(unit)
        os.unlink(f"{CONF}/handlers.d/theirs.conf")
        systemctl("daemon-reload")
        reload()


@attack
def handler_file_of_somebody_else():
    """a handler file that somebody else may write gives no right to start units"""
    for number, (owner, mode) in enumerate([(alice.uid, 0o644), (0, 0o666), (0, 0o664)]):
        path = f"{CONF}/handlers.d/loose.conf"
        write(path, "[Handler]\nUnit=touchgate-unnamed.service\n", mode)
        os.chown(path, owner, alice.gid if mode == 0o664 else 0)
        try:
            systemctl("reload", "touchgated.service")
            assert bus(service, "StartUnit", "ss", "touchgate-unnamed.service", "replace")[0] != 0, (number, owner, oct(mode))
        finally:
            os.unlink(path)
    reload()


@attack
def link_to_a_handler():
    """a link from handlers.d to a file of a user gives no right to start units"""
    write("/home/alice/evil.conf", "[Handler]\nUnit=touchgate-unnamed.service\n")
    os.chown("/home/alice/evil.conf", alice.uid, alice.gid)
    os.symlink("/home/alice/evil.conf", f"{CONF}/handlers.d/link.conf")
    try:
        systemctl("reload", "touchgated.service")
        assert bus(service, "StartUnit", "ss", "touchgate-unnamed.service", "replace")[0] != 0
    finally:
        os.unlink(f"{CONF}/handlers.d/link.conf")
        reload()


@attack
def what_a_handler_reaches():
    """an Exec= handler is not root, has no network, no rights to gain and no file of root or of users"""
    script = """
      id -u; cat /etc/shadow; ls /home/alice /root; touch /etc/x /usr/x /etc/touchgate/x /var/x
      echo x > /proc/sysrq-trigger; echo x > /proc/sys/kernel/core_pattern; mount -t tmpfs t /tmp; unshare -U true
      systemctl start ssh; systemd-run true; mknod /tmp/m c 1 1; chmod u+s /bin/sh; kill -9 1; su -c true
    """
    write("/usr/local/bin/reach", f"#!/bin/sh\nexec > \"$STATE_DIRECTORY/reach\" 2>&1\nset -x{script}\n", 0o755)
    handler("reach", "Exec=/usr/local/bin/reach\nTimeout=20s")
    reload()
    end(alice.submit("reach").json["id"], 30)
    said = read(f"{STATE}/reach")
    assert f"\n{service.uid}\n" in said and "root:" not in said, said
    assert not [path for path in ("/etc/x", "/usr/x", "/etc/touchgate/x", "/var/x") if os.path.exists(path)]
    assert os.stat("/bin/sh").st_mode & 0o4000 == 0
    assert said.count("Permission denied") + said.count("Read-only file system") + said.count("Operation not permitted") >= 6, said
    os.unlink(f"{CONF}/handlers.d/reach.conf")
    reload()


@attack
def environment_of_a_handler():
    """a handler gets no NOTIFY_SOCKET, no listening socket and no descriptor of the service"""
    write("/usr/local/bin/show", '#!/bin/sh\nexec > "$STATE_DIRECTORY/show"\nenv\nls -l /proc/self/fd\n', 0o755)
    handler("show", "Exec=/usr/local/bin/show")
    reload()
    assert end(alice.submit("show").json["id"]) == "applied"
    said = read(f"{STATE}/show")
    assert "TOUCHGATE_UPDATE_ID=" in said, said
    for word in ("NOTIFY_SOCKET", "WATCHDOG", "LISTEN_", "socket:[", "/dev/input", "queue.sqlite"):
        assert word not in said, said
    os.unlink(f"{CONF}/handlers.d/show.conf")
    reload()


@attack
def false_notifications():
    """a process of the service's user does not speak for it to systemd"""
    before = systemctl("show", "touchgated.service", "-P", "MainPID")[1]
    code = (
        "import socket\ns = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "s.sendto(b'MAINPID=1\\nSTOPPING=1\\nWATCHDOG=trigger\\nSTATUS=attacked', '/run/systemd/notify')\n")
    service.run("python3", "-c", code)
    time.sleep(0.3)
    assert systemctl("show", "touchgated.service", "-P", "MainPID")[1] == before
    assert "attacked" not in systemctl("show", "touchgated.service", "-P", "StatusText")[1]


# --- Freezing the queue ---------------------------------------------------------------------------------------------


@attack
def id_of_a_turn():
    """an update with the id of somebody's turn is refused or harmless: the queue goes on when the turn ends"""
    began, turn = alice.open("POST", "/v1/turns?timeout=10s", {"reason": "work"})
    expect(began, 200)
    bob.submit("note", clientId=began.json["id"])
    turn.close()
    assert end(bob.submit("note").json["id"]) == "applied"


@attack
def ids_of_others():
    """one user's ids are no other user's: neither taken, nor known, nor guessed by the answer"""
    with Paused():
        mine = expect(alice.submit("note", clientId="menu-1", parameters={"text": "secret"}), 202).json
        theirs = expect(bob.submit("note", clientId="menu-1", parameters={"text": "guess"}), 202).json
        same = expect(bob.submit("note", clientId="menu-1", parameters={"text": "guess"}), 202).json
        assert mine["id"] != theirs["id"] == same["id"]
        assert bob.ask("GET", "/v1/updates/menu-1").json["id"] == theirs["id"]
        expect(bob.submit("note", clientId=mine["id"]), 409, 400)
        hold = expect(alice.ask("POST", "/v1/holds", {"reason": "x", "ttl": "10s"}), 200, 201).json["id"]
        expect(bob.submit("note", clientId=hold), 409, 400)
        alice.ask("DELETE", f"/v1/holds/{hold}")


@attack
def keys_of_others():
    """one user's key neither replaces nor discards another user's update"""
    with Paused():
        for name in ("note", "first"):
            mine = expect(alice.submit(name, key="menu"), 202).json["id"]
            theirs = expect(bob.submit(name, key="menu"), 202).json["id"]
            assert state(mine) == "waiting" and state(theirs) == "waiting"


@attack
def updates_of_others():
    """one user neither reads another's payload and parameters nor changes the update"""
    with Paused():
        mine = expect(alice.submit("note", payload="secret", parameters={"text": "secret"}), 202).json["id"]
        for method, path in (
            ("GET", "payload"), ("GET", "parameters"), ("POST", "apply"), ("POST", "force"), ("POST", "retry"), ("DELETE", "")
        ):
            for query in ("", f"?user={alice.uid}"):
                answer = bob.ask(method, f"/v1/updates/{mine}/{path}".rstrip("/") + query)
                assert answer.status in (403, 404) and b"secret" not in answer.body, f"{method} {path}: {answer}"
        for path in (f"/v1/updates/{mine}", "/v1/updates", "/v1/why", "/v1/status", "/metrics"):
            assert b"secret" not in bob.ask("GET", path).body, path
        expect(alice.submit("note", clientId="my-menu"), 202)
        assert bob.run("touchgate", "cancel", "my-menu", "--user", "alice")[0] in (4, 77)
        assert root.run("touchgate", "cancel", "my-menu", "--user", "alice")[0] == 0
        assert state(mine) == "waiting"


@attack
def pause_without_a_right():
    """a user without Admin= neither pauses, resumes nor forgets a screen, and without Force= forces nothing"""
    for method, path, body in (
        ("POST", "/v1/pause", {"reason": "x"}), ("POST", "/v1/resume", None), ("DELETE", "/v1/screens?name=Lobby", None)
    ):
        expect(alice.ask(method, path, body), 403)
    with Paused():
        mine = alice.submit("note").json["id"]
        expect(alice.ask("POST", f"/v1/updates/{mine}/force"), 403)


@attack
def holds():
    """a user's holds are bounded, end with MaxHold=, and nobody else ends them"""
    numbers = [bob.ask("POST", "/v1/holds", {"reason": "x", "ttl": "30s"}) for _ in range(40)]
    granted = [answer.json["id"] for answer in numbers if answer.status in (200, 201)]
    assert 0 < len(granted) <= 16, numbers
    expect(bob.ask("POST", "/v1/holds", {"reason": "x", "ttl": "10000000min"}), 400, 403, 429)
    expect(alice.ask("DELETE", f"/v1/holds/{granted[0]}"), 403, 404)
    own = alice.ask("POST", "/v1/holds", {"reason": "x", "ttl": "5s"})
    expect(own, 200, 201)
    for hold in granted:
        expect(bob.ask("DELETE", f"/v1/holds/{hold}"), 200, 204)
    alice.ask("DELETE", f"/v1/holds/{own.json['id']}")


@attack
def grab_without_a_right():
    """without Grab= nobody takes the touchscreens from other programs"""
    expect(alice.ask("POST", "/v1/turns?timeout=1s", {"reason": "x", "guard": "grab"}), 403)


@attack
def full_queue():
    """a user who fills the queue keeps neither another user nor root from submitting"""
    with Paused():
        answers = [alice.submit("note", payload="x" * 1000).status for _ in range(150)]
        assert 429 in answers and 202 in answers, sorted(set(answers))
        expect(bob.submit("note"), 202)
        expect(root.submit("note"), 202)


@attack
def large_payloads():
    """a user who fills the room for payloads keeps neither another user nor root from submitting"""
    with Paused():
        answers = [alice.submit("note", payload="x" * 1_000_000).status for _ in range(40)]
        assert 202 in answers and answers[-1] == 429, sorted(set(answers))
        expect(bob.submit("note", payload="x" * 1_000_000), 202)
        expect(root.submit("note", payload="x"), 202)


@attack
def many_connections():
    """twelve users with as many connections as they get do not keep root or another user out"""
    kept = []
    for number in range(12):
        user = User(number=5000 + number)
        for _ in range(10):
            try:
                kept.append(user.connect())
                kept[-1].send(b"POST /v1/updates HTTP/1.1\r\nHost: x\r\n")
            except (Refused, OSError):
                pass
    try:
        begun = time.monotonic()
        expect(root.ask("GET", "/v1/status"), 200)
        expect(bob.ask("GET", "/v1/status"), 200)
        assert time.monotonic() - begun < 10
    finally:
        for connection in kept:
            connection.close()


@attack
def many_open_requests():
    """eight users with as many waiting requests as they get keep nobody from short calls, and use bounded memory"""
    pid = systemctl("show", "touchgated.service", "-P", "MainPID")[1].strip()
    memory = lambda: int(re.search(r"RssAnon:\s+(\d+) kB", read(f"/proc/{pid}/status"))[1])
    before = memory()
    kept = []
    for number in range(8):
        user = User(number=6000 + number)
        for _ in range(64):
            kept.append(user.send("GET", "/v1/events"))
            expect(kept[-1].getresponse(), 200)
        expect(user.ask("GET", "/v1/events"), 429)
        expect(user.ask("GET", "/v1/status"), 200)
    begun = time.monotonic()
    assert end(bob.submit("note").json["id"]) == "applied"
    expect(root.ask("GET", "/v1/updates?limit=1"), 200)
    assert time.monotonic() - begun < 5
    grown = memory() - before
    for client in kept:
        client.close()
    print(f"memory of {len(kept)} open requests: {grown} kB", flush=True)
    assert len(kept) == 512 and grown < 32 * 1024, grown


@attack
def slow_requests():
    """requests that never end, bodies that cost, and answers that nobody reads delay nobody"""
    hostile = subprocess.Popen(
        ["python3", os.path.join(os.path.dirname(os.path.realpath(__file__)), "../api/hostile.py"), SOCKET],
        stdout=subprocess.DEVNULL, preexec_fn=alice.become)
    try:
        for _ in range(10):
            begun = time.monotonic()
            assert end(bob.submit("note").json["id"]) == "applied"
            assert time.monotonic() - begun < 8
            time.sleep(0.3)
    finally:
        hostile.kill()
        hostile.wait()


@attack
def frozen_owner():
    """whoever has a turn and stops (SIGSTOP) frees the queue when the process is killed"""
    owner = subprocess.Popen(
        ["touchgate", "run", "--", "sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, preexec_fn=alice.become)
    update = None
    try:
        # The turn has begun when somebody else's update has to wait for it.
        assert eventually(lambda: waits(bob.submit("note").json["id"]))
        owner.send_signal(signal.SIGSTOP)
        update = bob.submit("note").json["id"]
        assert waits(update)
    finally:
        owner.kill()
        owner.wait()
    assert end(update) == "applied"


@attack
def evil_values():
    """a value that makes a pattern expensive freezes nothing, and an unbounded pattern is refused in the configuration"""
    begun = time.monotonic()
    expect(alice.submit("evil", parameters={"text": "a" * 16000 + "!"}), 400)
    expect(root.ask("GET", "/v1/status"), 200)
    assert time.monotonic() - begun < 5
    for pattern in (r"(a)\1", "(a+)+$", "a{1,300}"):
        handler("pattern", f"Exec=/bin/true\nParam=text {pattern}")
        done = subprocess.run(["touchgated", "--check-config"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.unlink(f"{CONF}/handlers.d/pattern.conf")
        assert done.returncode == 78 and b"pattern.conf" in done.stdout, (pattern, done)


@attack
def an_orphan():
    """what a handler leaves running blocks neither a retry nor another update"""
    write("/usr/local/bin/leave", "#!/bin/sh\nsleep 300 &\nexit 1\n", 0o755)
    handler("leave", "Exec=/usr/local/bin/leave\nAttempts=2\nBackoff=100ms")
    reload()
    update = alice.submit("leave").json["id"]
    assert end(update) == "failed"
    assert root.ask("GET", f"/v1/updates/{update}").json["attempts"] == 2
    assert end(bob.submit("note").json["id"]) == "applied"
    subprocess.run(["pkill", "-u", "touchgate", "sleep"])
    os.unlink(f"{CONF}/handlers.d/leave.conf")
    reload()


# --- Who may ask ----------------------------------------------------------------------------------------------------


@attack
def outsiders():
    """a user outside the group cannot connect, and reads neither queue nor socket folder"""
    try:
        mallory.ask("GET", "/v1/status")
        raise AssertionError("mallory was answered")
    except Refused as refusal:
        assert "Permission denied" in str(refusal), refusal
    for command in (("cat", f"{STATE}/queue.sqlite"), ("ls", STATE), ("touch", "/run/touchgate/x")):
        assert mallory.run(*command)[0] != 0 and alice.run(*command)[0] != 0, command
    assert mallory.run("touchgate", "status")[0] == 77


@attack
def handlers_of_others():
    """a handler with AllowUsers= takes nothing from anybody else, and rights are asked again before the start"""
    expect(bob.submit("private"), 403)
    with Paused():
        update = expect(alice.submit("private"), 202).json["id"]
        handler("private", "Exec=/bin/true\nAllowUsers=root")
        reload()
        root.ask("POST", "/v1/resume")
        assert end(update) == "failed", state(update)
    handler("private", "Exec=/bin/true\nAllowUsers=alice")
    reload()


@attack
def deliveries_of_others():
    """only who may submit to a handler receives its updates, and nobody else acknowledges them; AllowUsers= is required"""
    expect(bob.ask("GET", "/v1/deliveries?handler=page"), 403)
    stream = alice.send("GET", "/v1/deliveries?handler=page")
    expect(stream.getresponse(), 200)
    update = expect(alice.submit("page"), 202).json["id"]
    assert eventually(lambda: state(update) == "applying")
    for verb in ("ack", "nack"):
        expect(bob.ask("POST", f"/v1/deliveries/{update}/{verb}"), 403, 404)
    assert state(update) == "applying"
    expect(alice.ask("POST", f"/v1/deliveries/{update}/ack"), 200, 204)
    stream.close()
    assert end(update) == "applied"
    handler("everybody", "Deliver=yes")
    done = subprocess.run(["touchgated", "--check-config"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.unlink(f"{CONF}/handlers.d/everybody.conf")
    assert done.returncode == 78 and b"AllowUsers=" in done.stdout, done


@attack
def browsers():
    """a request that a browser sends for a page is refused"""
    for headers in ({"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}, {"Content-Type": "multipart/form-data; boundary=x"}):
        expect(alice.ask("POST", "/v1/updates", b'{"handler":"note"}', headers), 400, 403, 415)


# --- What is sent ---------------------------------------------------------------------------------------------------


@attack
def commands_in_values():
    """parameters and payload are data: no shell reads them, and no option"""
    evil = "$(touch /tmp/pwned) `touch /tmp/pwned`; touch /tmp/pwned\n--help"
    update = expect(alice.submit("note", parameters={"text": evil}, payload=evil), 202).json["id"]
    assert end(update) == "applied"
    for text in ("a\u0000b", "LD_PRELOAD=/tmp/x"):
        answer = alice.submit("note", parameters={"text": text})
        assert answer.status in (202, 400), answer
    for name in ("PATH", "LD_PRELOAD", "text=x", "../x", ""):
        expect(alice.submit("note", parameters={name: "x"}), 400)
    for name in ("../note", "note.conf", "-x", "", "note\u0000", "/etc/passwd"):
        expect(alice.submit(name), 400, 404)
    expect(alice.ask("POST", "/v1/updates", {"handler": "note", "command": "/bin/sh"}), 400)
    paths = [folder + "/pwned" for folder in ("/tmp", f"{STATE}")]
    assert not [path for path in paths if os.path.exists(path)]
    # The service's own /tmp.
    pid = systemctl("show", "touchgated.service", "-P", "MainPID")[1].strip()
    assert not os.path.exists(f"/proc/{pid}/root/tmp/pwned")


@attack
def broken_requests():
    """a malformed, enormous or deeply nested request is refused by name, and the service lives"""
    pid = systemctl("show", "touchgated.service", "-P", "MainPID")[1]
    bodies = [
        b"{", b"[]", b"null", b'{"handler":"note","handler":"other"}x', b"[" * 100_000, b'{"a":' * 50_000, b'"\\udc00"',
        b'{"handler":"\\udc00"}', b'{"handler":"note","payload":"\\ud800"}', b'{"handler":"note","priority":1e400}',
        b'{"handler":"note","priority":9223372036854775808}', b"\xff\xfe", b'{"handler":"note","quietPeriod":"-1s"}',
        b'{"handler":"note","deadline":"99999999999999999999s"}', b'{"handler":"note","notBefore":"9999-99-99"}',
        b'{"handler":"note","payloadBase64":"%%%"}', b'{"handler":"note","parameters":[]}',
    ]
    for body in bodies:
        expect(alice.ask("POST", "/v1/updates", body), 400)
    expect(alice.ask("POST", "/v1/updates", b'{"handler":"note","payload":"' + b"x" * 1_500_000 + b'"}'), 413)
    try:
        expect(alice.ask("POST", "/v1/updates", b"x" * 3_000_000), 413)
    except (BrokenPipeError, ConnectionResetError):
        pass
    for path in ("/v1/updates/..%2f..%2fetc", "/v1/updates/%00", "/v1/updates?limit=-1", "/v1/updates?" + "a=1&" * 500, "//", "/v1/../x"):
        assert 400 <= alice.ask("GET", path).status < 500, path
    for raw in (b"\x00" * 100 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"/" * 20000 + b" HTTP/1.1\r\n\r\n",
                b"POST /v1/updates HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                b"POST /v1/updates HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"):
        connection = alice.connect()
        connection.send(raw)
        connection.settimeout(12)
        try:
            connection.recv(1000)
        except OSError:
            pass
        connection.close()
    expect(bob.ask("GET", "/v1/status"), 200)
    assert systemctl("show", "touchgated.service", "-P", "MainPID")[1] == pid


@attack
def the_log():
    """neither payload nor parameters reach the journal, and a client's texts cannot forge a line of it"""
    secret = "s3cret-93dk"
    forged = "x\nMESSAGE=forged-9d2\nPRIORITY=0\u001b[31m"
    update = expect(alice.submit("note", payload=secret, parameters={"text": secret}), 202).json["id"]
    end(update)
    end(expect(alice.submit("fails", payload=secret), 202).json["id"])
    hold = alice.ask("POST", "/v1/holds", {"reason": forged, "ttl": "1s"})
    assert hold.status in (200, 201, 400), hold
    alice.submit("note", clientId=forged)
    lines = journal()
    assert secret not in lines
    for line in lines.splitlines():
        entry = json.loads(line)
        assert entry.get("MESSAGE") != "forged-9d2", entry
        assert "\u001b" not in str(entry.get("MESSAGE")), entry


@attack
def out_of_memory():
    """a handler that the kernel ends for want of memory does not take the service with it"""
    pid = systemctl("show", "touchgated.service", "-P", "MainPID")[1]
    systemctl("set-property", "--runtime", "touchgated.service", "MemoryMax=80M", "MemorySwapMax=0")
    write("/usr/local/bin/eat", "#!/usr/bin/python3\nx = []\nwhile True: x.append(bytearray(1 << 20))\n", 0o755)
    handler("eat", "Exec=/usr/local/bin/eat\nTimeout=30s")
    reload()
    try:
        assert end(alice.submit("eat").json["id"], 40) == "failed"
        assert end(bob.submit("note").json["id"]) == "applied"
        assert systemctl("show", "touchgated.service", "-P", "MainPID")[1] == pid
        assert re.search("^oom_kill [1-9]", read("/sys/fs/cgroup/system.slice/touchgated.service/memory.events"), re.M)
    finally:
        systemctl("set-property", "--runtime", "touchgated.service", "MemoryMax=infinity")
        os.unlink(f"{CONF}/handlers.d/eat.conf")
        reload()


# --- Devices --------------------------------------------------------------------------------------------------------


@attack
def name_of_a_device():
    """a screen whose name is a newline or an escape sequence is a screen like any other, and forges no line"""
    axes = [
        (ecodes.ABS_MT_SLOT, AbsInfo(0, 0, 9, 0, 0, 0)), (ecodes.ABS_MT_TRACKING_ID, AbsInfo(0, 0, 65535, 0, 0, 0)),
        (ecodes.ABS_MT_POSITION_X, AbsInfo(0, 0, 1000, 0, 0, 0)), (ecodes.ABS_MT_POSITION_Y, AbsInfo(0, 0, 1000, 0, 0, 0)),
        (ecodes.ABS_X, AbsInfo(0, 0, 1000, 0, 0, 0)), (ecodes.ABS_Y, AbsInfo(0, 0, 1000, 0, 0, 0)),
    ]
    for name in ("\n", "\x1b[2J\nforged-9d2", "a\tb\r"):
        device = UInput(
            {ecodes.EV_KEY: [ecodes.BTN_TOUCH], ecodes.EV_ABS: axes}, name=name, input_props=[ecodes.INPUT_PROP_DIRECT])
        try:
            device.write(ecodes.EV_ABS, ecodes.ABS_MT_TRACKING_ID, 1)
            device.write(ecodes.EV_ABS, ecodes.ABS_MT_POSITION_X, 500)
            device.write(ecodes.EV_KEY, ecodes.BTN_TOUCH, 1)
            device.syn()
            assert eventually(lambda: root.ask("GET", "/v1/status").json["touched"]), name
            update = bob.submit("note").json["id"]
            assert waits(update)
            status, text = root.run("touchgate", "status")
            assert status == 0 and "\x1b" not in text and "\nforged" not in text and "\r" not in text, text
            device.write(ecodes.EV_ABS, ecodes.ABS_MT_TRACKING_ID, -1)
            device.write(ecodes.EV_KEY, ecodes.BTN_TOUCH, 0)
            device.syn()
            assert end(update) == "applied"
        finally:
            device.close()
        assert eventually(lambda: not root.ask("GET", "/v1/screens").json["screens"]), "the screen has been forgotten"
    assert not [line for line in journal().splitlines() if "\u001b" in str(json.loads(line).get("MESSAGE"))]


# --- The run --------------------------------------------------------------------------------------------------------


def prepare():
    write(f"{CONF}/touchgate.conf", "[Gate]\nQuietPeriod=0\nFirstScreenTimeout=0\n[Queue]\nMaxWaitingPerUser=100\n")
    handler("note", "Exec=/bin/sh -c 'cat > /dev/null; echo \"$TOUCHGATE_UPDATE_ID\" >> \"$STATE_DIRECTORY/notes\"'\nParam=text")
    handler("first", "Exec=/bin/true\nCoalesce=first")
    handler("fails", "Exec=/bin/false")
    handler("private", "Exec=/bin/true\nAllowUsers=alice")
    handler("page", "Deliver=yes\nAllowUsers=alice\nTimeout=30s")
    handler("evil", "Exec=/bin/true\nParam=text ^(a|aa)+$")
    handler("named", "Unit=touchgate-named.service")
    handler("template", "Unit=touchgate-t@.service")
    for unit in ("named", "t@", "unnamed"):
        write(f"/etc/systemd/system/touchgate-{unit}.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
    systemctl("daemon-reload")
    status, output = systemctl("start", "touchgated.service")
    assert status == 0, output + journal()


def main():
    prepare()
    held = 0
    for function in ATTACKS:
        try:
            function()
            held += 1
            print(f"held: {function.__doc__}", flush=True)
        except Exception as error:
            print(f"FAILED: {function.__doc__}", flush=True)
            for line in traceback.format_exc().strip().splitlines()[-6:]:
                print(f"     {line[:600]}", flush=True)
    print(f"attacks: {len(ATTACKS)} tried, {held} held, {len(ATTACKS) - held} failed", flush=True)
    return 0 if held == len(ATTACKS) else 1


sys.exit(main())
