"""Commands of jobs get secrets from a real keyring through a pipe; nothing else sees them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from scheduler.connections.registry import builtin_registry
from scheduler.connections.secrets import SecretStore
from scheduler.engine.workflows.validation import InvalidScriptError
from tests.connections.secret_service import SecretService
from tests.engine.engine_fixture import HOUR
from tests.killing import is_alive
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job

SECRET = "correct horse & battery ✓"


@pytest.fixture
def runtime(tmp_path: Path, keyring: SecretService) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path / "data")
    runtime.service.registry = lambda: builtin_registry(lambda *_: None)  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    runtime.services.connect("restic:home", {"secret": SECRET})
    yield runtime
    runtime.close()


def written(body: str, connection: str = "restic:home") -> str:
    return job(body).replace("world:x", connection)


def command(script: str, rest: str = "") -> str:
    return f"ctx.run(['sh', '-c', {script!r}], secrets={{'PASSWORD_FILE': 'restic:home'}}{rest})"


def run(runtime: RuntimeFixture, source: str, *, grant: bool = True) -> None:
    runtime.deploy(source, grant=grant)
    runtime.commands.run("w")
    runtime.tick()


def test_the_command_reads_the_secret_from_a_file_named_in_its_environment(
    runtime: RuntimeFixture, tmp_path: Path
) -> None:
    out, env, args = tmp_path / "out", tmp_path / "env", tmp_path / "args"
    read = f'cat "$PASSWORD_FILE" > {out}; env -0 > {env}; cat /proc/$$/cmdline > {args}; pwd; echo "here: $MORE"'
    run(
        runtime,
        written(f"import os\nos.environ['MORE'] = 'more'\nos.chdir('/')\n{command(read)}\nctx.done('Backed up')"),
    )
    [one] = runtime.runs("j")
    assert (one.status, one.summary) == ("committed", "Backed up")
    assert out.read_text() == SECRET
    environment = dict(line.partition("=")[::2] for line in env.read_text().split("\0"))
    assert environment["PASSWORD_FILE"].startswith("/dev/fd/")
    assert environment["MORE"] == "more"
    assert SECRET not in env.read_text() + args.read_text()
    assert runtime.log(one.id) == "/\nhere: more\n"


def test_the_worker_never_has_the_secret(runtime: RuntimeFixture, tmp_path: Path) -> None:
    """Not even in its memory while the command runs."""
    pid, out, gate = tmp_path / "pid", tmp_path / "out", tmp_path / "gate"
    hold = f"cat $PASSWORD_FILE > {out}.new; mv {out}.new {out}; until test -e {gate}; do sleep 0.01; done"
    runtime.deploy(written(f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n{command(hold)}"))
    runtime.commands.run("w")
    runtime.wait(out.exists)
    worker = Path("/proc") / pid.read_text()
    memory = b"".join((worker / name).read_bytes() for name in ("environ", "cmdline")) + read_memory(worker)
    gate.touch()
    runtime.tick()
    assert out.read_text() == SECRET
    assert b"DAYHAND_WORKER" in memory
    assert SECRET.encode() not in memory
    assert runtime.runs("j")[-1].status == "committed"


def read_memory(process: Path) -> bytes:
    """All writable memory of a process."""
    parts = []
    with (process / "mem").open("rb", 0) as memory:
        for line in (process / "maps").read_text().splitlines():
            place, rights = line.split()[:2]
            if rights.startswith("rw"):
                first, last = (int(end, 16) for end in place.split("-"))
                memory.seek(first)
                with suppress(OSError):
                    parts.append(memory.read(last - first))
    return b"".join(parts)


def test_the_secret_is_redacted_in_the_log(runtime: RuntimeFixture) -> None:
    run(runtime, written(command('echo "[$(cat $PASSWORD_FILE)]"; echo after')))
    assert runtime.log(runtime.runs("j")[-1].id) == "[•••]\nafter\n"
    stored = b"".join(file.read_bytes() for file in runtime.folder.rglob("*") if file.is_file())
    assert SECRET.encode() not in stored


def test_it_needs_permission(runtime: RuntimeFixture, tmp_path: Path) -> None:
    out = tmp_path / "out"
    source = written(command(f"cat $PASSWORD_FILE > {out}"))
    answer = runtime.deploy(source, grant=False)
    warning = "W needs your permission to pass the secret home to commands: dayhand grant w restic:home hand_over"
    assert warning in answer["warnings"]
    runtime.commands.run("w")
    runtime.tick()
    [request] = runtime.requests()
    assert (request.kind, request.sentence) == (
        "permission",
        "W wants to pass the secret home to commands, which you have not allowed yet.",
    )
    assert not out.exists()
    runtime.request_commands.approve(request.id)
    runtime.tick()
    assert out.read_text() == SECRET
    runtime.services.grant_commands.revoke("w", "restic:home")
    out.unlink()
    runtime.clock.move(HOUR)
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["permission"] and not out.exists()


def test_a_missing_connection_is_asked_for(runtime: RuntimeFixture) -> None:
    runtime.services.connection_setup.disconnect(
        "restic:home", lambda: runtime.services.grant_commands.remove_connection("restic:home")
    )
    run(runtime, written(command("true")))
    [request] = runtime.requests()
    assert (request.kind, request.subject) == ("reconnect", "restic:home")
    runtime.services.connect("restic:home", {"secret": SECRET})
    runtime.tick()
    assert runtime.runs("j")[-1].status == "committed"


def test_the_exit_code_is_reported(runtime: RuntimeFixture) -> None:
    run(runtime, written(f"assert {command('exit 3', ', check=False')} == 3\n{command('exit 4')}"))
    assert "The command sh exited with code 4" in runtime.runs("j")[-1].error["sentence"]


def test_a_missing_command_is_named(runtime: RuntimeFixture) -> None:
    run(runtime, written("ctx.run(['no-such-command'], secrets={'X': 'restic:home'})"))
    assert "The command no-such-command was not found." in runtime.runs("j")[-1].error["sentence"]


@pytest.mark.parametrize("kill", [False, True])
def test_stopping_ends_the_command_and_its_children(runtime: RuntimeFixture, tmp_path: Path, kill: bool) -> None:  # noqa: FBT001
    pids = tmp_path / "pids"
    trap = "trap '' TERM; " if kill else ""
    script = f"{trap}sleep 600 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait; sleep 600"
    runtime.deploy(written(command(script)))
    runtime.commands.run("w")
    runtime.wait(pids.exists)
    family = [int(pid) for pid in pids.read_text().split()]
    assert all(is_alive(pid) and os.getsid(pid) == family[0] for pid in family)
    runtime.commands.stop("w", kill=kill)
    runtime.tick()
    assert runtime.runs("j")[-1].status == "cancelled"
    runtime.wait(lambda: not any(is_alive(pid) for pid in family))


def test_a_timeout_ends_the_command(runtime: RuntimeFixture, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    source = job(command(f"echo $$ > {pid}; sleep 600"), timeout="1s").replace("world:x", "restic:home")
    run(runtime, source)
    assert runtime.runs("j")[-1].status == "failed:logic"
    runtime.wait(lambda: not is_alive(int(pid.read_text())))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("ctx.run(['true'], secrets=['restic:home'])", 'secrets={"RESTIC_PASSWORD_FILE": "restic:home"}'),
        ("ctx.run(['true'], secrets={'': 'restic:home'})", "secrets maps each variable to a connection"),
        ("x = 'secret:y'\n    ctx.run(['true'], secrets={'X': x})", "secret:y is not among the connections of W"),
    ],
)
def test_invalid_secrets_arguments_are_refused(runtime: RuntimeFixture, body: str, sentence: str) -> None:
    run(runtime, written(body.replace("\n    ", "\n")))
    assert sentence in runtime.runs("j")[-1].error["sentence"]


def test_a_connection_without_a_secret_for_commands_is_refused_at_deploy(runtime: RuntimeFixture) -> None:
    with pytest.raises(InvalidScriptError) as refused:
        runtime.deploy(written("ctx.run(['true'], secrets={'X': 'table:x'})", "table:x"))
    assert 'table:x has no tool "hand_over"' in str(refused.value)


def test_a_script_cannot_read_the_secret_itself(runtime: RuntimeFixture) -> None:
    run(runtime, written("ctx.done(str(ctx.call('restic:home', 'hand_over')))"))
    assert "Scripts cannot read the secret of restic:home" in runtime.runs("j")[-1].error["sentence"]
