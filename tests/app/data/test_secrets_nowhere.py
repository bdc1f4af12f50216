"""Searches for secrets in use: in every file of the app, its logs and exports, and every process."""

import base64
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService
from tests.connections.waiting import wait_until

READING = """
import dayhand
flow = dayhand.Workflow("Reading", connections=["http:api"])

@flow.job(cron="0 4 1 1 *")
def read(ctx):
    answer = ctx.call("http:api", "get", path="/echo")
    print(answer)
    ctx.done("Read " + str(answer)[:500])
    return answer
"""
FAILING = """
import dayhand
flow = dayhand.Workflow("Failing", connections=["http:api"])

@flow.job(cron="0 4 1 1 *")
def fail(ctx):
    ctx.call("http:api", "get", path="/fail")
"""
DENIED = FAILING.replace("Failing", "Denied").replace("/fail", "/denied")
SENDING = """
import dayhand
flow = dayhand.Workflow("Sending", connections=["http:api"])
things = flow.topic("things")

@flow.consumer(subscribe=[things], approve="never")
class Send:
    def prepare(self, ctx, state):
        found = ctx.peek(things, limit=1)
        return dayhand.prepared(reserve=found, data={}) if found else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("http:api", "send", method="POST", path="/echo", json={})
"""
BACKUP = """
import dayhand
flow = dayhand.Workflow("Backup", connections=["restic:home"])

@flow.job(cron="0 4 1 1 *")
def backup(ctx):
    ctx.run(["sh", "-c", "cat $RESTIC_PASSWORD_FILE; touch HOLDING; until test -e GATE; do sleep 0.01; done"],
            secrets={"RESTIC_PASSWORD_FILE": "restic:home"})
"""


class Echo(BaseHTTPRequestHandler):
    """Repeats the request's headers, as careless servers do."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code = {"/fail": 500, "/denied": 401}.get(self.path, 200)
        body = json.dumps({"you said": dict(self.headers)}).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-You-Said", self.headers.get("Authorization", ""))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815  the name that the base class looks for

    def log_message(self, *_: object) -> None: ...


@contextmanager
def echoing() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Dayhand:
    """The real program in its own process, and its command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "data"
        self.output = folder / "said"

    @contextmanager
    def running(self) -> Iterator[None]:
        command = [sys.executable, "-m", "app.main", "--headless", "--data-dir", str(self.folder)]
        with self.output.open("ab") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
            try:
                wait_until(lambda: b"Dayhand is running" in self.output.read_bytes())
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(60)

    def type(self, *words: str, given: Any = None) -> Any:
        command = [sys.executable, "-m", "app.main", *words, "--data-dir", str(self.folder), "--json"]
        text = "" if given is None else json.dumps(given)
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
        with self.output.open("a") as output:
            output.write(done.stdout + done.stderr)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def spellings(secret: str) -> set[bytes]:
    plain = secret.encode()
    return {
        plain,
        quote(secret).encode(),
        quote(secret, "").encode(),
        json.dumps(secret)[1:-1].encode(),
        base64.b64encode(plain),
        plain.hex().encode(),
    }


def search(things: Iterator[tuple[str, bytes]], secret_values: dict[str, str]) -> list[str]:
    """Which secret was found where; never the secret itself."""
    leaks = []
    for place, content in things:
        leaks += [
            f"{name} in {place}"
            for name, secret in secret_values.items()
            if any(one in content for one in spellings(secret))
        ]
    return leaks


def read_files(*places: Path) -> Iterator[tuple[str, bytes]]:
    for place in places:
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            if not file.is_file():
                continue
            yield str(file), file.read_bytes()
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as bundle:
                    for name in bundle.namelist():
                        yield f"{file}: {name}", bundle.read(name)


def read_processes() -> Iterator[tuple[str, bytes]]:
    """Every readable process."""
    for process in Path("/proc").iterdir():
        for name in ("environ", "cmdline"):
            try:
                yield f"{process}/{name}", (process / name).read_bytes() if process.name.isdecimal() else b""
            except OSError:
                continue


def deploy(app: Dayhand, folder: Path, **scripts: str) -> None:
    for name, source in scripts.items():
        path = folder / f"{name}.py"
        path.write_text(source)
        app.type("deploy", str(path), "--grant")


def test_secrets_in_use_are_stored_nowhere(tmp_path: Path, keyring: SecretService) -> None:
    """With secrets that are used, repeated by a server, printed by a command, and part of a failed call."""
    secret_values = {"token": f"t0ken-{secrets.token_hex(12)}", "password": f"pass wörd/{secrets.token_hex(12)}+%"}
    app, holding, gate = Dayhand(tmp_path), tmp_path / "holding", tmp_path / "gate"
    backup = BACKUP.replace("HOLDING", str(holding)).replace("GATE", str(gate))
    with echoing() as url, app.running():
        given = {"secret": secret_values["token"]}
        app.type("connect", "http:api", "--base-url", url, "--auth", "bearer", "--secrets-from-stdin", given=given)
        app.type("connect", "restic:home", "--secrets-from-stdin", given={"secret": secret_values["password"]})
        deploy(app, tmp_path, reading=READING, failing=FAILING, sending=SENDING, backup=backup, denied=DENIED)
        app.type("run", "backup")
        wait_until(holding.exists)
        assert_all_kept(app.folder, secret_values)
        in_processes = search(read_processes(), secret_values)
        environments = b"".join(content for _, content in read_processes())
        assert b"RESTIC_PASSWORD_FILE=/dev/fd/" in environments and b"DAYHAND_WORKER" in environments
        gate.touch()
        for name in ("reading", "failing"):
            app.type("run", name)
            wait_until(over(app, name))
        app.type("publish", "sending", "things", "--id", "1")
        wait_until(over(app, "sending"))
        app.type("run", "denied")
        wait_until(lambda: [one["kind"] for one in app.type("attention")["requests"]] == ["reconnect"])
        wait_until(over(app, "backup"))
        ended = {name: app.type("show", name)["recent"][0]["status"] for name in ("reading", "failing", "sending")}
        assert ended == {"reading": "committed", "failing": "paused:transient", "sending": "committed"}
        log = app.type("logs", app.type("show", "backup")["recent"][0]["id"])["text"]
        assert log == "•••"
        answer = app.type("logs", app.type("show", "reading")["recent"][0]["id"])["text"]
        assert "'Authorization': 'Bearer •••'" in answer
        app.type("history")
        app.type("connections")
        app.type("export", str(tmp_path / "export.zip"))
        app.type("diagnostics", str(tmp_path / "diagnostics.zip"))
        while_running = search(read_files(app.folder, app.output, tmp_path), secret_values)
    afterwards = search(read_files(tmp_path), secret_values)
    assert (in_processes, while_running, afterwards) == ([], [], [])
    planted = tmp_path / "planted"
    planted.write_text(f"x{quote(secret_values['password'])}y {secret_values['token']}")
    assert search(read_files(tmp_path), secret_values) == [f"token in {planted}", f"password in {planted}"], (
        "the search works"
    )


def assert_all_kept(folder: Path, secret_values: dict[str, str]) -> None:
    kept = {vault_of(folder).get(name)["secret"] for name in ("http:api", "restic:home")}
    assert kept == set(secret_values.values())


def over(app: Dayhand, workflow: str) -> Callable[[], bool]:
    def is_over() -> bool:
        recent = app.type("show", workflow)["recent"]
        return bool(recent) and recent[0]["status"] != "active"

    return is_over


def test_the_search_finds_a_secret_in_an_environment() -> None:
    """Otherwise the search above could not find anything."""
    name, value = f"PLANTED_{secrets.token_hex(4)}", secrets.token_hex(12)
    environment = {**os.environ, name: value}
    with subprocess.Popen(["sleep", "600"], env=environment) as process:
        try:
            wait_until(
                lambda: search(read_processes(), {"planted": value}) == [f"planted in /proc/{process.pid}/environ"]
            )
        finally:
            process.kill()
