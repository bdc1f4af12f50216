"""Creates the sample workflow in the data folder, in the user's language."""

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QLocale

from app.demo import ENGLISH, GERMAN
from app.session import Session
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store import connections

translate = QCoreApplication.translate
FOLDER = "sample"
_TIMEOUT_S = 120.0


def start_sample(session: Session) -> str:
    """Write its files, connect what it uses and deploy it; its slug. Blocks: never in the GUI thread."""
    house, folder = session.runtime, session.folder / FOLDER
    sample = GERMAN if QLocale().language() is QLocale.Language.German else ENGLISH
    wanted = sample.connection_settings(folder)
    for name, given in wanted.items():
        known = connections.find(session.database.read(), name)
        if known is not None and known.settings.get("path") != given["path"]:
            sentence = translate(
                "welcome", "The sample needs {name}, which you already use. Add your own workflow instead."
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
        house.workflow_commands.deploy(validated, DeployOptions(grant=True))

    session.submit_for_user(act).result(_TIMEOUT_S)
    return validated.slug
