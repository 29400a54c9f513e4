"""Whether a history of one user's reads and writes can have come from one register that was touched by one at a time.

An operation: who, what ("get", "put"), from when to when (nanoseconds, the same clock for all), on which version a put was
made (None for any), which value it wrote, how it ended ("ok"; "no": refused with 412; "doubt": no answer, so it may have
been done, or not, or later), and the version and value that the answer showed. Two checkers that know nothing of each other:

    by_versions   exact and quick where answers carry versions, as ours do
    by_search     tries every order (Wing and Gong, 1993); needs no versions, and takes long on long histories
"""
import collections
import heapq

Operation = collections.namedtuple("Operation", "who what begun ended base wrote outcome version value")
NEVER = 1 << 62


def by_versions(operations):
    """What is wrong, as sentences."""
    findings, values, points = [], {0: None}, []
    doubts = {o.wrote: o for o in operations if o.what == "put" and o.outcome == "doubt"}
    for o in operations:
        if o.what != "put" or o.outcome != "ok":
            continue
        if o.version in values:
            findings.append("two writes made version %d" % o.version)
            continue
        if o.base is not None and o.base != o.version - 1:
            findings.append("a write on version %d made version %d" % (o.base, o.version))
        values[o.version] = o.wrote
        points.append((o.begun, o.ended, o.version, True))
    for o in operations:
        if o.outcome == "doubt" or o.what == "put" and o.outcome == "ok":
            continue
        if o.version not in values and o.value in doubts:
            done = doubts.pop(o.value)  # seen, so it was done
            if done.base is not None and done.base != o.version - 1:
                findings.append("a write on version %d made version %d" % (done.base, o.version))
            values[o.version] = o.value
            points.append((done.begun, NEVER, o.version, True))
        if o.version not in values or o.version and values[o.version] != o.value:
            findings.append("version %d read as %s, which nobody wrote" % (o.version, o.value))
        elif o.outcome == "no" and o.base == o.version:
            findings.append("a write on version %d was refused at version %d" % (o.base, o.version))
        else:
            points.append((o.begun, o.ended, o.version, False))
    holes = set(range(1, max(values) + 1)) - set(values)
    if len(holes) > len(doubts):
        findings.append("versions that nobody made: %s" % sorted(holes)[:3])
    return findings + out_of_order(points)


def out_of_order(points):
    """Whoever begins after another has ended must see that one's version, and a write a later one."""
    findings, pending, newest = [], [], 0
    for begun, ended, version, is_write in sorted(points):
        while pending and pending[0][0] < begun:
            newest = max(newest, heapq.heappop(pending)[1])
        if version < newest or is_write and version == newest:
            findings.append("%s version %d after version %d" % ("a write made" if is_write else "read", version, newest))
        heapq.heappush(pending, (ended, version))
    return findings


def step(o, state):
    """The register after `o`, or None where it can't have answered so."""
    version, value = state
    if o.what == "get":
        return state if (o.version, o.value) == (version, value if version else o.value) else None
    matches = o.base is None or o.base == version
    if o.outcome == "ok":
        return (version + 1, o.wrote) if matches and o.version == version + 1 else None
    if o.outcome == "no":
        return state if not matches and o.version == version and (not version or o.value == value) else None
    return (version + 1, o.wrote) if matches else state


def by_search(operations, limit=200000):
    """True, False, or None where `limit` states didn't suffice."""
    operations = sorted(operations, key=lambda o: o.begun)
    ends = [NEVER if o.outcome == "doubt" else o.ended for o in operations]
    seen, work = set(), 0
    # All before `low` are done, and those in `done` beyond it.
    stack = [(0, frozenset(), (0, None))]
    while stack:
        low, done, state = stack.pop()
        while low in done:
            done, low = done - {low}, low + 1
        if (low, done, state) in seen:
            continue
        seen.add((low, done, state))
        work += 1
        if work > limit:
            return None
        left = [i for i in range(low, len(operations)) if i not in done]
        if all(ends[i] == NEVER for i in left):
            return True
        first = NEVER
        for i in left:  # only what begins before any other that is left has ended can come next
            if operations[i].begun > first:
                break
            first = min(first, ends[i])
        for i in reversed(left):
            if operations[i].begun <= first:
                after = step(operations[i], state)
                if after is not None:
                    stack.append((low, done | {i}, after))
    return False
