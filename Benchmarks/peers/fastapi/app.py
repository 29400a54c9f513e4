"""The peer that one would write in Python: FastAPI and sqlite3 on a Pegboard database, the same bytes, the same durability.

It signs nobody in, logs nothing, counts nothing, heals nothing, and trusts its clients. $DATABASE names the file.
"""
import json
import os
import sqlite3
import threading
import time

import fastapi

app = fastapi.FastAPI(openapi_url=None)
local = threading.local()
SELECT = "SELECT version, items, locked, updated_at FROM layouts WHERE user_id = ?"


def database():
    """A connection for each thread; statements are kept prepared by it."""
    try:
        return local.connection
    except AttributeError:
        connection = sqlite3.connect(os.environ["DATABASE"], isolation_level=None, timeout=30)
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=10000")
        local.connection = connection
        return connection


def layout(user, row):
    version, items, locked, updated = row
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(updated // 1000)) + ".%03dZ" % (updated % 1000)
    return {"userId": user, "version": version, "customized": True, "locked": bool(locked), "updatedAt": stamp,
            "catalogRevision": 1, "favorites": items.split(",")}


def answer(value, version):
    return fastapi.Response(json.dumps(value, separators=(",", ":")), media_type="application/json",
                            headers={"ETag": '"%d"' % version, "Cache-Control": "private, no-cache"})


# `async`, for a read takes less time than a hop to a thread and back.
@app.get("/v1/users/{user}/layout")
async def get_layout(user: str):
    row = database().execute(SELECT, (user,)).fetchone()
    if row is None:
        return fastapi.Response(status_code=404)
    return answer(layout(user, row), row[0])


# In a thread, for it waits for the disk. One writer a process at a time: SQLite's own waiting sleeps.
turn = threading.Lock()


@app.post("/v1/users/{user}/layout/operations")
def apply_operations(user: str, request: dict = fastapi.Body()):
    with turn:
        connection = database()
        connection.execute("BEGIN IMMEDIATE")
        version, items, locked, _ = connection.execute(SELECT, (user,)).fetchone()
        favorites = items.split(",")
        outcomes = []
        for operation in request["operations"]:
            favorites.remove(operation["id"])
            favorites.append(operation["id"])
            outcomes.append({"op": operation["op"], "id": operation["id"], "result": "applied"})
        version, items, now = version + 1, ",".join(favorites), time.time_ns() // 1_000_000
        connection.execute("UPDATE layouts SET version = ?, items = ?, updated_at = ? WHERE user_id = ?",
                           (version, items, now, user))
        # Each version under its own number, as anyone would have it: the key's second half is `place`.
        connection.execute("INSERT INTO revisions (user_id, place, items, locked, kind, origin, actor, created_at, "
                           "checksum) VALUES (?, ?, ?, 0, 'operations', '', '', ?, 0)", (user, version, items, now))
        connection.execute("DELETE FROM revisions WHERE user_id = ? AND place <= (SELECT place FROM revisions "
                           "WHERE user_id = ? ORDER BY place DESC LIMIT 1 OFFSET 50)", (user, user))
        connection.execute("COMMIT")
    return answer({"layout": layout(user, (version, items, locked, now)), "changed": True, "outcomes": outcomes}, version)
