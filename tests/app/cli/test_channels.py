"""`dayhand channels`: the list, the rules, the key of the authenticator app, and who may change them."""

from app.session import Session
from scheduler.connections.registry import builtin_registry
from scheduler.engine.api.dispatcher import SCRIPT_VERBS
from scheduler.rules.one_time_codes import parse_key
from tests.app.cli.live_cli import CommandLine
from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService

NTFY = ("connect", "ntfy:me", "--topic", "dayhand-x", "--no-test")
MAIL = ("connect", "smtp:work", "--host", "localhost", "--from", "me@example.org", "--no-test")


def test_without_a_channel_it_says_how_to_get_one(cli: CommandLine, app: Session) -> None:
    assert "There are no channels. Connect your phone: dayhand connect" in cli.run_text("channels")
    code, _, error = cli.run("channels", "ntfy:me")
    assert (code, "Connect it first" in error) == (2, True)
    assert cli.run_refused("channels", "ntfy:me", "--on")[0] == "channel"


def test_channels_are_listed_and_their_rules_changed(cli: CommandLine, keyring: SecretService) -> None:
    cli.run_json(*NTFY)
    cli.run_json(*MAIL)
    mail, ntfy = sorted(cli.run_json("channels")["channels"], key=lambda one: str(one["takes_answers"]))
    assert (ntfy["channel"], ntfy["rules"]["is_on"], ntfy["has_code"]) == ("ntfy:me", True, False)
    assert (mail["channel"], mail["rules"]["is_on"], mail["takes_answers"]) == ("smtp:work", False, False)
    assert "on, cannot approve" in cli.run_text("channels")
    said = cli.run_text("channels", "ntfy:me", "--timing", "always", "--quiet", "21:00-06:30", "--topics", "questions")
    assert {"timing always", "quiet 21:00-06:30"} <= {" ".join(line.split()) for line in said.splitlines()}
    rules = cli.run_json("channels", "ntfy:me")["rules"]
    assert (rules["timing"], rules["quiet_from"], rules["topics"]) == ("always", "21:00", ["questions"])
    cli.run_json("channels", "ntfy:me", "--quiet", "off", "--off")
    rules = cli.run_json("channels", "ntfy:me")["rules"]
    assert (rules["is_on"], rules["is_quiet"], rules["quiet_from"]) == (False, False, "21:00")


def test_bad_values_are_refused_and_change_nothing(cli: CommandLine, keyring: SecretService) -> None:
    cli.run_json(*NTFY)
    cli.run_json(*MAIL)
    before = cli.run_json("channels")
    assert "from 1 to 60" in cli.run_refused("channels", "ntfy:me", "--hourly", "1000", "--timing", "always")[1]
    assert "--to ADDRESS" in cli.run_refused("channels", "smtp:work", "--on")[1]
    for words in (("--quiet", "late"), ("ntfy:me", "ntfy:you"), ("code", "ntfy:me", "--on"), ("--on",)):
        assert cli.run("channels", *words)[0] == 2
    assert cli.run_json("channels") == before


def test_a_key_for_the_authenticator_app_is_shown_once_and_kept_in_the_keyring(
    cli: CommandLine, keyring: SecretService
) -> None:
    cli.run_json(*NTFY)
    answer = cli.run_json("channels", "code", "ntfy:me")
    assert parse_key(answer["key"]) is not None
    assert answer["key"] in answer["address"]
    assert vault_of(cli.folder).get("ntfy:me")["code_key"] == answer["key"]
    assert answer["key"] not in cli.run_text("channels", "ntfy:me")
    assert answer["key"].encode() not in b"".join(path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())
    assert cli.run_json("channels", "code", "ntfy:me")["key"] != answer["key"]
    cli.run_json(*MAIL)
    assert cli.run_refused("channels", "code", "smtp:work")[0] == "channel"


def test_scripts_may_see_channels_and_change_nothing() -> None:
    assert not {"channel_change", "channel_code", "channel_unlock", "channel_test", "connect"} & SCRIPT_VERBS


def test_scripts_cannot_send_or_read_through_a_channel() -> None:
    """They have `notify:` for that, which never writes in Dayhand's name."""
    registry = builtin_registry(lambda *_: None)
    assert [registry.connector(kind).tools for kind in ("ntfy", "telegram")] == [(), ()]
