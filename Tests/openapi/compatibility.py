#!/usr/bin/env python3
"""What is served may add to the API, and takes nothing away: `/openapi.json` against every recorded version in
`Documentation/api/`.

    python3 Tests/openapi/compatibility.py              compares, after a self-test on planted breaks
    python3 Tests/openapi/compatibility.py --record     writes the served document down as its version

Old clients go on sending what they sent and reading what they read. So no operation, parameter, answer or field goes; nothing
that may be sent is refused, nothing that is read changes its type, and nothing new has to be sent. What is added in an answer
is no break: clients pass over fields and codes that they don't know.
"""
import copy
import glob
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

RECORDED = os.path.join(pegboard.ROOT, "Documentation", "api")
METHODS = ("get", "put", "post", "delete")
LOWER, UPPER = ("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")


class Comparison:
    """The breaks between two documents, as sentences."""

    def __init__(self, old, new):
        self.old, self.new, self.breaks, self.open = old, new, [], set()
        for path, item in old["paths"].items():
            for method in METHODS:
                if method in item:
                    self.operation(path, method)
        for code, problem in old["x-problem-codes"].items():
            now = new["x-problem-codes"].get(code)
            if now is None:
                self.note("the problem %s is gone" % code)
            elif not set(problem["statuses"]) <= set(now["statuses"]):
                self.note("the problem %s has other statuses" % code)

    def note(self, sentence):
        if sentence not in self.breaks:
            self.breaks.append(sentence)

    @staticmethod
    def resolve(document, value):
        while isinstance(value, dict) and "$ref" in value:
            found = document
            for step in value["$ref"][2:].split("/"):
                found = found[step]
            value = found
        return value

    def operation(self, path, method):
        place = "%s %s" % (method.upper(), path)
        item, now = self.old["paths"][path], self.new["paths"].get(path, {})
        if method not in now:
            return self.note("%s is gone" % place)
        before, after = item[method], now[method]
        if before["operationId"] != after["operationId"]:
            self.note("%s is called %s: generated clients name it so" % (place, after["operationId"]))
        self.parameters(place, self.named(self.old, item, before), self.named(self.new, now, after))
        if before.get("security") != after.get("security"):
            self.note("%s wants another scope" % place)
        self.request(place, before.get("requestBody"), after.get("requestBody"))
        for status, response in before["responses"].items():
            if status not in after["responses"]:
                self.note("%s does not document %s any more" % (place, status))
            else:
                self.response("%s %s" % (place, status), response, after["responses"][status])

    def named(self, document, *owners):
        found = [self.resolve(document, p) for owner in owners for p in owner.get("parameters", ())]
        return {(p["in"], p["name"]): p for p in found}

    def parameters(self, place, before, after):
        for key, parameter in before.items():
            name = "%s: the parameter %s" % (place, key[1])
            if key not in after:
                self.note("%s is gone" % name)
                continue
            if after[key].get("required") and not parameter.get("required"):
                self.note("%s has to be given now" % name)
            self.schema(name, parameter["schema"], after[key]["schema"], sent=True)
        for key, parameter in after.items():
            if key not in before and parameter.get("required"):
                self.note("%s: the parameter %s has to be given now" % (place, key[1]))

    def request(self, place, before, after):
        if before is None:
            if after and after.get("required"):
                self.note("%s: content has to be sent now" % place)
            return
        if after is None:
            return self.note("%s takes no content any more" % place)
        if after.get("required") and not before.get("required"):
            self.note("%s: content has to be sent now" % place)
        self.content(place + " content", before["content"], after["content"], sent=True)

    def response(self, place, before, after):
        before, after = self.resolve(self.old, before), self.resolve(self.new, after)
        for name, header in before.get("headers", {}).items():
            if name not in after.get("headers", {}):
                self.note("%s: the field %s is gone" % (place, name))
                continue
            header, now = self.resolve(self.old, header), self.resolve(self.new, after["headers"][name])
            if header.get("required") and not now.get("required"):
                self.note("%s: the field %s may be missing now" % (place, name))
        self.content(place, before.get("content", {}), after.get("content", {}), sent=False)

    def content(self, place, before, after, sent):
        for media, content in before.items():
            if media not in after:
                self.note("%s: %s is gone" % (place, media))
            elif "schema" in content:
                self.schema(place, content["schema"], after[media].get("schema", {}), sent)

    def schema(self, place, before, after, sent):
        """`sent`: clients send it; else they read it."""
        names = (before.get("$ref"), after.get("$ref"), sent)
        if names[0] and names[1]:
            if names in self.open:
                return
            self.open.add(names)
            place = names[0].rpartition("/")[2]
        before, after = self.resolve(self.old, before), self.resolve(self.new, after)
        self.types(place, before, after, sent)
        self.properties(place, before, after, sent)
        for name in ("items", "additionalProperties"):
            if isinstance(before.get(name), dict) and isinstance(after.get(name), dict):
                self.schema("%s/%s" % (place, name), before[name], after[name], sent)
        self.choices(place, before.get("oneOf", ()), after.get("oneOf", ()), sent)

    def types(self, place, before, after, sent):
        if before.get("type") != after.get("type"):
            self.note("%s is of type %s, no longer %s" % (place, after.get("type"), before.get("type")))
        if sent and "enum" in after and not set(before.get("enum", ("anything",))) <= set(after["enum"]):
            self.note("%s takes fewer values" % place)
        # Codes and other words that are read may become more, never other ones.
        if not sent and "enum" in before and not set(before["enum"]) <= set(after.get("enum", before["enum"])):
            self.note("%s lost a value" % place)
        if not sent:
            return
        if after.get("pattern") not in (None, before.get("pattern")):
            self.note("%s has another pattern" % place)
        for bounds, is_narrower in ((LOWER, lambda a, b: b is None or a > b), (UPPER, lambda a, b: b is None or a < b)):
            for bound in bounds:
                if bound in after and is_narrower(after[bound], before.get(bound)):
                    self.note("%s is narrower: %s" % (place, bound))
        if after.get("additionalProperties") is False and before.get("additionalProperties") is not False:
            self.note("%s takes no other fields any more" % place)

    def properties(self, place, before, after, sent):
        known, now = before.get("properties", {}), after.get("properties", {})
        for name, schema in known.items():
            if name not in now:
                self.note("%s lost the field %s" % (place, name))
            else:
                self.schema("%s/%s" % (place, name), schema, now[name], sent)
        required, wanted = set(before.get("required", ())), set(after.get("required", ()))
        for name in sorted(wanted - required if sent else required - wanted):
            self.note("%s: the field %s %s" % (place, name, "has to be sent now" if sent else "may be missing now"))

    def choices(self, place, before, after, sent):
        def key(document, choice):
            return choice.get("$ref") or json.dumps(choice, sort_keys=True)
        now = {key(self.new, choice): choice for choice in after}
        for choice in before:
            name = key(self.old, choice)
            if name not in now:
                self.note("%s lost the choice %s" % (place, name.rpartition("/")[2]))
            else:
                self.schema(place, choice, now[name], sent)
        if not sent and len(after) > len(before):
            self.note("%s can be something that is not known to old clients" % place)


def breaks(old, new):
    return Comparison(old, new).breaks


def served():
    with pegboard.Server("serve") as server, server.client() as client:
        return client.request("GET", "/openapi.json").json()


class Compatibility(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = served()

    def test_nothing_is_taken_away_from_any_recorded_version(self):
        recorded = sorted(glob.glob(os.path.join(RECORDED, "openapi-*.json")))
        self.assertTrue(recorded)
        for path in recorded:
            with open(path, encoding="utf-8") as file:
                self.assertEqual(breaks(json.load(file), self.document), [], os.path.basename(path))

    def broken(self, words, change):
        """That a break planted in a copy is found. `change` gets the copy."""
        new = copy.deepcopy(self.document)
        change(new)
        found = breaks(self.document, new)
        self.assertTrue(any(words in sentence for sentence in found), (words, found))

    def test_planted_breaks_are_found(self):
        layout = "/v1/users/{user}/layout"
        schemas = lambda d: d["components"]["schemas"]  # noqa: E731
        parameters = lambda d: d["components"]["parameters"]  # noqa: E731
        for words, change in {
            "PUT %s is gone" % layout: lambda d: d["paths"][layout].pop("put"),
            "GET /v1/catalog is gone": lambda d: d["paths"].pop("/v1/catalog"),
            "is called readLayout": lambda d: d["paths"][layout]["get"].update(operationId="readLayout"),
            "the parameter platform is gone": lambda d: d["paths"][layout]["get"]["parameters"].pop(0),
            "the parameter appVersion has to be given": lambda d: parameters(d)["AppVersion"].update(required=True),
            "the parameter pageSize is narrower": lambda d: parameters(d)["PageSize"]["schema"].update(maximum=100),
            "wants another scope": lambda d: d["paths"][layout]["get"].update(security=[{"bearer": ["admin"]}]),
            "content has to be sent now": lambda d: d["paths"][layout + "/favorites/{function}"]["put"]["requestBody"].update(required=True),
            "does not document 304": lambda d: d["paths"][layout]["get"]["responses"].pop("304"),
            "the field ETag is gone": lambda d: d["components"]["responses"]["Written"]["headers"].pop("ETag"),
            "the field ETag may be missing": lambda d: d["components"]["headers"]["ETag"].update(required=False),
            "Layout lost the field locked": lambda d: schemas(d)["Layout"]["properties"].pop("locked"),
            "Layout: the field favorites may be missing": lambda d: schemas(d)["Layout"]["required"].remove("favorites"),
            "WholeList: the field baseVersion has to be sent": lambda d: schemas(d)["WholeList"]["required"].append("baseVersion"),
            "Version is of type string": lambda d: schemas(d)["Version"].update(type="string"),
            "FunctionID is narrower: maxLength": lambda d: schemas(d)["FunctionID"].update(maxLength=32),
            "FunctionID has another pattern": lambda d: schemas(d)["FunctionID"].update(pattern="^[a-z]+$"),
            "AtEdge/edge takes fewer values": lambda d: schemas(d)["AtEdge"]["properties"]["edge"].update(enum=["first"]),
            "Operation lost the choice MoveBlock": lambda d: schemas(d)["Operation"]["oneOf"].pop(1),
            "ProblemCode lost a value": lambda d: schemas(d)["ProblemCode"]["enum"].remove("busy"),
            "the problem busy is gone": lambda d: d["x-problem-codes"].pop("busy"),
            "the problem busy has other statuses": lambda d: d["x-problem-codes"]["busy"].update(statuses=[500]),
        }.items():
            with self.subTest(words):
                self.broken(words, change)

    def test_what_is_added_is_no_break(self):
        new = copy.deepcopy(self.document)
        new["paths"]["/v2"] = new["paths"]["/v1/catalog"]
        schemas = new["components"]["schemas"]
        schemas["Layout"]["properties"]["color"] = {"type": "string"}
        schemas["WholeList"]["properties"]["color"] = {"type": "string"}
        schemas["ProblemCode"]["enum"].append("too_red")
        schemas["Operation"]["oneOf"].append({"type": "object"})
        schemas["FunctionID"]["maxLength"] = 128
        new["components"]["parameters"]["PageSize"]["schema"]["maximum"] = 500
        self.assertEqual(breaks(self.document, new), [])


if __name__ == "__main__":
    if "--record" in sys.argv:
        document = served()
        version = ".".join(document["info"]["version"].split(".")[:2])
        path = os.path.join(RECORDED, "openapi-%s.json" % version)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False, indent=1)
            file.write("\n")
        print(path)
    else:
        unittest.main(verbosity=1)
