"""`export` and `import`: everything in one file without passwords, and going on from such a file."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.keeping.folder import add_data_dir, data_dir, refusing
from app.verbs.verb import Told, Verb
from scheduler.engine.refusal import RefusedError
from scheduler.engine.user_only import refuse_scripts


def _export_arguments(parser: ArgumentParser) -> None:
    parser.description = "Write workflows, schedules, history, connections and settings to one file, without passwords."
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--without-history", action="store_true", help="leave out what is over")


def _export(options: Namespace) -> Told:
    from app.keeping.bundle import BundleError
    from app.keeping.export import write_export
    from scheduler.engine.clock import SystemClock
    from scheduler.store.health import open_for_reading

    target: Path = options.file.absolute()
    if target.exists():
        raise RefusedError("file", f"{target} is there already; choose another name.")
    folder = data_dir(options)
    with refusing():
        open_for_reading(folder).close()
        try:
            write_export(folder, target, SystemClock().now(), history=not options.without_history)
        except BundleError as error:
            raise RefusedError("file", str(error)) from error
    lines = [f"Written to {target}.", "Passwords and tokens are not in it; connections must be connected again."]
    return Told({"path": str(target)}, lambda _: lines)


def _import_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Go on from a file that `dayhand export` wrote. Everything arrives paused; Dayhand must not be running."
    )
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--replace", action="store_true", help="set aside the data that is here")


def _import(options: Namespace) -> Told:
    from app.keeping.bundle import BundleError
    from app.keeping.export import is_used, read_export
    from scheduler.engine.clock import SystemClock
    from scheduler.store.lock import hold

    refuse_scripts("import")
    folder = data_dir(options)
    with refusing(), hold(folder):
        if not options.replace and is_used(folder):
            raise RefusedError(
                "used",
                f"There is data in {folder} already. Give --replace to set it aside, or name another --data-dir.",
            )
        try:
            taken = read_export(folder, options.file.absolute(), SystemClock().now())
        except BundleError as error:
            raise RefusedError("file", str(error)) from error
    answer = {
        "workflows": taken.workflows,
        "reconnect": list(taken.connections),
        "set_aside": list(taken.schedules),
        "replaced": None if taken.aside is None else str(taken.aside),
    }
    return Told(answer, _say_import)


def _say_import(answer: dict[str, Any]) -> Iterator[str]:
    number = answer["workflows"]
    yield f"{number} workflow{'' if number == 1 else 's'} arrived, paused: look at each and resume it."
    for name in answer["reconnect"]:
        yield f"Connect {name} again: dayhand connect {name}"
    for schedule in answer["set_aside"]:
        yield f"{schedule} was set aside, since its times make no sense here: dayhand list"
    if answer["replaced"]:
        yield f"The data that was here is kept as {answer['replaced']}."


VERBS = {"export": Verb(_export_arguments, _export), "import": Verb(_import_arguments, _import)}
