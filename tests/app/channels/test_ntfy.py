"""Questions on the phone through a real ntfy server. The test plays the phone, and the attacker."""

from tests.app.app_fixture import table_lines
from tests.app.channels.channel_fixture import CHANNEL, Desk


def test_an_approval_from_the_phone_adds_the_rows_once(desk: Desk) -> None:
    desk.connect()
    desk.create_code()
    asked = desk.question()
    assert "expenses" in asked["message"]
    desk.phone.press(asked, "Approve")
    confirm = desk.wait_for(lambda one: "authenticator" in one["message"])
    assert confirm["title"].startswith("Approve: ")
    assert table_lines(desk.session) == []
    request = desk.request()
    desk.phone.write(desk.show_code())
    desk.wait_until_written()
    answered = desk.session.queries.request(request.id)
    assert (answered.answer, answered.answered_from) == ("yes", CHANNEL)
    desk.wait_for(lambda one: one["message"] == "Approved.")
    assert not desk.view()["locked"]
