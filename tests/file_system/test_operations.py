"""The same promises on every system, with real files."""

import os
from pathlib import Path

import pytest

from scheduler.file_system import OpenFolder, open_no_follow, rename_to_new, swap_files, sync_file, sync_folder


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    place = tmp_path / "text"
    descriptor = open_no_follow(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        os.write(descriptor, b"one\ntwo\n")
    finally:
        os.close(descriptor)
    assert place.read_bytes() == b"one\ntwo\n"
    with pytest.raises(FileExistsError):
        open_no_follow(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def test_bytes_are_added_at_the_end(tmp_path: Path) -> None:
    place = tmp_path / "text"
    place.write_bytes(b"one\n")
    descriptor = open_no_follow(place, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, b"two\n")
        assert os.fstat(descriptor).st_ino == place.stat().st_ino
        os.ftruncate(descriptor, 6)
    finally:
        os.close(descriptor)
    assert place.read_bytes() == b"one\ntw"


def test_an_open_file_can_be_replaced_and_removed_by_others(tmp_path: Path) -> None:
    place, part = tmp_path / "text", tmp_path / "part"
    place.write_bytes(b"old")
    descriptor = open_no_follow(place, os.O_RDONLY)
    try:
        place.rename(part)
        part.unlink()
        assert os.read(descriptor, 9) == b"old"
    finally:
        os.close(descriptor)


def test_what_is_missing_or_a_folder_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_no_follow(tmp_path / "missing", os.O_RDONLY)
    with pytest.raises(IsADirectoryError):
        open_no_follow(tmp_path, os.O_WRONLY)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target, link, folder_link = tmp_path / "target", tmp_path / "link", tmp_path / "folder-link"
    target.write_bytes(b"secret")
    link.symlink_to(target)
    folder_link.symlink_to(tmp_path, target_is_directory=True)
    if not link.is_symlink():
        pytest.skip("Wine makes no links")
    with pytest.raises(OSError, match=r"[Ll]ink"):
        open_no_follow(link, os.O_RDONLY)
    with pytest.raises(OSError, match=r"[Ll]ink|[Dd]irectory"):
        OpenFolder(folder_link)


def test_a_rename_to_a_taken_name_changes_nothing(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    with pytest.raises(FileExistsError):
        rename_to_new(one, other)
    assert (one.read_bytes(), other.read_bytes()) == (b"1", b"2")
    rename_to_new(one, tmp_path / "free")
    assert (tmp_path / "free").read_bytes() == b"1"


def test_files_are_swapped_in_one_step_or_not_at_all(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    swapped = swap_files(one, other)
    assert (one.read_bytes(), other.read_bytes()) == ((b"2", b"1") if swapped else (b"1", b"2"))


def test_files_and_folders_are_synced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    sync_file(tmp_path / "file")
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_file(tmp_path / "missing")


def test_a_path_through_an_open_folder_stays_in_it(tmp_path: Path) -> None:
    """On Windows an open folder cannot be renamed; elsewhere the path follows it."""
    root = OpenFolder(tmp_path)
    root.make("inner")
    root.sync()
    with pytest.raises(FileExistsError):
        root.make("inner")
    inner = root.enter("inner")
    try:
        (tmp_path / "inner").rename(tmp_path / "moved")
    except OSError:
        assert os.name == "nt"
    inner.path_of("file").write_bytes(b"here")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]
    inner.path_of("file").unlink()
    inner.close()
    [left] = tmp_path.iterdir()
    root.remove(left.name)
    root.close()
    assert list(tmp_path.iterdir()) == []
