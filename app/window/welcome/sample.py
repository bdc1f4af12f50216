"""The sample workflow in the person's own data folder and language: it runs as every other does, and asks once."""

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QLocale

from app.demo import ENGLISH, GERMAN
from app.life.installation import Installation
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import connections

translate = QCoreApplication.translate
FOLDER = "sample"
_PATIENCE = 120.0


def start_sample(installation: Installation) -> str:
    """Put its files in place, connect what it uses, and deploy it; the slug. Waits, so not in the GUI's thread."""
    house, folder = installation.house, installation.folder / FOLDER
    sample = GERMAN if QLocale().language() is QLocale.Language.German else ENGLISH
    wanted = sample.places(folder)
    for name, given in wanted.items():
        known = connections.find(installation.database.read(), name)
        if known is not None and known.settings.get("path") != given["path"]:
            sentence = translate(
                "welcome", "The sample would use {name}, which is yours already. Add a workflow of your own instead."
            )
            raise RefusedError("taken", sentence.format(name=name))
    script = folder / PurePath(sample.script).name
    try:
        sample.write_receipts(folder)
        if not script.exists():
            script.write_text(sample.read(), encoding="utf-8")
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

    installation.ask_for_user(act).result(_PATIENCE)
    return validated.slug
