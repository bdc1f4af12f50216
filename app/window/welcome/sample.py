"""Creates the sample workflow in the data folder, in the user's language."""

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QLocale

from app.demo import ENGLISH, GERMAN
from app.session import Session
from scheduler.engine.errors import RefusedError
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions

translate = QCoreApplication.translate
FOLDER = "sample"


def start_sample(session: Session) -> str:
    """Write its files, connect what it uses and deploy it; its slug. Blocks: never in the GUI thread."""
    folder = session.folder / FOLDER
    sample = GERMAN if QLocale().language() is QLocale.Language.German else ENGLISH
    wanted = sample.connection_settings(folder)
    connected = {one.connection: one.settings for one in session.queries.connections() if one.is_connected}
    for name, given in wanted.items():
        if name in connected and connected[name].get("path") != given["path"]:
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
    validated = session.validate(str(script), source)

    def act(runtime: Runtime) -> None:
        for name, given in wanted.items():
            runtime.connect(name, given)
        runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))

    session.execute_for_user(act)
    return validated.slug
