"""Files at Google: what is there, and a file that is put there once."""

import hashlib
import json
import re
import secrets
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.content import content_of
from scheduler.connections.connectors.google.web import ask, ask_all
from scheduler.connections.connectors.paging import limit_of
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.rules.failures import FailureClass

_LARGEST = 25 * 1024 * 1024
_MARK = "dayhand"
_NEWEST = 100
_FIELDS = "id,name,mimeType,size,modifiedTime,parents,webViewLink,appProperties"
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,60}", re.ASCII)


def files(call: Call) -> list[dict[str, Any]]:
    limit = limit_of(call, 100, 1000)
    wanted = ["trashed = false"]
    if call.parameters.get("folder"):
        wanted.append(f"'{_quoted(call.parameters['folder'])}' in parents")
    if call.parameters.get("query"):
        wanted.append(f"({call.parameters['query']})")
    query = {"q": " and ".join(wanted), "pageSize": limit, "fields": f"nextPageToken,files({_FIELDS})"}
    return [_told(one) for one in ask_all(call, "files", "", "files", query, limit)]


def upload(call: Call) -> dict[str, Any]:
    """What it is and what is in it, in one request."""
    content = content_of(call)
    if len(content) > _LARGEST:
        raise wrong("The file is larger than 25 MB, the most that is uploaded.")
    kind = call.parameters.get("type") or ("text/plain" if call.parameters.get("text") is not None else None)
    kind = kind or "application/octet-stream"
    if not _TYPE.fullmatch(kind):
        raise wrong('"type" is one such as application/pdf.')
    about: dict[str, Any] = {"name": call.parameters["name"], "mimeType": kind, "appProperties": {_MARK: _mark(call)}}
    if call.parameters.get("folder"):
        about["parents"] = [call.parameters["folder"]]
    border = secrets.token_hex(16)
    body = (
        f"--{border}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{json.dumps(about)}\r\n"
        f"--{border}\r\nContent-Type: {kind}\r\n\r\n"
    ).encode() + b"%b\r\n--%b--\r\n" % (content, border.encode())
    query = {"uploadType": "multipart", "fields": _FIELDS}
    related = f"multipart/related; boundary={border}"
    return _told(ask(call, "POST", "upload", query=query, body=body, content=related, acts=True))


def check_upload(call: Call) -> Checked:
    """By the mark that only we can see; it stays on the file wherever it is moved, even to the trash.

    Drive's search may be behind, so the newest files are looked through as well.
    """
    mark = _mark(call)
    marked = {"q": f"appProperties has {{ key='{_MARK}' and value='{mark}' }}"}
    for query, count in ((marked, 10), ({"orderBy": "createdTime desc"}, _NEWEST)):
        asked = query | {"pageSize": count, "fields": f"nextPageToken,incompleteSearch,files({_FIELDS})"}
        answer = ask(call, "GET", "files", query=asked)
        for one in answer.each("files"):
            if one.inner("appProperties").get(_MARK) == mark:
                return Checked(happened=True, result=_told(one.lenient()))
        if answer.get("incompleteSearch"):
            raise ToolFailedError.because(
                FailureClass.TRANSIENT,
                "Google searched only some of the files, so it is unclear whether this one was uploaded.",
            )
    return Checked(happened=False)


def _mark(call: Call) -> str:
    return hashlib.sha256(call.key.encode()).hexdigest()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _told(file: Told) -> dict[str, Any]:
    size = file.get("size")
    return {
        "id": file.get("id"),
        "name": file.get("name"),
        "type": file.get("mimeType"),
        "size": int(size) if isinstance(size, str) and size.isdecimal() else None,
        "modified": file.get("modifiedTime"),
        "folders": file.texts("parents"),
        "link": file.get("webViewLink"),
    }
