"""Verbs that answer requests, grant permissions, connect accounts, and control the app itself."""

from typing import Any

from scheduler.connections.connector import FieldKind
from scheduler.connections.registry import Registry
from scheduler.engine.api.backend import Backend
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.group_answers import GroupAnswer, GroupResult, SeenRequest, answer_each
from scheduler.user_text import pack


class RequestApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def approve(
        self,
        request: str,
        *,
        always: bool = False,
        call_hash: str | None = None,
        edits: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """With edits: parameters of the call to change first, by name; text for other types is JSON."""
        found = self._backend.queries.request(request).id
        return self._backend.execute(
            lambda runtime: runtime.request_commands.approve(
                found, always=always, call_hash=call_hash, edits=edits, idempotency_key=idempotency_key
            )
        )

    def reject(
        self,
        request: str,
        *,
        reason: str | None = None,
        call_hash: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        found = self._backend.queries.request(request).id
        return self._backend.execute(
            lambda runtime: runtime.request_commands.reject(
                found, reason=reason, call_hash=call_hash, idempotency_key=idempotency_key
            )
        )

    def answer(self, request: str, answers: dict[str, Any], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Answers by the names of the questions; they may be typed as text."""
        found = self._backend.queries.request(request).id
        return self._backend.execute(
            lambda runtime: runtime.request_commands.answer(found, answers, idempotency_key=idempotency_key)
        )

    def answer_each(
        self,
        answer: str,
        requests: list[Any],
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """The same answer to several requests, each `{"request", "call_hash", "run"}` as the client saw it.

        `reason`: why they are rejected.
        """
        if answer not in list(GroupAnswer):
            allowed = ", ".join(GroupAnswer)
            raise RefusedError("answer", f"{answer!r:.60} cannot be given to several requests; use one of: {allowed}.")
        given, seen = GroupAnswer(answer), [_parse_seen(one) for one in requests]
        results = self._backend.execute(
            lambda runtime: answer_each(
                runtime.request_commands,
                given,
                seen,
                reason=reason,
                idempotency_key=idempotency_key,
            )
        )
        return {"results": [_write_result(one) for one in results]}

    def resolve(self, run: str, answer: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.request_commands.resolve(run, answer, idempotency_key=idempotency_key)
        )

    def retry(self, target: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.request_commands.retry(target, idempotency_key=idempotency_key)
        )

    def dismiss(self, request: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        found = self._backend.queries.request(request).id
        return self._backend.execute(
            lambda runtime: runtime.request_commands.dismiss(found, idempotency_key=idempotency_key)
        )

    def grant(
        self,
        workflow: str,
        connection: str | None = None,
        tool: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.grant_commands.grant(workflow, connection, tool, idempotency_key=idempotency_key)
        )

    def revoke(
        self,
        workflow: str,
        connection: str | None = None,
        tool: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        return self._backend.execute(
            lambda runtime: runtime.grant_commands.revoke(workflow, connection, tool, idempotency_key=idempotency_key)
        )

    def connect(
        self,
        name: str,
        settings: dict[str, Any],
        *,
        secrets: dict[str, Any] | None = None,
        test: bool = True,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Settings may be text as typed; secrets are separate."""
        given = {**parse_fields(self._backend.registry, name, settings), **(secrets or {})}

        def save(settings: dict[str, Any]) -> dict[str, Any]:
            return self._backend.execute(
                lambda runtime: runtime.grant_commands.save_connection(name, settings, idempotency_key=idempotency_key)
            )

        return self._backend.connection_setup.connect(name, given, save, test=test, idempotency_key=idempotency_key)

    def disconnect(self, name: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        def forget() -> dict[str, Any]:
            return self._backend.execute(
                lambda runtime: runtime.grant_commands.remove_connection(name, idempotency_key=idempotency_key)
            )

        return self._backend.connection_setup.disconnect(name, forget)

    def window(self, *, file: str = "") -> dict[str, Any]:
        """Bring the app's window to the front, and show that script if there is one."""
        return {"sentence": self._backend.show_window(file)}

    def quit(self) -> dict[str, Any]:
        self._backend.quit()
        return {"sentence": "Dayhand is quitting."}


def _parse_seen(given: Any) -> SeenRequest:
    match given:
        case {"request": str(id_)} if all(isinstance(given.get(key), str | None) for key in ("call_hash", "run")):
            return SeenRequest(id=id_, call_hash=given.get("call_hash"), run=given.get("run"))
    raise RefusedError("arguments", f"answer_each: invalid value for requests: {given!r:.60}.")


def _write_result(one: GroupResult) -> dict[str, Any]:
    if one.refusal is None:
        repeated = {"is_repeated": bool(one.before), "before": one.before}
        return {**repeated, **(one.answer or {}), "request": one.request}
    sentence = one.refusal.sentence
    error = {"code": one.refusal.code, "message": sentence, "text": pack(sentence)}
    return {"request": one.request, "error": error}


def parse_fields(registry: Registry, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Convert typed text to the kind of each field; invalid values are left to the connector's own rules.

    A secret is refused, because others can read what is typed in a command.
    """
    fields = {field.name: field for field in registry.connector_of(name).fields}
    for field in fields.values():
        if field.secret and field.name in given:
            raise RefusedError(
                "secret",
                f"{field.label} of {name} is a secret: never type it in a command, where others can read it. "
                f"Leave it out to be prompted for it: dayhand connect {name}",
            )
    return {
        field: _parse_value(fields[field].kind if field in fields else None, value) for field, value in given.items()
    }


def _parse_value(kind: FieldKind | None, value: Any) -> Any:
    if kind is FieldKind.FLAG and value in ("true", "false"):
        return value == "true"
    if kind is FieldKind.NUMBER and isinstance(value, str):
        try:
            return float(value) if "." in value else int(value)
        except ValueError:
            return value
    return value
