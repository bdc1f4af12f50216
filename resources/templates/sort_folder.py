"""Sort folder: sort new files in a folder by type, and back everything up."""

# /// dayhand-template
# summary = "sorts new files in a folder by type, and backs them up every night"
# [ask.FOLDER]
# question = "Folder to sort"
# kind = "folder"
# required = true
# [ask.BACKUP]
# question = "Backup folder"
# kind = "folder"
# required = true
# [ask.AT]
# question = "Backup time"
# kind = "time"
# [connect."files:inbox"]
# path = "FOLDER"
# ///
import os
from datetime import datetime

import dayhand

FOLDER = "~/Downloads"
BACKUP = "~/Backup/Downloads"
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

flow = dayhand.Workflow("Sort folder", connections=["files:inbox"])
found = flow.topic("found")


@flow.producer(every="2m", publishes=[found])
def check(ctx, state):
    """Only the folder itself; its subfolders are already sorted."""
    for file in ctx.call("files:inbox", "list"):
        name = file["name"]
        if file["is_folder"] or name.startswith(".") or name.lower().endswith(UNFINISHED):
            continue
        ctx.publish(found, id=f"{file['path']} {file['modified']}", title=name, data=file)


@flow.consumer(subscribe=[found], approve="never")
class Sort:
    def prepare(self, ctx, state):
        there = {file["path"]: file for file in ctx.call("files:inbox", "list", recursive=True)}
        batch = ctx.peek(found, limit=1000)
        gone = [event for event in batch if event.data["path"] not in there]
        stable = [event for event in batch if event not in gone and is_stable(there[event.data["path"]], ctx.now)]
        if not stable:
            if gone:
                return dayhand.prepared(reserve=gone, data=None, say="Nothing to move", wake_at=wake(batch, gone, ctx))
            return dayhand.nothing(wake_at=wake(batch, gone, ctx))
        path = stable[0].data["path"]
        target = free_name(f"{kind_of(path)}/{path}", there)
        return dayhand.prepared(
            reserve=[stable[0], *gone],
            data={"source": path, "target": target},
            say=f"Move {path} to {target}",
            wake_at=wake(batch, [stable[0], *gone], ctx),
        )

    def mutate(self, ctx, prepared):
        """Never overwrites anything."""
        if prepared.data is not None:
            ctx.call("files:inbox", "move", source=prepared.data["source"], target=prepared.data["target"])

    def next(self, ctx, prepared, result, state):
        if prepared.data is not None:
            state["moved"] = state.get("moved", 0) + 1
            ctx.done(f"Moved {prepared.data['source']} to {prepared.data['target']}")
        return state


@flow.job(calendar={"hour": int(AT[:2]), "minute": int(AT[3:])}, catchup="one", after_crash="again")
def back_up(ctx):
    """Copying twice is harmless, so after a crash it runs again."""
    ctx.run(["mkdir", "-p", BACKUP])
    ctx.run(["cp", "-a", "-u", os.path.join(FOLDER, "."), BACKUP])
    ctx.done(f"Copied new files to {BACKUP}")


def wake(batch, taken, ctx):
    """Run again soon if something is left; otherwise the next new file starts a run."""
    return ctx.now if len(batch) > len(taken) else None


def is_stable(file, now):
    changed = datetime.fromisoformat(file["modified"].replace("Z", "+00:00"))
    return (now - changed).total_seconds() >= STABLE_SECONDS


def kind_of(path):
    ending = os.path.splitext(path)[1].lower()
    return next((kind for kind, endings in KINDS.items() if ending and ending in endings.split()), "Other")


def free_name(path, taken):
    """`a.pdf`, or `a 2.pdf` if that exists."""
    stem, ending = os.path.splitext(path)
    number = 1
    while path in taken:
        number += 1
        path = f"{stem} {number}{ending}"
    return path
