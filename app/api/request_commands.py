"""The verbs that answer, allow, connect and try again; and those about the app itself."""

from typing import Any

from app.desk.floor import Floor
from scheduler.connections.connector import FieldKind
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.refusal import RefusedError


class Answering:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def approve(self, request: str, *, always: bool = False, request_id: str | None = None) -> dict[str, Any]:
        found = self._floor.views.request(request).id
        return self._floor.act(lambda house: house.answering.approve(found, always=always, request_id=request_id))

    def reject(self, request: str, *, request_id: str | None = None) -> dict[str, Any]:
        found = self._floor.views.request(request).id
        return self._floor.act(lambda house: house.answering.reject(found, request_id=request_id))

    def resolve(self, run: str, answer: str, *, request_id: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.answering.resolve(run, answer, request_id=request_id))

    def retry(self, target: str, *, request_id: str | None = None) -> dict[str, Any]:
        return self._floor.act(lambda house: house.answering.retry(target, request_id=request_id))

    def grant(
        self, workflow: str, connection: str | None = None, tool: str | None = None, *, request_id: str | None = None
    ) -> dict[str, Any]:
        return self._floor.act(lambda house: house.allowing.grant(workflow, connection, tool, request_id=request_id))

    def revoke(
        self, workflow: str, connection: str | None = None, tool: str | None = None, *, request_id: str | None = None
    ) -> dict[str, Any]:
        return self._floor.act(lambda house: house.allowing.revoke(workflow, connection, tool, request_id=request_id))

    def connect(
        self,
        name: str,
        settings: dict[str, Any],
        *,
        secrets: dict[str, Any] | None = None,
        test: bool = True,
        request_id: str | None = None,
    ) -> dict[str, Any]:
        """The fields may come as text, as they were typed; what is secret comes apart from them."""
        given = {**read_fields(self._floor.registry, name, settings), **(secrets or {})}

        def save(plain: dict[str, Any]) -> dict[str, Any]:
            return self._floor.act(lambda house: house.allowing.connected(name, plain, request_id=request_id))

        return self._floor.connecting.connect(name, given, save, test=test, request_id=request_id)

    def disconnect(self, name: str, *, request_id: str | None = None) -> dict[str, Any]:
        def forget() -> dict[str, Any]:
            return self._floor.act(lambda house: house.allowing.disconnected(name, request_id=request_id))

        return self._floor.connecting.disconnect(name, forget)

    def window(self, *, file: str = "") -> dict[str, Any]:
        """Bring the app's window to the front, and let the person look at that script."""
        return {"sentence": self._floor.show(file)}

    def quit(self) -> dict[str, Any]:
        self._floor.quit()
        return {"sentence": "Dayhand ends."}


def read_fields(registry: Registry, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """What was typed, as the kind of each field wants it; what cannot be so is refused by the connector's own rules.

    A secret is refused: others can read what is typed in a command.
    """
    fields = {field.name: field for field in registry.connector(parse_name(name)[0]).fields}
    for field in fields.values():
        if field.secret and field.name in given:
            raise RefusedError(
                "secret",
                f"{field.label} of {name} is a secret: never type it in a command, where others can read it. "
                f"Leave it out and you will be asked for it: dayhand connect {name}",
            )
    return {
        field: _read_field(fields[field].kind if field in fields else None, value) for field, value in given.items()
    }


def _read_field(kind: FieldKind | None, value: Any) -> Any:
    if kind is FieldKind.FLAG and value in ("true", "false"):
        return value == "true"
    if kind is FieldKind.NUMBER and isinstance(value, str):
        try:
            return float(value) if "." in value else int(value)
        except ValueError:
            return value
    return value
