"""The databases that are measured on: so many users, each with twelve favorites of their own, and one with all ninety."""
import json
import os
import shutil
import sqlite3
import subprocess
import zlib

from suite import machine

FUNCTIONS = ["function-%02d" % number for number in range(90)]
# One with the longest list, which nobody moves: what GETs ask for.
READER = "reader"


def user(number):
    return "bench-%07d" % number


def catalog(edition=0):
    """Ninety functions in nine sections, with titles in three languages."""
    def titled(text):
        return {"en": text, "de": "Die " + text, "zh-Hans": "功能 " + text}
    return {
        "policy": {"minimum": 1, "limit": 90}, "defaults": FUNCTIONS[:12],
        "sections": [{"id": "section-%d" % number, "title": titled("Section %d, edition %d" % (number, edition)),
                      "functions": FUNCTIONS[number * 10:number * 10 + 10]} for number in range(9)],
        "functions": [{"id": name, "title": titled("Function %s" % name[-2:]), "icon": "/icons/%s.svg" % name,
                       "link": "app://" + name} for name in FUNCTIONS]}


def catalog_file():
    path = os.path.join(machine.WORK, "catalog.json")
    os.makedirs(machine.WORK, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(catalog(), file)
    return path


def pegboard(*arguments, program=machine.PEGBOARD, **options):
    return subprocess.run([program, *arguments], env=machine.environment(), check=True, **options)


def original(users):
    """The path of a database with so many users; made once, and copied for each use."""
    path = os.path.join(machine.WORK, "databases", "%d-%08x.db" % (users, _makers()))
    if os.path.exists(path):
        return path
    print("making a database of %d users" % users, flush=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    unfinished = path + ".unfinished.db"
    _remove(unfinished)
    fill("sqlite:" + unfinished, users)
    with sqlite3.connect(unfinished) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    os.rename(unfinished, path)
    _remove(unfinished)
    return path


def _makers():
    """A checksum of what decides on a database's content: another schema or other lists make another one."""
    migrations = os.path.join(machine.ROOT, "Migrations", "SQLite")
    checksum = 0
    for path in [os.path.abspath(__file__), *(os.path.join(migrations, name) for name in sorted(os.listdir(migrations)))]:
        with open(path, "rb") as file:
            checksum = zlib.crc32(file.read(), checksum)
    return checksum


def fill(database, users, program=machine.PEGBOARD):
    """Schema, catalog and so many users, where there was nothing."""
    for command in (("migrate",), ("catalog", "publish", catalog_file())):
        pegboard(*command, "--database", database, program=program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process = subprocess.Popen([program, "layouts", "import", "-", "--database", database], env=machine.environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def line(name, favorites):
        return json.dumps({"userId": name, "customized": True, "locked": False, "favorites": favorites}) + "\n"

    with process.stdin as lines:
        lines.write(line(READER, FUNCTIONS).encode())
        for number in range(users):
            first = number % 70
            # 01 and 02 are in every list: they are what is moved.
            rest = FUNCTIONS[3 + first:13 + first]
            lines.write(line(user(number), FUNCTIONS[1:3] + rest).encode())
    if process.wait():
        raise RuntimeError("pegboard layouts import ended with %d" % process.returncode)


def copy(users, name):
    """A copy of one's own, without a past."""
    path = os.path.join(machine.WORK, "databases", name + ".db")
    _remove(path)
    shutil.copyfile(original(users), path)
    return path


def sum_of_versions(path):
    with sqlite3.connect(path) as connection:
        total = connection.execute("SELECT sum(version) FROM layouts").fetchone()[0]
    connection.close()
    return total


def bytes_a_user(users):
    """Of the file without history, as VACUUM leaves it: (bytes in all) / users."""
    path = copy(users, "sizes")
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM revisions")
    connection.commit()
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    size = os.path.getsize(path)
    _remove(path)
    return size / users


def _remove(path):
    for name in (path, path + "-wal", path + "-shm", path + ".lock"):
        if os.path.exists(name):
            os.remove(name)
