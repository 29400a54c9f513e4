"""Holds answers to the API document: whatever `pegboard.Client` is answered has to be what `/openapi.json` says.

    contract = Contract(document)
    contract.check("GET", "/v1/users/alice/layout", 200, headers, body)     # raises ContractBroken

An operation that isn't documented, a status, a field of the head or of the content that isn't, a field that is missing, a
problem's code that the operation doesn't list: each is a breach. Schemas are closed, so drift shows in either direction.

Needs jsonschema-rs, from the environment that Scripts/python.sh makes.
"""
import json
import re
import urllib.parse

import jsonschema_rs

# Of HTTP's messages, not of the API. `Vary` is documented where an answer depends on something; CORS adds `Origin` to any.
OF_THE_MESSAGE = frozenset((
    "date", "content-length", "content-type", "connection", "transfer-encoding", "vary"))
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class ContractBroken(AssertionError):
    pass


class Contract:
    def __init__(self, document):
        self.document = document
        self.problems = document["x-problem-codes"]
        self.anywhere = {code for code, problem in self.problems.items() if problem.get("anywhere")}
        self.operations = [
            (self._pattern(path), {method: item[method] for method in METHODS if method in item})
            for path, item in document["paths"].items()]
        self._resolved, self._validators = {}, {}
        # What was seen, as (operationId, status).
        self.seen = set()

    @staticmethod
    def _pattern(path):
        return re.compile("".join(
            "[^/]*" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{[^}]*\})", path)))

    def operation(self, method, target):
        """The operation, by method and path; None for a path that is none, {} for a method that it doesn't have."""
        path = urllib.parse.urlsplit(target).path if not target.startswith("/") else target.partition("?")[0]
        path = "/".join(urllib.parse.quote(urllib.parse.unquote(part), safe="") for part in path.split("/"))
        method = "get" if method == "HEAD" else method.lower()
        for pattern, operations in self.operations:
            if pattern.fullmatch(path):
                return operations.get(method, {})
        return None

    def check(self, method, target, status, headers, body):
        """`headers` has lower-case names. Raises ContractBroken."""
        operation = self.operation(method, target)
        try:
            if not operation:
                self._check_unrouted(operation, method, status, headers, body)
            else:
                self._check_operation(operation, method, status, headers, body)
        except ContractBroken as broken:
            raise ContractBroken("%s %s → %d: %s" % (method, target, status, broken)) from None

    def _check_operation(self, operation, method, status, headers, body):
        name = operation["operationId"]
        responses = operation["responses"]
        problem = self._problem(method, status, headers, body)
        # What is refused before a route is found can come as an answer to anything: that is what `default` is for.
        refused = problem is not None and problem["code"] in self.anywhere
        key = str(status) if str(status) in responses else "default"
        if key == "default" and not refused and method != "HEAD":
            raise ContractBroken("%s documents no status %d" % (name, status))
        self._check_response((name, key), responses[key], method, headers, body)
        if problem and not refused and problem["code"] not in operation.get("x-problem-codes", ()):
            raise ContractBroken("%s does not list the problem %s" % (name, problem["code"]))
        self.seen.add((name, status))

    def _check_unrouted(self, operation, method, status, headers, body):
        if method == "OPTIONS" and status == 204 and "allow" in headers:
            return
        problem = self._problem(method, status, headers, body)
        if method == "HEAD" and status in (404, 405):
            return
        if problem is None or problem["code"] not in self.anywhere | {"not_found", "method_not_allowed", "rate_limited"}:
            raise ContractBroken("no such operation is documented")
        name = {"not_found": "NotFound", "method_not_allowed": "MethodNotAllowed"}.get(problem["code"], "NotUnderstood")
        if operation == {} and problem["code"] == "not_found":
            raise ContractBroken("the document has this path")
        self._check_response(("", name), {"$ref": "#/components/responses/" + name}, method, headers, body)

    def _problem(self, method, status, headers, body):
        """The problem that the answer is, if it is one; its code has to have this status and title."""
        if headers.get("content-type") != "application/problem+json" or method == "HEAD":
            return None
        problem = json.loads(body)
        row = self.problems.get(problem.get("code"))
        if row is None or status not in row["statuses"] or problem["title"] != row["title"]:
            raise ContractBroken("the table of problems has no %r, %d %r"
                                 % (problem.get("code"), status, problem.get("title")))
        if problem["status"] != status or problem["type"] != "/docs#" + problem["code"]:
            raise ContractBroken("the problem contradicts itself: %r" % problem)
        return problem

    def _check_response(self, place, response, method, headers, body):
        response = self.resolve(response)
        documented = {name.lower(): self.resolve(header) for name, header in response.get("headers", {}).items()}
        for name, header in documented.items():
            if name not in headers:
                if header.get("required"):
                    raise ContractBroken("the field %s is missing" % name)
                continue
            value = headers[name]
            schema = self.resolve(header["schema"])
            if schema.get("type") == "integer":
                value = int(value) if value.isdigit() else value
            self._validate(place + (name,), schema, value, "the field %s" % name)
        extra = headers.keys() - documented.keys() - OF_THE_MESSAGE
        if extra:
            raise ContractBroken("undocumented fields: %s" % ", ".join(sorted(extra)))
        if method == "HEAD" or headers.get("content-encoding"):
            return
        media = headers.get("content-type", "").partition(";")[0]
        content = response.get("content", {})
        if not content:
            if body:
                raise ContractBroken("content, where none is documented")
            return
        if media not in content:
            raise ContractBroken("%s is documented, not %r" % (", ".join(content), media))
        value = json.loads(body) if media.endswith("/json") or media.endswith("+json") else body.decode()
        self._validate(place + (media,), content[media].get("schema", {}), value, "the content")
        # What a stream is made of, which OpenAPI 3.1 has no word for.
        for name, pieces in (("x-line-schema", "^(.+)$"), ("x-event-schema", "^data: (.+)$")):
            if name in content[media]:
                for piece in re.findall(pieces, value, re.MULTILINE):
                    self._validate(place + (media, name), content[media][name], json.loads(piece), "a line")

    def _validate(self, key, schema, value, what):
        validator = self._validators.get(key)
        if validator is None:
            rooted = dict(schema, components=self.document["components"])
            validator = self._validators[key] = jsonschema_rs.Draft202012Validator(rooted)
        if not validator.is_valid(value):
            error = next(validator.iter_errors(value))
            raise ContractBroken("%s: %s at /%s" % (what, error.message, "/".join(map(str, error.instance_path))))

    def resolve(self, value):
        while "$ref" in value:
            found = self.document
            for step in value["$ref"].lstrip("#/").split("/"):
                found = found[step]
            value = found
        return value
