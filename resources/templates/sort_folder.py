"""Sort folder: sort new files in a folder by type, and back them up if I want that."""

# /// dayhand-template
# summary = "sorts new files in a folder by type, after you approve the list"
# does = "Looks for new files in {FOLDER} and moves them to a subfolder for their type, such as Pictures."
# asks = "You approve each list of files before they are moved; no file is ever replaced."
# also.BACKUP = "Copies all files in that folder to {BACKUP_FOLDER}, every day at {AT}."
# [ask.FOLDER]
# question = "Folder to sort"
# kind = "folder"
# required = true
# [ask.BACKUP]
# question = "Also copy all files to a backup folder"
# kind = "flag"
# [ask.BACKUP_FOLDER]
# question = "Backup folder"
# kind = "new folder"
# only_if = "BACKUP"
# [ask.AT]
# question = "Backup time"
# kind = "time"
# only_if = "BACKUP"
# [connect.INBOX]
# path = "FOLDER"
# ///
import os
from datetime import datetime

import dayhand

INBOX = "files:inbox"
FOLDER = "~/Downloads"
BACKUP = False
BACKUP_FOLDER = "~/Backup/Downloads"
AT = "02:30"
KINDS = {
    "Pictures": ".jpg .jpeg .png .gif .webp .heic .svg",
    "Documents": ".pdf .doc .docx .odt .txt .md .rtf",
    "Tables": ".csv .xls .xlsx .ods",
    "Archives": ".zip .tar .gz .xz .7z",
    "Audio and video": ".mp3 .flac .ogg .wav .mp4 .mkv .mov",
}
UNFINISHED = (".part", ".crdownload", ".tmp")
STABLE_SECONDS = 60
"""Seconds without changes before a file is moved: a download may still be running."""
MAX_FILES = 100
"""Files in one approval."""

flow = dayhand.Workflow("Sort folder", connections=[INBOX])
found = flow.topic("found")


@flow.producer(every="2m", publishes=[found])
def check(ctx, state):
    """Only the folder itself; its subfolders are already sorted."""
    for file in ctx.call(INBOX, "list"):
        name = file["name"]
        if file["is_folder"] or name.startswith(".") or name.lower().endswith(UNFINISHED):
            continue
        ctx.publish(found, id=f"{file['path']} {file['modified']}", title=name, data=file)


@flow.consumer(subscribe=[found], approve="always")
class Sort:
    def prepare(self, ctx, state):
        there = {file["path"]: file for file in ctx.call(INBOX, "list", recursive=True)}
        batch = ctx.peek(found, limit=1000)
        gone = [event for event in batch if not is_there(event, there)]
        stable = [event for event in batch if event not in gone and is_stable(event.data, ctx.now)][:MAX_FILES]
        left = len(batch) > len(stable) + len(gone)
        wake = ctx.now if left else None
        if not stable:
            if gone:
                return dayhand.prepared(reserve=gone, data=[], say="Nothing to move", wake_at=wake)
            return dayhand.nothing(wake_at=wake)
        moves, taken = [], set(there)
        for event in stable:
            target = free_name(f"{kind_of(event.title)}/{event.title}", taken)
            taken.add(target)
            moves.append({"source": event.data["path"], "target": target})
        return dayhand.prepared(reserve=[*stable, *gone], data=moves, say=f"Move {count(moves)}", wake_at=wake)

    def mutate(self, ctx, prepared):
        """Moves all of them or none, and never replaces a file."""
        if prepared.data:
            ctx.call(INBOX, "move_many", moves=prepared.data)

    def next(self, ctx, prepared, result, state):
        if not prepared.data:
            return state
        if ctx.outcome == "skipped":
            ctx.done(f"{count(prepared.data)} not moved")
            return state
        state["moved"] = state.get("moved", 0) + len(prepared.data)
        ctx.done(f"Moved {count(prepared.data)}")
        return state


if BACKUP:

    @flow.job(calendar={"hour": int(AT[:2]), "minute": int(AT[3:])}, catchup="one", after_crash="again")
    def back_up(ctx):
        """Copying twice is harmless, so after a crash it runs again."""
        ctx.run(["mkdir", "-p", BACKUP_FOLDER])
        ctx.run(["cp", "-a", "-u", os.path.join(FOLDER, "."), BACKUP_FOLDER])
        ctx.done(f"Copied new files to {BACKUP_FOLDER}")


def is_there(event, there):
    """Whether it is still the file that was found; a changed one has an event of its own."""
    file = there.get(event.data["path"])
    return file is not None and file["modified"] == event.data["modified"]


def is_stable(file, now):
    changed = datetime.fromisoformat(file["modified"].replace("Z", "+00:00"))
    return (now - changed).total_seconds() >= STABLE_SECONDS


def kind_of(name):
    ending = os.path.splitext(name)[1].lower()
    return next((kind for kind, endings in KINDS.items() if ending and ending in endings.split()), "Other")


def free_name(path, taken):
    """`a.pdf`, or `a 2.pdf` if that exists."""
    stem, ending = os.path.splitext(path)
    number = 1
    while path in taken:
        number += 1
        path = f"{stem} {number}{ending}"
    return path


def count(moves):
    return "1 file" if len(moves) == 1 else f"{len(moves)} files"
