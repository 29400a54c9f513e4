#!/usr/bin/env python3
"""Holds what eight devices wrote down, and what the server has, against what Documentation/sync.md promises. Knows no
server: `check(life)` gives sentences.

    devices_checker.py            shows on made-up lives that it sees each fault, and nothing where there is none
"""
import collections
import json
import sys

DEVICES = ["device-%d" % n for n in range(8)]
# Each device has two functions that it alone adds and removes, and all have eight in common. One is pinned, one stays.
OWN = {device: ["own-%d-%d" % (n, m) for m in range(2)] for n, device in enumerate(DEVICES)}
SHARED = ["shared-%d" % n for n in range(8)]
PINNED = "pinned"
DEFAULTS = [PINNED, "stays"] + SHARED[:5]

# What one life left behind: the devices' lines in order, and what the server says in the end.
Life = collections.namedtuple("Life", "lines version favorites revisions")


def check(life):
    """What is wrong with one life, as a list of sentences."""
    requests, findings = gather(life.lines)
    versions, more = acknowledged(requests)
    findings += more + chain(versions, life) + history(versions, life)
    return findings + at_rest(life) + told(requests, life.lines) + intents(requests, life)


def gather(lines):
    """What was sent and answered, by device and key."""
    requests, findings = collections.OrderedDict(), []
    for line in lines:
        if line["what"] == "sent":
            request = requests.setdefault((line["device"], line.get("key")), {"body": line["body"], "answers": [], "copies": []})
            if request["body"] != line["body"]:
                findings.append("%s sent %s with two bodies" % (line["device"], line["key"]))
        if line["what"] == "answer":
            requests[line["device"], line.get("key")]["answers"].append(line)
        if line["what"] == "copy":
            requests[line["device"], line.get("key")]["copies"].append(line)
    return requests, findings


def late(requests):
    """Copies that were carried out after their request had been refused, by device and key. The service remembers only
    what it carried out: for it they are new requests (Documentation/sync.md, Not guaranteed)."""
    return {name: copy for name, request in requests.items() for copy in request["copies"]
            if copy["status"] == 200 and not copy["isReplay"] and json.loads(copy["body"])["changed"]
            and request["answers"] and not any(answer["status"] == 200 for answer in request["answers"])}


def acknowledged(requests):
    """Which request made which version, and what its answers contradict each other in."""
    versions, findings = {}, []
    for (device, key), copy in late(requests).items():
        answer = json.loads(copy["body"])
        versions[answer["layout"]["version"]] = (
            "%s %s" % (device, key), answer, json.loads(requests[device, key]["body"])["operations"])
    for (device, key), request in requests.items():
        done = [answer for answer in request["answers"] if answer["status"] in (200, 201)]
        refused = [answer for answer in request["answers"] if answer["status"] in (400, 404, 409, 412, 422, 428)
                   and json.loads(answer["body"])["code"] != "idempotency_in_flight"]
        name = "%s %s" % (device, key)
        if len({(answer["status"], answer["body"], answer.get("tag")) for answer in done}) > 1:
            findings.append("%s was acknowledged with %d different answers" % (name, len(done)))
        if any(not answer["isReplay"] for answer in done[1:]):
            findings.append("%s was acknowledged twice, and not from the record" % name)
        if done and refused:
            findings.append("%s was acknowledged and refused" % name)
        if not done and not refused:
            findings.append("%s never got an answer" % name)
        if not done:
            continue
        answer, operations = json.loads(done[0]["body"]), json.loads(request["body"])["operations"]
        if len(answer["outcomes"]) != len(operations):
            findings.append("%s: %d outcomes of %d operations" % (name, len(answer["outcomes"]), len(operations)))
            continue
        if answer["changed"]:
            version = answer["layout"]["version"]
            if version in versions:
                findings.append("version %d was acknowledged to %s and to %s" % (version, versions[version][0], name))
            versions[version] = (name, answer, operations)
    return versions, findings


def chain(versions, life):
    """Each version is its predecessor with exactly the acknowledged operations of one request."""
    findings, before = [], DEFAULTS
    for version in range(1, life.version + 1):
        if version not in versions:
            findings.append("version %d was made by no acknowledged request: a request was carried out twice, or "
                            "without being acknowledged" % version)
            before = None
            continue
        name, answer, operations = versions[version]
        after = answer["layout"]["favorites"]
        if len(set(after)) != len(after):
            findings.append("version %d has an id twice: %s" % (version, after))
        if before is not None:
            wanted = replay(before, operations, answer["outcomes"])
            if wanted != after:
                findings.append("version %d: %s on %s should give %s, and is %s"
                                % (version, operations, before, wanted, after))
        before = after
    for version in versions:
        if version > life.version:
            findings.append("lost: version %d was acknowledged to %s, the server has %d"
                            % (version, versions[version][0], life.version))
    if before is not None and before != life.favorites:
        findings.append("version %d was acknowledged as %s, the server has %s"
                        % (life.version, before, life.favorites))
    return findings


def replay(before, operations, outcomes):
    """The list after the operations, by nothing but what the outcomes say was done. The pin is at the front."""
    items = [item for item in before if item != PINNED]
    for operation, outcome in zip(operations, outcomes):
        if outcome["result"] in ("skipped", "unchanged"):
            continue
        item, place = operation["id"], outcome.get("at", operation.get("at"))
        if operation["op"] == "move" and item not in items:
            return "%s moved, which is not there" % item
        if item in items:
            items.remove(item)
        if operation["op"] == "remove":
            continue
        if place is None or place.get("edge") == "last":
            items.append(item)
        elif place.get("edge") == "first" or place.get("after") == PINNED:
            items.insert(0, item)
        else:
            anchor, step = (place["after"], 1) if "after" in place else (place["before"], 0)
            if anchor not in items:
                return "%s put beside %s, which is not there" % (item, anchor)
            items.insert(items.index(anchor) + step, item)
    return [PINNED] + items


def history(versions, life):
    """The server's own history: without a gap, and what was acknowledged, with its author."""
    findings = []
    numbers = [revision["version"] for revision in life.revisions]
    if numbers != list(range(life.version, life.version - len(numbers), -1)) or life.version and not numbers:
        findings.append("the history at version %d has %s" % (life.version, numbers))
    for revision in life.revisions:
        if revision["version"] not in versions:
            continue
        name, answer, _ = versions[revision["version"]]
        if revision["favorites"] != answer["layout"]["favorites"]:
            findings.append("version %d of the history is %s, acknowledged was %s"
                            % (revision["version"], revision["favorites"], answer["layout"]["favorites"]))
        if "(%s)" % name.split(" ")[0] not in revision["origin"]:
            findings.append("version %d of %s has the origin %s" % (revision["version"], name, revision["origin"]))
    return findings


def at_rest(life):
    """Every device shows the server's list, and has nothing left to send."""
    findings = []
    for what in ("heard", "end"):
        lines = {line["device"]: line for line in life.lines if line["what"] == what}
        for device in DEVICES:
            line = lines.get(device)
            if line is None:
                findings.append("%s did not come to its %s" % (device, what))
                continue
            if line["favorites"] != life.favorites:
                findings.append("%s (%s) shows %s, the server has %s"
                                % (device, what, line["favorites"], life.favorites))
            if line.get("pending") or line.get("halted"):
                findings.append("%s has %s to send and is halted by %s"
                                % (device, line.get("pending"), line.get("halted")))
    return findings


def reports(lines):
    """The reports of each device in the end: operation and result as JSON."""
    return {line["device"]: line["reports"] for line in lines if line["what"] == "end"}


def told(requests, lines):
    """Every operation that was acknowledged as skipped is reported to the user of its device."""
    findings, kept = [], reports(lines)
    for (device, key), request in requests.items():
        done = [answer for answer in request["answers"] if answer["status"] in (200, 201)]
        if not done:
            continue
        operations, outcomes = json.loads(request["body"])["operations"], json.loads(done[0]["body"])["outcomes"]
        for operation, outcome in zip(operations, outcomes):
            if outcome["result"] != "skipped":
                continue
            match = [report for report in kept.get(device, []) if report["operation"] == operation
                     and ("anchorAbsent" if outcome.get("reason") == "anchor_absent" else "itemAbsent")
                     in report["result"]]
            if match:
                kept[device].remove(match[0])
            else:
                findings.append("%s does not tell that %s of %s was skipped" % (device, operation, key))
    return findings


def intents(requests, life):
    """What only one device adds and removes is there in the end if and only if its last edit says so or is reported."""
    findings, kept = [], reports(life.lines)
    touched = {operation["id"] for name in late(requests)
               for operation in json.loads(requests[name]["body"])["operations"]}
    for device, own in OWN.items():
        for item in own:
            if item in touched:
                continue
            last, doubt = "remove", False
            for line in life.lines:
                if line["what"] not in ("intent", "made") or line["device"] != device or line["id"] != item:
                    continue
                if line["op"] == "move":
                    continue
                # A program that was killed between the two lines may have made the edit or not.
                doubt = line["what"] == "intent"
                if line["what"] == "made" and "refused" not in line:
                    last = line["op"]
            dropped = any(report["operation"] == dict(report["operation"], op="add", id=item)
                          and "refused" in report["result"] for report in kept.get(device, []))
            there = item in life.favorites
            if there and last == "remove" and not doubt:
                findings.append("%s brought back: %s removed it last" % (item, device))
            if not there and last == "add" and not doubt and not dropped:
                findings.append("%s lost: %s added it last, and no report says otherwise" % (item, device))
    return findings


# The checker, on made-up lives.

def made_up():
    """A good life of two requests: one operation is skipped, one answer came from the record."""
    added = [PINNED, "stays", "shared-0", "own-0-0"] + SHARED[1:5]
    moved = [PINNED, "own-0-0", "stays", "shared-0"] + SHARED[1:5]

    def answer(version, favorites, outcomes):
        return json.dumps({"layout": {"version": version, "favorites": favorites}, "changed": True,
                           "outcomes": outcomes})

    add = {"op": "add", "id": "own-0-0", "at": {"after": "shared-0"}}
    gone = {"op": "move", "id": "own-2-0", "at": {"edge": "first"}}
    move = {"op": "move", "id": "own-0-0", "at": {"after": PINNED}}
    first = answer(1, added, [{"op": "add", "id": "own-0-0", "result": "applied"}])
    second = answer(2, moved, [{"op": "move", "id": "own-2-0", "result": "skipped", "reason": "item_absent"},
                               {"op": "move", "id": "own-0-0", "result": "applied"}])

    def request(device, key, operations):
        return {"what": "sent", "device": device, "key": key,
                "body": json.dumps({"baseVersion": 0, "operations": operations})}

    def ack(device, key, body, replay=False):
        return {"what": "answer", "device": device, "key": key, "status": 200, "body": body, "tag": "t",
                "isReplay": replay}

    report = {"id": 1, "operation": gone, "result": {"itemAbsent": {}}}
    record = [
        {"what": "intent", "device": "device-0", "edit": 1, "op": "add", "id": "own-0-0"},
        {"what": "made", "device": "device-0", "edit": 1, "op": "add", "id": "own-0-0"},
        request("device-0", "a", [add]), ack("device-0", "a", first), request("device-0", "a", [add]),
        ack("device-0", "a", first, True), request("device-1", "b", [gone, move]), ack("device-1", "b", second)]
    record += [{"what": what, "device": device, "favorites": moved, "pending": 0,
                "reports": [report] if device == "device-1" else []} for what in ("heard", "end") for device in DEVICES]
    return Life(record, 2, moved, [
        {"version": 2, "favorites": moved, "origin": "ios/10.3.1 (device-1)"},
        {"version": 1, "favorites": added, "origin": "ios/10.3.1 (device-0)"}])


def line_of(life, what, place=0):
    return [line for line in life.lines if line["what"] == what][place]


def answered(life, *places, favorites=None, **changes):
    """Other answers at these places."""
    for place in places:
        line = line_of(life, "answer", place)
        body = json.loads(line["body"])
        if favorites:
            favorites(body["layout"]["favorites"])
        body["layout"]["version"] = changes.pop("version", body["layout"]["version"])
        line["body"] = json.dumps({**body, **changes})


def carried_out_late(life):
    """The second request is refused to its device; a copy of it is carried out all the same."""
    line = line_of(life, "answer", 2)
    life.lines.append(dict(line, what="copy"))
    line.update(status=409, body='{"code":"favorites_limit"}')
    line_of(life, "end", 1).update(reports=[])


def without_own(life):
    life.favorites.remove("own-0-0")
    for what in ("heard", "end"):
        for place in range(8):
            line_of(life, what, place)["favorites"] = life.favorites


def removed_last(life):
    life.lines[2:2] = [{"what": what, "device": "device-0", "edit": 2, "op": "remove", "id": "own-0-0"}
                       for what in ("intent", "made")]


# What is wrong, what makes a good life so, and some words of the finding.
FAULTS = [
    ("nothing", lambda life: None, None),
    ("a late copy of a refused request", carried_out_late, None),
    ("a request carried out twice", lambda life: life._replace(version=3), "version 3 was made by no acknowledged"),
    ("a request without an answer", lambda life: life.lines.remove(line_of(life, "answer", 2)), "never got an answer"),
    ("an acknowledged version lost", lambda life: life._replace(version=1), "lost: version 2"),
    ("one version for two requests", lambda life: answered(life, 2, version=1), "version 1 was acknowledged to"),
    ("a repeat with another answer", lambda life: answered(life, 1, changed=False), "different answers"),
    ("a repeat that was made again", lambda life: line_of(life, "answer", 1).update(isReplay=False),
     "not from the record"),
    ("acknowledged, then refused",
     lambda life: line_of(life, "answer", 1).update(status=409, body='{"code":"favorites_limit"}'), "and refused"),
    ("one key for two requests", lambda life: line_of(life, "sent", 1).update(body="{}"), "two bodies"),
    ("an id doubled", lambda life: answered(life, 2, favorites=lambda items: items.append("stays")), "an id twice"),
    ("an id lost", lambda life: answered(life, 2, favorites=lambda items: items.remove("shared-3")), "should give"),
    ("an id brought back", lambda life: answered(life, 2, favorites=lambda items: items.append("own-2-0")),
     "should give"),
    ("an item elsewhere", lambda life: answered(life, 2, favorites=lambda items: items.append(items.pop(1))),
     "should give"),
    ("an operation without an outcome", lambda life: answered(life, 0, 1, outcomes=[]), "0 outcomes of 1"),
    ("a skipped operation not told", lambda life: line_of(life, "end", 1).update(reports=[]), "does not tell"),
    ("a version missing in the history", lambda life: life.revisions.pop(0) and None, "the history at version 2"),
    ("another list in the history", lambda life: life.revisions[0].update(favorites=DEFAULTS), "of the history is"),
    ("another author in the history", lambda life: life.revisions[0].update(origin="ios/1 (x)"), "has the origin"),
    ("a device that did not hear", lambda life: line_of(life, "heard", 3).update(favorites=[]), "device-3 (heard)"),
    ("a device with another list", lambda life: line_of(life, "end", 3).update(favorites=[]), "device-3 (end)"),
    ("a device with edits left", lambda life: line_of(life, "end", 2).update(pending=1), "has 1 to send"),
    ("a device that halted", lambda life: line_of(life, "end", 2).update(halted="http_409"), "halted by http_409"),
    ("a device that ended", lambda life: life.lines.remove(line_of(life, "end", 5)), "did not come to its end"),
    ("an edit gone without a word", without_own, "own-0-0 lost"),
    ("an item back after its removal", removed_last, "own-0-0 brought back"),
]


def main():
    failed = 0
    for title, spoil, wanted in FAULTS:
        life = made_up()
        life = spoil(life) or life
        found = check(life)
        good = any(wanted in sentence for sentence in found) if wanted else not found
        failed += not good
        print("%s %s: %s" % ("ok  " if good else "FAIL", title, "; ".join(found)[:160] or "no finding"))
    print("%d passed, %d failed" % (len(FAULTS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
