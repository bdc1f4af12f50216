"""Google Drive: list files, and upload a file exactly once."""

import hashlib
import json
import re
import secrets
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.content import read_content
from scheduler.connections.connectors.google.api import request_all, send_request
from scheduler.connections.connectors.paging import read_limit
from scheduler.connections.errors import logic_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_MAX_BYTES = 25 * 1024 * 1024
_PROPERTY = "dayhand"
_MAX_NEWEST = 100
_FIELDS = "id,name,mimeType,size,modifiedTime,parents,webViewLink,appProperties"
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,60}", re.ASCII)


def list_files(call: Call) -> list[dict[str, Any]]:
    limit = read_limit(call, 100, 1000)
    conditions = ["trashed = false"]
    if call.parameters.get("folder"):
        conditions.append(f"'{_quoted(call.parameters['folder'])}' in parents")
    if call.parameters.get("query"):
        conditions.append(f"({call.parameters['query']})")
    query = {"q": " and ".join(conditions), "pageSize": limit, "fields": f"nextPageToken,files({_FIELDS})"}
    return [_describe(one) for one in request_all(call, "files", "", "files", query, limit)]


def upload_file(call: Call) -> dict[str, Any]:
    """Upload metadata and content in one request."""
    content = read_content(call)
    if len(content) > _MAX_BYTES:
        raise logic_failure(UserText("The file is too large; the limit is 25 MB."))
    kind = call.parameters.get("type") or ("text/plain" if call.parameters.get("text") is not None else None)
    kind = kind or "application/octet-stream"
    if not _TYPE.fullmatch(kind):
        raise logic_failure(UserText('"type" must be a media type such as application/pdf.'))
    metadata: dict[str, Any] = {
        "name": call.parameters["name"],
        "mimeType": kind,
        "appProperties": {_PROPERTY: _key_digest(call)},
    }
    if call.parameters.get("folder"):
        metadata["parents"] = [call.parameters["folder"]]
    boundary = secrets.token_hex(16)
    body = (
        f"--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{json.dumps(metadata)}\r\n"
        f"--{boundary}\r\nContent-Type: {kind}\r\n\r\n"
    ).encode() + b"%b\r\n--%b--\r\n" % (content, boundary.encode())
    query = {"uploadType": "multipart", "fields": _FIELDS}
    related = f"multipart/related; boundary={boundary}"
    return _describe(send_request(call, "POST", "upload", query=query, body=body, content=related, acts=True))


def check_upload(call: Call) -> Checked:
    """Find the file by its private property, which stays on it wherever it is moved, even to the trash.

    Drive's search index may lag, so the newest files are checked too.
    """
    mark = _key_digest(call)
    marked = {"q": f"appProperties has {{ key='{_PROPERTY}' and value='{mark}' }}"}
    for query, count in ((marked, 10), ({"orderBy": "createdTime desc"}, _MAX_NEWEST)):
        parameters = query | {"pageSize": count, "fields": f"nextPageToken,incompleteSearch,files({_FIELDS})"}
        answer = send_request(call, "GET", "files", query=parameters)
        for one in answer.objects("files"):
            if one.nested("appProperties").get(_PROPERTY) == mark:
                return Checked(happened=True, result=_describe(one.lenient()))
        if answer.get("incompleteSearch"):
            raise ToolFailedError.because(
                FailureClass.TRANSIENT,
                UserText("Google searched only some of the files, so it is unclear whether this file was uploaded."),
            )
    return Checked(happened=False)


def _key_digest(call: Call) -> str:
    return hashlib.sha256(call.key.encode()).hexdigest()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _describe(file: JsonObject) -> dict[str, Any]:
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
