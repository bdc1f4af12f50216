"""Which forms of a secret are removed from answers, and which stay because they may be ordinary data."""

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from scheduler.connections.connector import Connector, Field
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.redaction import HIDDEN, find_secrets, hide_home, list_texts, redact_result, redact_text
from scheduler.connections.registry import Registry
from scheduler.user_text import UserText
from tests.connections.tool_calls import call
from tests.connections.web_servers import ReceivedRequest, Reply, http_server

MAIL = Connector(
    kind="mail",
    title="Mail",
    help="",
    fields=(Field(name="user", label="User"), Field(name="password", label="Password", secret=True)),
    tools=(),
    test=lambda _: "",
)


def hidden(answer: Any, password: str, **settings: str) -> Any:
    return redact_result(answer, MAIL, {"user": "me", "password": password, **settings})


@pytest.mark.parametrize("secret", ["7", "1234", "2024", "monday", "hunter2", "a.b*c"])
@pytest.mark.parametrize(
    "text",
    [
        '{{"password": "{}"}}',
        "user=me&password={}",
        "password={}&user=me",
        "Password: {}",
        "PASSWORD='{}'",
        "api-key: {}",
        "Authorization: Bearer {}",
        "https://me:{}@example.org/path",
        "pin: {}.",
    ],
)
def test_a_short_secret_is_removed_after_a_secret_name(text: str, secret: str) -> None:
    assert hidden(text.format(secret), secret) == text.format(HIDDEN)
    assert hidden([{"body": text.format(secret)}], secret) == [{"body": text.format(HIDDEN)}]


@pytest.mark.parametrize("name", ["password", "Password", "api_key", "Api-Key", "api key", "token", "secret", "PIN"])
def test_a_short_secret_is_removed_under_a_secret_key(name: str) -> None:
    assert hidden({"year": "2024", name: "2024"}, "2024") == {"year": "2024", name: HIDDEN}


def test_the_connector_s_field_and_header_names_count_too() -> None:
    field = Field(name="badge", label="Badge", secret=True)
    gate = Connector(kind="gate", title="Gate", help="", fields=(field,), tools=(), test=lambda _: "")
    assert redact_result({"Badge": "77", "floor": "77"}, gate, {"badge": "77"}) == {"Badge": HIDDEN, "floor": "77"}
    settings = {"base_url": "x", "header": "X-Gate", "secret": "77"}
    assert redact_result({"x-gate": "77", "n": "77"}, http, settings) == {"x-gate": HIDDEN, "n": "77"}


@pytest.mark.parametrize(
    "text",
    [
        "In 2024 it was 2024 €",
        "2024",
        "password: 20245",
        "the password of 2024",
        "12024",
        "Bearer 2024x",
        "http://example.org:2024/path",
    ],
)
def test_possible_ordinary_data_stays(text: str) -> None:
    """2024 may be a year or a port, and words may be just words."""
    assert hidden(text, "2024") == text
    assert hidden(text.replace("2024", "monday"), "monday") == text.replace("2024", "monday")


def test_a_mixed_secret_is_removed_wherever_it_stands_alone() -> None:
    assert hidden("You said hunter2, me", "hunter2") == f"You said {HIDDEN}, me"
    assert hidden({"hunter2": ["hunter2"]}, "hunter2") == {HIDDEN: [HIDDEN]}
    assert hidden("hunter22 xhunter2", "hunter2") == "hunter22 xhunter2"
    assert hidden("sheet A4 of 12ab", "A4") == "sheet A4 of 12ab"


@pytest.mark.parametrize("secret", ["2024", "a long password"])
@pytest.mark.parametrize("form", ["me:{}", "\0me\0{}", "me\0{}"])
def test_logins_in_base64_are_removed_at_any_length(secret: str, form: str) -> None:
    login = base64.b64encode(form.format(secret).encode()).decode()
    assert hidden({"headers": {"X": f"Basic {login}"}}, secret) == {"headers": {"X": f"Basic {HIDDEN}"}}


@pytest.mark.parametrize("value", [None, True, 2024, 1.5, [], {}, {"password": 2024}, {"password": None}])
def test_values_other_than_text_stay(value: Any) -> None:
    assert hidden(value, "2024") == value


def test_answers_without_secrets_are_not_searched() -> None:
    answer = [object()]
    assert redact_result(answer, MAIL, {"user": "me", "password": None}) is answer


def test_a_long_text_full_of_partial_matches_is_searched_quickly() -> None:
    """Ten megabytes: patterns that backtrack would never end."""
    text = "password password=====:::: '\"" * 350_000
    assert hidden(text + "password=1234", "1234").endswith(f"password={HIDDEN}")


def test_a_server_that_echoes_the_login_does_not_leak_it_to_the_script() -> None:
    def repeat(request: ReceivedRequest) -> Reply:
        body = json.dumps(dict(request.headers)).encode()
        return Reply(body=body, headers={"Content-Type": "application/json"})

    tool = Registry([http]).tool("http:api", "get")
    with http_server(repeat) as server:
        for login in ({"auth": "basic", "user": "me"}, {"auth": "bearer"}, {"auth": "header", "header": "X-Key"}):
            tool_call = call({"base_url": server.url, "secret": "qzx", **login}, path="x")
            answer = json.dumps(tool.run(tool_call), ensure_ascii=False)
            assert HIDDEN in answer
            assert "qzx" not in answer and base64.b64encode(b"me:qzx").decode() not in answer


LONG = "hunter2 & söhne/%"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"headers": [{"Auth": f"Bearer {LONG}"}]}, {"headers": [{"Auth": "Bearer •••"}]}),
        (f"https://me:{quote(LONG, '')}@x", "https://me:•••@x"),
        ({LONG: 1}, {"•••": 1}),
        ({"rows": [1, None, True, "hunter"]}, {"rows": [1, None, True, "hunter"]}),
    ],
)
def test_a_long_secret_is_removed_everywhere(answer: Any, expected: Any) -> None:
    assert hidden(answer, LONG) == expected


def test_all_settings_except_plain_fields_count_as_secret() -> None:
    settings = {"user": "me", "password": "pw", "tokens": {"access": "a", "until": [7, None, ""]}, "renewed": True}
    assert sorted(find_secrets(MAIL, settings)) == ["7", "a", "pw"]


def test_the_values_of_settings_are_found_at_any_depth() -> None:
    found = set(list_texts({"path": "/a", "port": 993, "tls": True, "more": [{"x": "y"}, None]}))
    assert found == {"/a", "993", "y"}


@pytest.mark.parametrize(("home", "shown"), [("/home/anna", "In ~/notes"), ("/", "In /home/anna/notes")])
def test_the_home_folder_is_abbreviated_unless_it_is_the_root(home: str, shown: str) -> None:
    assert hide_home("In /home/anna/notes", Path(home)) == shown


def test_a_short_secret_inside_a_word_is_a_coincidence() -> None:
    """A password "x" does not turn nosuch.example into a riddle."""
    assert redact_text("nosuch.example said x: ax, x.", {"x"}) == "nosuch.example said •••: ax, •••."
    assert redact_text("https://me:abc@host/abcd", {"abc"}) == "https://me:•••@host/abcd"


def test_our_own_words_are_not_taken_for_a_short_secret() -> None:
    text = UserText("{host} is not reachable.", host="is.example is")
    assert redact_text(text, {"is"}) == "•••.example ••• is not reachable."
