"""The way through a proxy, where this computer is told to take one (http_proxy, https_proxy and no_proxy)."""

import base64
import socket
from collections.abc import Callable
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from scheduler.connections.mistakes import wrong
from scheduler.connections.this_computer import is_local_name
from scheduler.connections.web_errors import not_reached

_MOST_HEADERS = 16 * 1024


def proxy_for(url: Url, port: int) -> Url | None:
    """The proxy to ask; this computer itself is always asked directly."""
    given = getproxies().get(url.scheme or "")
    if not given or is_local_name(url.host or "") or proxy_bypass(f"{url.host}:{port}"):
        return None
    try:
        proxy = parse_url(given if "://" in given else f"http://{given}")
    except LocationParseError:  # it quotes the address, and with it the password
        raise wrong("The address of the proxy in the settings of this computer cannot be read.") from None
    if proxy.scheme != "http" or not proxy.host:
        raise wrong("Only proxies with http are used. Look at https_proxy in the settings of this computer.")
    return proxy._replace(port=proxy.port or 80)


def proxy_login(proxy: Url) -> dict[str, str]:
    """The header for a user and password in the address of the proxy."""
    if not proxy.auth:
        return {}
    user, _, password = proxy.auth.partition(":")
    known = f"{unquote(user)}:{unquote(password)}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(known).decode()}"}


def open_tunnel(inner: socket.socket, url: Url, port: int, proxy: Url, left: Callable[[], float]) -> None:
    """Let the proxy pass everything on to the server; `left` says how many seconds that may take."""
    name = f"{url.host}:{port}"
    login = "".join(f"{header}: {value}\r\n" for header, value in proxy_login(proxy).items())
    heard = b""
    try:
        inner.settimeout(left())
        inner.sendall(f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n{login}\r\n".encode())
        while not heard.endswith(b"\r\n\r\n"):
            inner.settimeout(left())
            letter = inner.recv(1)  # what follows the headers belongs to the server
            if not letter or len(heard) > _MOST_HEADERS:
                raise not_reached(f"The proxy {proxy.host} did not answer as a proxy does.")
            heard += letter
    except OSError as error:
        raise not_reached(f"The proxy {proxy.host} did not connect us to {url.host}.") from error
    status = heard.partition(b"\r\n")[0].split(b" ")[1:2]
    if status != [b"200"]:
        code = status[0][:3].decode(errors="replace") if status else "no status"
        raise not_reached(f"The proxy {proxy.host} did not connect us to {url.host} ({code}).")
