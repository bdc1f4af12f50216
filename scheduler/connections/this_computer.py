"""Whether an address leads to this computer, where a server elsewhere has no business to send us."""

import ipaddress
import socket

_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


def is_local_name(host: str) -> bool:
    """By the name or the numbers alone: loopback, unspecified and link-local addresses, and names for them."""
    name = host.strip("[]").rstrip(".").lower()
    return name in _NAMES or name.endswith(".localhost") or _is_local_address(name)


def is_local_connection(connection: socket.socket) -> bool:
    """By where a connection really ended, whatever name it was dialled by; one that broke already is nowhere."""
    try:
        there, here = connection.getpeername()[0], connection.getsockname()[0]
    except OSError:
        return False
    return there == here or _is_local_address(there)


def _is_local_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_link_local or address.is_unspecified
