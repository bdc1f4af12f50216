"""The sample workflow in the person's own data folder: it runs as every other does, and asks for one approval."""

import shutil

from PySide6.QtCore import QCoreApplication

from app.demo import SAMPLE, places, write_receipts
from app.life.installation import Installation
from app.resources import find_resource
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import connections

translate = QCoreApplication.translate
FOLDER = "sample"
_PATIENCE = 120.0


def start_sample(installation: Installation) -> str:
    """Put its files in place, connect what it uses, and deploy it; the slug. Waits, so not in the GUI's thread."""
    house, folder = installation.house, installation.folder / FOLDER
    wanted = places(folder)
    for name, given in wanted.items():
        known = connections.find(installation.database.read(), name)
        if known is not None and known.settings.get("path") != given["path"]:
            sentence = translate(
                "welcome", "The sample would use {name}, which is yours already. Add a workflow of your own instead."
            )
            raise RefusedError("taken", sentence.format(name=name))
    script = folder / "receipts.py"
    try:
        write_receipts(folder)
        if not script.exists():
            shutil.copyfile(find_resource(SAMPLE), script)
        source = script.read_text(encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        sentence = translate("welcome", "The sample's files could not be written to {folder}: {why}.")
        raise RefusedError("file", sentence.format(folder=folder, why=why)) from error
    validated = house.validation.validate(str(script), source)

    def act(_: object) -> None:
        for name, given in wanted.items():
            house.connect(name, given)
        house.commands.deploy(validated, Wish(grant=True))

    installation.host.ask(act).result(_PATIENCE)
    return validated.slug
