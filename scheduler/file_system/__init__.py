"""File operations that systems do differently: one set of names for Unix and Windows."""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    from scheduler.file_system.windows import (
        OpenFolder,
        copy_permissions,
        open_no_follow,
        rename_to_new,
        swap_files,
        sync_file,
        sync_folder,
        try_lock,
    )
    from scheduler.file_system.windows_names import find_name_mistake
else:
    from scheduler.file_system.posix import (
        OpenFolder,
        copy_permissions,
        find_name_mistake,
        open_no_follow,
        rename_to_new,
        swap_files,
        sync_file,
        sync_folder,
        try_lock,
    )

__all__ = [
    "OpenFolder",
    "copy_permissions",
    "find_name_mistake",
    "open_no_follow",
    "rename_to_new",
    "swap_files",
    "sync_file",
    "sync_folder",
    "try_lock",
]
