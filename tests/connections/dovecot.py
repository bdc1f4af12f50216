"""A real local IMAP server with its own users, passwords and folders. Dovecot must be installed."""

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import trustme

PATIENCE = 60
_SETTINGS = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_cache_size = 0
first_valid_uid = 1
mail_location = maildir:~/Maildir
mail_fsync = never
ssl = yes
ssl_cert = <{folder}/certificate.pem
ssl_key = <{folder}/key.pem
shutdown_clients = yes
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={mail_uid} gid={mail_gid} home={folder}/home/%u
}}
service imap-login {{
  {no_chroot}
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {tls}
    ssl = yes
  }}
}}
service anvil {{
  {no_chroot}
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  {no_chroot}
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Sent {{
    special_use = \\Sent
    auto = create
  }}
}}
{more}
"""


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Dovecot:
    """Each user has a password and a Maildir that tests may fill while the server runs."""

    def __init__(self, folder: Path, authority: trustme.CA, more: str = "") -> None:
        self.folder = folder
        self.port, self.tls_port = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._passwords: dict[str, str] = {}
        self._owner = self._choose_owner()
        certificate = authority.issue_cert("localhost")
        certificate.private_key_pem.write_to_path(folder / "key.pem")
        certificate.cert_chain_pems[0].write_to_path(folder / "certificate.pem")
        for name in ("run", "state", "home"):
            (folder / name).mkdir(mode=0o755)
        os.chown(folder / "home", self._owner.pw_uid, self._owner.pw_gid)
        self._write_settings(more)

    @staticmethod
    def _choose_owner() -> pwd.struct_passwd:
        """The owner of the mail, which must not be root."""
        return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())

    def _write_settings(self, more: str) -> None:
        is_root = os.geteuid() == 0
        name = self._owner.pw_name
        text = _SETTINGS.format(
            folder=self.folder,
            internal="dovecot" if is_root else name,
            internal_group="dovecot" if is_root else _group_of(self._owner),
            login="dovenull" if is_root else name,
            mail_uid=self._owner.pw_uid,
            mail_gid=self._owner.pw_gid,
            no_chroot="chroot =",
            plain=self.port,
            tls=self.tls_port,
            more=more,
        )
        (self.folder / "dovecot.conf").write_text(text)

    def set_password(self, user: str, password: str) -> None:
        """A running server notices within a second or two; wait for that."""
        self._passwords[user] = password
        lines = [f"{user}:{{PLAIN}}{password}\n" for user, password in self._passwords.items()]
        part = self.folder / "users.part"
        part.write_text("".join(lines))
        part.chmod(0o644)
        part.replace(self.folder / "users")
        deadline = time.monotonic() + PATIENCE
        while self._process is not None and not self._accepts(user, password):
            assert time.monotonic() < deadline, f"the new password is never accepted: {self.log()}"
            time.sleep(0.05)

    def _accepts(self, user: str, password: str) -> bool:
        """Without the code under test."""
        with closing(socket.create_connection(("127.0.0.1", self.port), PATIENCE)) as one, one.makefile("rb") as lines:
            one.sendall(f'a LOGIN "{user}" "{password}"\r\n'.encode())
            return next(line for line in lines if line.startswith(b"a ")).startswith(b"a OK")

    def start(self) -> None:
        command = [shutil.which("dovecot") or "/usr/sbin/dovecot", "-F", "-c", str(self.folder / "dovecot.conf")]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < deadline, f"the server does not start: {self.log()}"
            time.sleep(0.02)

    def stop(self) -> None:
        """Also closes all connections."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(PATIENCE)
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    def settings(self, user: str, **changed: Any) -> dict[str, Any]:
        """Settings of an unencrypted connection."""
        settings = {"host": "127.0.0.1", "port": self.port, "security": "none", "user": user}
        return {**settings, "password": self._passwords[user], **changed}

    def maildir(self, user: str, folder: str = "") -> Path:
        """The directory of a folder, created if missing. The name is as on disk."""
        top = self.folder / "home" / user / "Maildir"
        place = top / f".{folder}" if folder else top
        for one in (self.folder / "home" / user, top, place, *(place / name for name in ("cur", "new", "tmp"))):
            if not one.exists():
                one.mkdir(mode=0o700)
                os.chown(one, self._owner.pw_uid, self._owner.pw_gid)
        return place

    def deliver(self, user: str, message: bytes, name: str, folder: str = "") -> None:
        place = self.maildir(user, folder)
        part = place / "tmp" / name
        part.write_bytes(message)
        os.chown(part, self._owner.pw_uid, self._owner.pw_gid)
        part.rename(place / "new" / name)

    def messages(self, user: str, folder: str = "") -> list[bytes]:
        place = self.maildir(user, folder)
        return [path.read_bytes() for name in ("new", "cur") for path in sorted((place / name).iterdir())]

    def _answers(self) -> bool:
        try:
            with closing(socket.create_connection(("127.0.0.1", self.port), PATIENCE)) as one:
                return one.recv(10).startswith(b"* OK")
        except OSError:
            return False


def _group_of(owner: pwd.struct_passwd) -> str:
    return grp.getgrgid(owner.pw_gid).gr_name


def _quick_place() -> str | None:
    """In memory if possible: the tests create tens of thousands of small files."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None


@contextmanager
def running_dovecot(authority: trustme.CA, more: str = "", **passwords: str) -> Iterator[Dovecot]:
    """Runs in a folder that the server's users may enter."""
    with tempfile.TemporaryDirectory(prefix="dovecot", dir=_quick_place(), ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        dovecot = Dovecot(folder, authority, more)
        for user, password in passwords.items():
            dovecot.set_password(user, password)
        dovecot.start()
        try:
            yield dovecot
        finally:
            dovecot.stop()
