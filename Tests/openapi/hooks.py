"""What schemathesis is told about Pegboard: it loads this file (see generated_requests.py).

Made-up ids would nearly all be refused at the first check. In right requests half of them are exchanged for ids that exist, so
that the rules behind get to see something. Every answer is held to the contract, as the end-to-end suites hold theirs.
"""
import os
import re
import sys
import zlib

import schemathesis

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import contract  # noqa: E402

FUNCTIONS = ("scan", "pay-code", "transfer", "ride", "metro", "lock-card", "food-delivery", "gold")
ME = os.environ["PEGBOARD_GENERATED_AS"]


def known(text, choices):
    """One of `choices` for half of all texts, always the same one."""
    number = zlib.crc32(text.encode("utf-8", "replace"))
    return choices[number // 2 % len(choices)] if number % 2 else text


def likely(value, key=None):
    """The content as a client would have it, as far as a schema cannot say that."""
    if isinstance(value, dict):
        changed = {k: likely(v, k) for k, v in value.items()}
        at = changed.get("at")
        for anchor in ("before", "after") if isinstance(at, dict) else ():
            # Nothing stands beside itself (anchor_is_self).
            if anchor in at and at[anchor] in (changed.get("id"), *changed.get("ids", ())):
                changed["at"] = {"edge": "last"}
        return changed
    if isinstance(value, list):
        return [likely(v, key) for v in value]
    if isinstance(value, float) and value.is_integer():
        # For JSON Schema 2.0 is an integer. No client writes one so, and the server takes it for a mistake.
        return int(value)
    if isinstance(value, str) and key in ("id", "ids", "before", "after", "favorites", "defaults", "functions"):
        return known(value, FUNCTIONS)
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.headers and "Prefer" in case.headers:
        # Half a minute of waiting finds nothing.
        case.headers["Prefer"] = "wait=1"
    if case.meta is None or case.meta.generation.mode != schemathesis.GenerationMode.POSITIVE:
        return
    for name, choices in (("user", (ME,)), ("function", FUNCTIONS)):
        if name in (case.path_parameters or {}):
            case.path_parameters[name] = known(case.path_parameters[name], choices)
    if case.query and case.operation.path == "/v1/admin/users" and "pageToken" in case.query:
        # Opaque: only one that was given is right.
        case.query["pageToken"] = "dXNlci0x"
    if isinstance(case.body, (dict, list)):
        case.body = likely(case.body)
        if case.operation.label.endswith("{function}"):
            at = case.body.get("at", {})
            if case.path_parameters["function"] in (at.get("before"), at.get("after")):
                case.body = {}


@schemathesis.hook
def filter_case(context, case):
    # 501 is the answer to a method that no resource knows (RFC 9110 §15.6.2); the check wants 405 for QUERY, too.
    return case.method.upper() != "QUERY"


# One layout a line, or anything else that comes: each line has its own result.
@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return {"data": str(value).encode()}


held = None


@schemathesis.check
def contract_is_kept(ctx, response, case):
    """Statuses, fields, content and problem codes, as pegboard.py checks them."""
    global held
    if held is None:
        held = contract.Contract(case.operation.schema.raw_schema)
    target = re.sub(r"^https?://[^/]*", "", response.request.url)
    headers = {name.lower(): ", ".join(values) for name, values in response.headers.items()}
    held.check(response.request.method, target, response.status_code, headers, response.content)
