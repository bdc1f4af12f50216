"""Commands of jobs that are given secrets: from a real keyring through a pipe, seen by nobody else."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from scheduler.connections.keeper import Keeper
from scheduler.connections.registry import builtin_registry
from scheduler.engine.workflows.validation import NotValidError
from tests.connections.secret_service import SecretService
from tests.engine.harness import HOUR
from tests.runs.scripts import job
from tests.runs.shop import Shop, is_alive

SECRET = "correct horse & battery ✓"


@pytest.fixture
def shop(tmp_path: Path, keyring: SecretService) -> Iterator[Shop]:
    shop = Shop(tmp_path / "data")
    shop.world.registry = lambda: builtin_registry(lambda *_: None)  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    shop.house.connect("restic:home", {"secret": SECRET})
    yield shop
    shop.close()


def written(body: str, connection: str = "restic:home") -> str:
    return job(body).replace("world:x", connection)


def command(script: str, rest: str = "") -> str:
    return f"ctx.run(['sh', '-c', {script!r}], secrets={{'PASSWORD_FILE': 'restic:home'}}{rest})"


def run(shop: Shop, source: str, *, grant: bool = True) -> None:
    shop.deploy(source, grant=grant)
    shop.commands.run("w")
    shop.tick()


def test_the_command_reads_it_and_its_environment_names_only_the_place(shop: Shop, tmp_path: Path) -> None:
    out, env, args = tmp_path / "out", tmp_path / "env", tmp_path / "args"
    read = f'cat "$PASSWORD_FILE" > {out}; env -0 > {env}; cat /proc/$$/cmdline > {args}; pwd; echo "here: $MORE"'
    run(shop, written(f"import os\nos.environ['MORE'] = 'more'\nos.chdir('/')\n{command(read)}\nctx.done('Backed up')"))
    [one] = shop.runs("j")
    assert (one.status, one.summary) == ("committed", "Backed up")
    assert out.read_text() == SECRET
    told = dict(line.partition("=")[::2] for line in env.read_text().split("\0"))
    assert told["PASSWORD_FILE"].startswith("/dev/fd/")
    assert told["MORE"] == "more"
    assert SECRET not in env.read_text() + args.read_text()
    assert shop.log(one.id) == "/\nhere: more\n"


def test_the_worker_never_has_it(shop: Shop, tmp_path: Path) -> None:
    """Not even in its memory, while the command that has it runs."""
    pid, out, gate = tmp_path / "pid", tmp_path / "out", tmp_path / "gate"
    hold = f"cat $PASSWORD_FILE > {out}.new; mv {out}.new {out}; until test -e {gate}; do sleep 0.01; done"
    shop.deploy(written(f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n{command(hold)}"))
    shop.commands.run("w")
    shop.wait(out.exists)
    worker = Path("/proc") / pid.read_text()
    found = b"".join((worker / name).read_bytes() for name in ("environ", "cmdline")) + read_memory(worker)
    gate.touch()
    shop.tick()
    assert out.read_text() == SECRET
    assert b"DAYHAND_WORKER" in found
    assert SECRET.encode() not in found
    assert shop.runs("j")[-1].status == "committed"


def read_memory(process: Path) -> bytes:
    """Everything that it can write to."""
    found = []
    with (process / "mem").open("rb", 0) as memory:
        for line in (process / "maps").read_text().splitlines():
            place, rights = line.split()[:2]
            if rights.startswith("rw"):
                first, last = (int(end, 16) for end in place.split("-"))
                memory.seek(first)
                with suppress(OSError):
                    found.append(memory.read(last - first))
    return b"".join(found)


def test_what_a_command_prints_of_it_is_not_kept(shop: Shop) -> None:
    run(shop, written(command('echo "[$(cat $PASSWORD_FILE)]"; echo after')))
    assert shop.log(shop.runs("j")[-1].id) == "[•••]\nafter\n"
    stored = b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())
    assert SECRET.encode() not in stored


def test_it_must_be_allowed(shop: Shop, tmp_path: Path) -> None:
    out = tmp_path / "out"
    source = written(command(f"cat $PASSWORD_FILE > {out}"))
    answer = shop.deploy(source, grant=False)
    asked = "W needs your permission to hand the secret home to commands: dayhand grant w restic:home hand_over"
    assert asked in answer["warnings"]
    shop.commands.run("w")
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, request.sentence) == (
        "permission",
        "W wants to hand the secret home to commands, which you have not allowed yet.",
    )
    assert not out.exists()
    shop.answering.approve(request.id)
    shop.tick()
    assert out.read_text() == SECRET
    shop.house.allowing.revoke("w", "restic:home")
    out.unlink()
    shop.clock.move(HOUR)
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["permission"] and not out.exists()


def test_one_that_is_not_connected_is_asked_for(shop: Shop) -> None:
    shop.house.connecting.disconnect("restic:home", lambda: shop.house.allowing.disconnected("restic:home"))
    run(shop, written(command("true")))
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "restic:home")
    shop.house.connect("restic:home", {"secret": SECRET})
    shop.tick()
    assert shop.runs("j")[-1].status == "committed"


def test_how_it_ended_is_told(shop: Shop) -> None:
    run(shop, written(f"assert {command('exit 3', ', check=False')} == 3\n{command('exit 4')}"))
    assert "The command sh ended with code 4" in shop.runs("j")[-1].error["sentence"]


def test_a_command_that_is_not_there_is_named(shop: Shop) -> None:
    run(shop, written("ctx.run(['no-such-command'], secrets={'X': 'restic:home'})"))
    assert "The command no-such-command was not found." in shop.runs("j")[-1].error["sentence"]


@pytest.mark.parametrize("kill", [False, True])
def test_stopping_ends_it_with_what_it_started(shop: Shop, tmp_path: Path, kill: bool) -> None:  # noqa: FBT001
    """L1"""
    pids = tmp_path / "pids"
    trap = "trap '' TERM; " if kill else ""
    script = f"{trap}sleep 600 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait; sleep 600"
    shop.deploy(written(command(script)))
    shop.commands.run("w")
    shop.wait(pids.exists)
    family = [int(pid) for pid in pids.read_text().split()]
    assert all(is_alive(pid) and os.getsid(pid) == family[0] for pid in family)
    shop.commands.stop("w", kill=kill)
    shop.tick()
    assert shop.runs("j")[-1].status == "cancelled"
    shop.wait(lambda: not any(is_alive(pid) for pid in family))


def test_a_time_limit_ends_it(shop: Shop, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    source = job(command(f"echo $$ > {pid}; sleep 600"), timeout="1s").replace("world:x", "restic:home")
    run(shop, source)
    assert shop.runs("j")[-1].status == "paused:transient"
    shop.wait(lambda: not is_alive(int(pid.read_text())))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("ctx.run(['true'], secrets=['restic:home'])", 'secrets={"RESTIC_PASSWORD_FILE": "restic:home"}'),
        ("ctx.run(['true'], secrets={'': 'restic:home'})", "which variable gets the secret of which connection"),
        ("x = 'secret:y'\n    ctx.run(['true'], secrets={'X': x})", "secret:y is not among the connections of W"),
    ],
)
def test_what_cannot_be_is_refused(shop: Shop, body: str, sentence: str) -> None:
    run(shop, written(body.replace("\n    ", "\n")))
    assert sentence in shop.runs("j")[-1].error["sentence"]


def test_a_connection_without_a_secret_for_commands_is_refused_when_it_is_deployed(shop: Shop) -> None:
    with pytest.raises(NotValidError) as refused:
        shop.deploy(written("ctx.run(['true'], secrets={'X': 'table:x'})", "table:x"))
    assert 'table:x has no tool "hand_over"' in str(refused.value)


def test_no_script_can_ask_for_it(shop: Shop) -> None:
    run(shop, written("ctx.done(str(ctx.call('restic:home', 'hand_over')))"))
    assert "Scripts never see the secret of restic:home" in shop.runs("j")[-1].error["sentence"]
