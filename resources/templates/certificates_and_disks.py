"""Certificates and disks: notify me before a certificate expires or a disk is full."""

# /// dayhand-template
# summary = "a notification before a server certificate expires or a disk is full"
# does = "Shows a notification before a certificate of your servers expires, and when a disk is {FULL} % full."
# also.HOSTS = "Servers: {HOSTS}"
# also.DISKS = "Disks: {DISKS}"
# [ask.HOSTS]
# question = "Servers, such as example.org or example.org:993 (separated by commas; may be empty)"
# kind = "list"
# [ask.DISKS]
# question = "Disks to check: one folder on each, separated by commas"
# kind = "list"
# [ask.FULL]
# question = "Warn when a disk is this full (percent)"
# kind = "number"
# ///
import os
import shutil
import socket
import ssl
from datetime import datetime, timezone
from urllib.parse import urlsplit

import dayhand

HOSTS = []
DISKS = ["/"]
FULL = 90
DAYS = (30, 14, 7, 3, 1)
"""Notify this many days before a certificate expires."""
AUTHORITY = None
"""A file with the certificate of your own certificate authority."""

flow = dayhand.Workflow("Certificates and disks", connections=["notify:me"])
problems = flow.topic("problems")


@flow.producer(every="6h", needs="network", publishes=[problems])
def check(ctx, state):
    """The id includes the problem: each is reported once, and again when it gets worse."""
    for places, check_place in ((HOSTS, check_certificate), (DISKS, check_disk)):
        for place in places:
            found = check_place(place, ctx.now)
            if found:
                ctx.publish(problems, id=f"{place} {found[0]}", title=found[1])


@flow.consumer(subscribe=[problems], approve="never")
class Notify:
    def prepare(self, ctx, state):
        batch = ctx.peek(problems, limit=100)
        if not batch:
            return dayhand.nothing()
        said = "1 problem" if len(batch) == 1 else f"{len(batch)} problems"
        return dayhand.prepared(
            reserve=batch, data="\n".join(event.title for event in batch), say=f"Notify you of {said}"
        )

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="Certificates and disks", text=prepared.data)

    def next(self, ctx, prepared, result, state):
        ctx.done(prepared.data.replace("\n", "; "))


def check_certificate(place, now):
    """None if it is fine; otherwise an id of the problem and a sentence about it."""
    context = ssl.create_default_context(cafile=AUTHORITY)
    try:
        server = urlsplit(place if "//" in place else f"//{place}")
        plain = socket.create_connection((server.hostname, server.port or 443), timeout=20)
        with context.wrap_socket(plain, server_hostname=server.hostname) as wrapped:
            certificate = wrapped.getpeercert() or {}
            ends = ssl.cert_time_to_seconds(str(certificate["notAfter"]))
    except ssl.SSLCertVerificationError as error:
        return f"bad {now:%Y-%m-%d}", f"The certificate of {place} is not valid: {error.verify_message}"
    except (OSError, ValueError) as error:
        return f"away {now:%Y-%m-%d}", f"{place} cannot be reached: {getattr(error, 'strerror', None) or error}"
    left = (datetime.fromtimestamp(ends, timezone.utc) - now).days
    passed = [days for days in DAYS if left <= days]
    when = "tomorrow" if left == 1 else f"in {left} days" if left else "today"
    return (f"{ends} {min(passed)}", f"The certificate of {place} expires {when}") if passed else None


def check_disk(place, now):
    """The same for a disk."""
    try:
        usage = shutil.disk_usage(os.path.expanduser(place))
    except OSError as error:
        return f"away {now:%Y-%m-%d}", f"{place} cannot be checked: {error.strerror}"
    percent = round(100 * usage.used / usage.total)
    free = usage.free // 10**9
    return (f"{percent} {now:%Y-%m}", f"{place} is {percent} % full, {free} GB free") if percent >= FULL else None
