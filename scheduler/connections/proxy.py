"""Connecting through the system's HTTP proxy (http_proxy, https_proxy, no_proxy)."""

import base64
import socket
from collections.abc import Callable
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from scheduler.connections.errors import logic_failure
from scheduler.connections.host_names import is_local_name
from scheduler.connections.http_errors import unreachable
from scheduler.user_text import UserText

_MAX_HEADER_BYTES = 16 * 1024


def proxy_for(url: Url, port: int) -> Url | None:
    """The proxy for an address, if any; never for this computer itself."""
    given = getproxies().get(url.scheme or "")
    if not given or is_local_name(url.host or "") or proxy_bypass(f"{url.host}:{port}"):
        return None
    try:
        proxy = parse_url(given if "://" in given else f"http://{given}")
    except LocationParseError:  # its text quotes the address with the password
        raise logic_failure(UserText("The proxy address in this computer's settings is not valid.")) from None
    if proxy.scheme != "http" or not proxy.host:
        raise logic_failure(
            UserText("Only http:// proxies are supported. Check https_proxy in this computer's settings.")
        )
    return proxy._replace(port=proxy.port or 80)


def proxy_auth_headers(proxy: Url) -> dict[str, str]:
    """The header with the user and password from the proxy's address."""
    if not proxy.auth:
        return {}
    user, _, password = proxy.auth.partition(":")
    credentials = f"{unquote(user)}:{unquote(password)}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(credentials).decode()}"}


def open_tunnel(inner: socket.socket, url: Url, port: int, proxy: Url, left: Callable[[], float]) -> None:
    """Open a tunnel to the server; `left` returns how many seconds are left."""
    name = f"{url.host}:{port}"
    login = "".join(f"{header}: {value}\r\n" for header, value in proxy_auth_headers(proxy).items())
    received = b""
    try:
        inner.settimeout(left())
        inner.sendall(f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n{login}\r\n".encode())
        while not received.endswith(b"\r\n\r\n"):
            inner.settimeout(left())
            byte = inner.recv(1)  # bytes after the headers belong to the server
            if not byte or len(received) > _MAX_HEADER_BYTES:
                raise unreachable(UserText("The proxy {host} did not answer like a proxy.", host=proxy.host))
            received += byte
    except OSError as error:
        raise unreachable(
            UserText("The proxy {host} could not connect to {target}.", host=proxy.host, target=url.host)
        ) from error
    status = received.partition(b"\r\n")[0].split(b" ")[1:2]
    if status != [b"200"]:
        code = status[0][:3].decode(errors="replace") if status else UserText("no status")
        raise unreachable(
            UserText(
                "The proxy {host} could not connect to {target} ({code}).", host=proxy.host, target=url.host, code=code
            )
        )
