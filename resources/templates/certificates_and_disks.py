"""Certificates and disks: tell me before a certificate runs out or a disk is full."""

# /// dayhand-template
# summary = "a notice before a certificate of a server runs out, or a disk is full"
# [ask.HOSTS]
# question = "Which servers, such as example.org or example.org:993 (with commas, empty for none)?"
# kind = "list"
# [ask.DISKS]
# question = "Which disks, by a folder on each (with commas)?"
# kind = "list"
# [ask.FULL]
# question = "From how many percent on is a disk too full?"
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
"""How many days before its end a certificate is told about."""
AUTHORITY = None
"""A file with the certificate of an authority of your own."""

flow = dayhand.Workflow("Certificates and disks", connections=["notify:me"])
problems = flow.topic("problems")


@flow.producer(every="6h", needs="network", publishes=[problems])
def look(ctx, state):
    """The id holds what was found, so the same is told once, and worse is told again."""
    for places, look_at in ((HOSTS, look_at_certificate), (DISKS, look_at_disk)):
        for place in places:
            found = look_at(place, ctx.now)
            if found:
                ctx.publish(problems, id=f"{place} {found[0]}", title=found[1])


@flow.consumer(subscribe=[problems], approve="never")
class Tell:
    def prepare(self, ctx, state):
        batch = ctx.peek(problems, limit=100)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(
            reserve=batch, data="\n".join(event.title for event in batch), say=f"Tell you about {len(batch)} problems"
        )

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="Certificates and disks", text=prepared.data)

    def next(self, ctx, prepared, result, state):
        ctx.done(prepared.data.replace("\n", "; "))


def look_at_certificate(place, now):
    """None if all is well; else what tells this trouble from another, and a sentence."""
    context = ssl.create_default_context(cafile=AUTHORITY)
    try:
        server = urlsplit(place if "//" in place else f"//{place}")
        plain = socket.create_connection((server.hostname, server.port or 443), timeout=20)
        with context.wrap_socket(plain, server_hostname=server.hostname) as wrapped:
            ends = ssl.cert_time_to_seconds(wrapped.getpeercert()["notAfter"])
    except ssl.SSLCertVerificationError as error:
        return f"bad {now:%Y-%m-%d}", f"The certificate of {place} does not hold: {error.verify_message}"
    except (OSError, ValueError) as error:
        return f"away {now:%Y-%m-%d}", f"{place} cannot be reached: {getattr(error, 'strerror', None) or error}"
    left = (datetime.fromtimestamp(ends, timezone.utc) - now).days
    passed = [days for days in DAYS if left <= days]
    return (f"{ends} {min(passed)}", f"The certificate of {place} ends in {left} days") if passed else None


def look_at_disk(place, now):
    """The same of a disk."""
    try:
        usage = shutil.disk_usage(os.path.expanduser(place))
    except OSError as error:
        return f"away {now:%Y-%m-%d}", f"{place} cannot be looked at: {error.strerror}"
    percent = round(100 * usage.used / usage.total)
    free = usage.free // 10**9
    return (f"{percent} {now:%Y-%m}", f"{place} is {percent} % full, {free} GB are free") if percent >= FULL else None
