#!/usr/bin/env python3
"""`/openapi.json` as a document: valid, whole, its examples true to its schemas; and what holds answers to it, shown answers
that are wrong.

Needs the environment that Scripts/python.sh makes.
"""
import copy
import json
import os
import sys
import unittest

import jsonschema_rs
import openapi_spec_validator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import contract  # noqa: E402
import pegboard  # noqa: E402


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with pegboard.Server("serve") as server, server.client() as client:
            cls.document = client.request("GET", "/openapi.json").json()
        cls.contract = contract.Contract(cls.document)
        cls.operations = [o for item in cls.document["paths"].values() for m, o in item.items() if m in contract.METHODS]


class Document(Served):
    def test_it_is_valid(self):
        openapi_spec_validator.validate(self.document)

    def test_every_operation_is_described(self):
        names = [operation["operationId"] for operation in self.operations]
        self.assertEqual(len(names), len(set(names)))
        tags = {tag["name"] for tag in self.document["tags"]}
        for operation in self.operations:
            with self.subTest(operation["operationId"]):
                self.assertTrue(operation["summary"] and operation["description"])
                self.assertLessEqual(set(operation["tags"]), tags)
                self.assertTrue(any(status.startswith("2") for status in operation["responses"]))
                self.assertIn("default", operation["responses"])

    def test_every_status_of_an_operation_has_a_problem_and_every_problem_a_status(self):
        problems = self.document["x-problem-codes"]
        for operation in self.operations:
            with self.subTest(operation["operationId"]):
                listed = set(operation.get("x-problem-codes", ()))
                self.assertLessEqual(listed, problems.keys())
                self.assertFalse(listed & self.contract.anywhere, "come to any request, and need not be listed")
                statuses = {status for status in operation["responses"] if status[0] in "45"}
                possible = {code: {str(s) for s in problems[code]["statuses"]} for code in listed | self.contract.anywhere}
                for code in listed:
                    self.assertTrue(possible[code] & statuses, code)
                if operation["tags"] != ["Monitoring"]:
                    self.assertLessEqual(statuses, set().union(*possible.values()))

    def test_every_problem_can_come_and_is_explained(self):
        listed = {code for operation in self.operations for code in operation.get("x-problem-codes", ())}
        # Where there is no operation.
        listed |= self.contract.anywhere | {"not_found", "method_not_allowed"}
        for code, problem in self.document["x-problem-codes"].items():
            with self.subTest(code):
                self.assertIn(code, listed)
                self.assertTrue(problem["meaning"].endswith(".") and problem["cure"].endswith("."))

    def test_every_answer_says_which_request_it_belongs_to(self):
        responses = [response for operation in self.operations for response in operation["responses"].values()]
        responses += self.document["components"]["responses"].values()
        for response in map(self.contract.resolve, responses):
            fields = {name: self.contract.resolve(field) for name, field in response["headers"].items()}
            self.assertTrue(fields["X-Request-Id"]["required"], response["description"])

    def test_nothing_in_it_is_unused(self):
        used = set(references(self.document))
        # What comes where there is no operation.
        used |= {"#/components/responses/MethodNotAllowed", "#/components/responses/NotFound"}
        components = {
            "#/components/%s/%s" % (kind, name)
            for kind in ("schemas", "parameters", "headers", "responses") for name in self.document["components"][kind]}
        self.assertEqual(components - used, set())

    def test_objects_are_closed(self):
        for name, schema in self.document["components"]["schemas"].items():
            if schema.get("type") == "object":
                with self.subTest(name):
                    self.assertIn("additionalProperties", schema)

    def test_the_examples_are_true(self):
        checked = sum(self._examples(self.document, []))
        self.assertGreater(checked, 80)

    def _examples(self, value, place):
        if isinstance(value, list):
            for index, member in enumerate(value):
                yield from self._examples(member, place + [str(index)])
        if not isinstance(value, dict):
            return
        if "schema" in value:
            given = [e["value"] for e in value.get("examples", {}).values()]
            given += [value["example"]] if "example" in value else []
            for example in given:
                with self.subTest("/".join(place)):
                    schema = dict(self.contract.resolve(value["schema"]), components=self.document["components"])
                    jsonschema_rs.validate(schema, example, validate_formats=True)
                yield 1
        for name, member in value.items():
            if name not in ("example", "examples", "schema"):
                yield from self._examples(member, place + [name])


class Checker(Served):
    """The checker, on answers that are wrong."""

    def setUp(self):
        self.body = {
            "userId": "alice", "version": 1, "customized": True, "locked": False,
            "updatedAt": "2026-11-30T04:05:27.400Z", "catalogRevision": 1, "favorites": ["scan"]}
        self.every = {
            "x-request-id": "1", "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer"}
        self.headers = dict(self.every, **{
            "content-type": "application/json", "etag": '"1"', "cache-control": "private, no-cache",
            "vary": "Accept-Encoding"})
        self.problem = {
            "type": "/docs#layout_locked", "title": "Layout locked", "status": 409, "detail": "Frozen.",
            "code": "layout_locked"}
        self.problem_headers = dict(self.every, **{
            "content-type": "application/problem+json", "cache-control": "no-store", "content-security-policy": "x"})

    def check(self, status=200, method="GET", path="/v1/users/alice/layout"):
        self.contract.check(method, path, status, self.headers, json.dumps(self.body).encode())

    def refused(self, words, **request):
        with self.assertRaisesRegex(contract.ContractBroken, words):
            self.check(**request)

    def test_a_right_answer_passes(self):
        self.check()
        self.check(path="/v1/users/%2F%20/layout?platform=ios")
        self.body, self.headers = self.problem, self.problem_headers
        self.check(409, "PUT")

    def test_a_status_that_is_not_documented(self):
        self.refused("no status 202", status=202)

    def test_an_operation_that_is_not_documented(self):
        self.refused("no such operation", path="/v1/users/alice/layouts")
        self.refused("no such operation", method="POST")

    def test_fields_of_the_content(self):
        whole = copy.deepcopy(self.body)
        for name in whole:
            self.body = {k: v for k, v in whole.items() if k != name}
            self.refused('"%s" is a required' % name)
        self.body = dict(whole, color="red")
        self.refused("Additional properties")
        self.body = dict(whole, version="1")
        self.refused("is not of type")
        self.body = dict(whole, favorites=["a b"])
        self.refused("does not match")

    def test_lines_of_a_stream(self):
        self.headers = dict(self.every, **{
            "content-type": "application/x-ndjson", "cache-control": "no-store", "x-accel-buffering": "no"})
        for lines, words in (('{"userId":"a","favorites":null}\n{"exported":1}\n', None),
                             ('{"userId":"a"}\n', "a line"), ('{"exported":1}\n{"exported":"1"}\n', "a line")):
            check = lambda: self.contract.check(  # noqa: E731
                "GET", "/v1/admin/export", 200, self.headers, lines.encode())  # noqa: B023
            if words:
                with self.assertRaisesRegex(contract.ContractBroken, words):
                    check()
            else:
                check()

    def test_fields_of_the_head(self):
        whole = dict(self.headers)
        for name in ("etag", "cache-control", "x-request-id", "referrer-policy"):
            self.headers = {k: v for k, v in whole.items() if k != name}
            self.refused("the field %s is missing" % name)
        self.headers = dict(whole, etag="1")
        self.refused("the field etag")
        self.headers = dict(whole, **{"x-request-id": "a b"})
        self.refused("the field x-request-id")
        self.headers = dict(whole, link="</>")
        self.refused("undocumented fields: link")
        self.headers = dict(whole, **{"content-type": "text/html"})
        self.refused("application/json is documented")

    def test_problems(self):
        self.headers = self.problem_headers
        self.body = self.problem
        self.refused("getLayout documents no status 409", status=409)
        self.refused("streamEvents documents no", status=409, path="/v1/users/alice/layout/events")
        self.refused("the table of problems has no", status=422, method="PUT")
        self.body = dict(self.problem, title="Locked")
        self.refused("the table of problems has no", status=409, method="PUT")
        self.body = dict(self.problem, type="/docs#busy")
        self.refused("contradicts itself", status=409, method="PUT")
        self.body = dict(self.problem, type="/docs#backup_exists", code="backup_exists", title="Backup exists")
        self.refused("putLayout does not list the problem backup_exists", status=409, method="PUT")


if __name__ == "__main__":
    unittest.main(verbosity=1)
