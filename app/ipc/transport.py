"""What the control channel needs from the system: a Unix socket, or a named pipe on Windows.

A `Connection` has the methods of a socket that both ends use: settimeout, recv, sendall and close.
"""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    from app.ipc.named_pipe import Connection, Listener, Peer, connect, has_left, stop_reading
else:
    from app.ipc.unix_socket import Connection, Listener, Peer, connect, has_left, stop_reading

__all__ = ["Connection", "Listener", "Peer", "connect", "has_left", "stop_reading"]
