"""Sort folder: sort what lands in a folder by kind, and keep a second copy of everything."""

# /// dayhand-template
# summary = "files that land in a folder are sorted by kind, and copied to a second place every night"
# [ask.FOLDER]
# question = "Which folder is to be sorted?"
# kind = "folder"
# required = true
# [ask.BACKUP]
# question = "Where is the second copy to be?"
# kind = "folder"
# required = true
# [ask.AT]
# question = "When is it to be copied?"
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
    "Sound and film": ".mp3 .flac .ogg .wav .mp4 .mkv .mov",
}
UNFINISHED = (".part", ".crdownload", ".tmp")
SETTLED = 60
"""Seconds that a file must have been left alone: a download may still be going on."""

flow = dayhand.Workflow("Sort folder", connections=["files:inbox"])
found = flow.topic("found")


@flow.producer(every="2m", publishes=[found])
def look(ctx, state):
    """Only what lies in the folder itself; what is in folders below is sorted already."""
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
        settled = [event for event in batch if event not in gone and is_settled(there[event.data["path"]], ctx.now)]
        if not settled:
            if gone:
                return dayhand.prepared(reserve=gone, data=None, say="Nothing to move", wake_at=wake(batch, gone, ctx))
            return dayhand.nothing(wake_at=wake(batch, gone, ctx))
        path = settled[0].data["path"]
        target = free_name(f"{kind_of(path)}/{path}", there)
        return dayhand.prepared(
            reserve=[settled[0], *gone],
            data={"source": path, "target": target},
            say=f"Move {path} to {target}",
            wake_at=wake(batch, [settled[0], *gone], ctx),
        )

    def mutate(self, ctx, prepared):
        """Never replaces anything."""
        if prepared.data is not None:
            ctx.call("files:inbox", "move", source=prepared.data["source"], target=prepared.data["target"])

    def next(self, ctx, prepared, result, state):
        if prepared.data is not None:
            state["moved"] = state.get("moved", 0) + 1
            ctx.done(f"Moved {prepared.data['source']} to {prepared.data['target']}")
        return state


@flow.job(calendar={"hour": int(AT[:2]), "minute": int(AT[3:])}, catchup="one", after_crash="again")
def back_up(ctx):
    """Copying again what was copied changes nothing, so after a crash it just runs again."""
    ctx.run(["mkdir", "-p", BACKUP])
    ctx.run(["cp", "-a", "-u", os.path.join(FOLDER, "."), BACKUP])
    ctx.done(f"Copied what is new to {BACKUP}")


def wake(batch, taken, ctx):
    """Look again soon if something is left; otherwise a new file will say so."""
    return ctx.now if len(batch) > len(taken) else None


def is_settled(file, now):
    changed = datetime.fromisoformat(file["modified"].replace("Z", "+00:00"))
    return (now - changed).total_seconds() >= SETTLED


def kind_of(path):
    ending = os.path.splitext(path)[1].lower()
    return next((kind for kind, endings in KINDS.items() if ending and ending in endings.split()), "Other")


def free_name(path, taken):
    """`a.pdf`, or `a 2.pdf` if that is there already."""
    stem, ending = os.path.splitext(path)
    number = 1
    while path in taken:
        number += 1
        path = f"{stem} {number}{ending}"
    return path
