#!/usr/bin/env python3
"""Clients that others' generators make of `/openapi.json`: they build, and do the README's walk against a demo.

    python3 Tests/openapi/generated_clients.py             python, swift and kotlin
    python3 Tests/openapi/generated_clients.py swift       one of them

Needs the environment of `Scripts/python.sh requirements-long`, Java and gson. The last line is `N passed, N failed`.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import pegboard  # noqa: E402

WALKS = os.path.join(HERE, "clients")

PACKAGE = """// swift-tools-version:6.0
import PackageDescription

let package = Package(
    name: "Walk",
    dependencies: [.package(name: "PegboardGenerated", path: "../generated")],
    targets: [.executableTarget(name: "Walk", dependencies: ["PegboardGenerated"], path: ".")])
"""


def run(*command, folder=None):
    ran = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError("%s: exit code %d\n%s" % (" ".join(command), ran.returncode, (ran.stdout + ran.stderr)[-8000:]))


def site_packages(pattern):
    """What a package of PyPI brought along."""
    return glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages", pattern))


def openapi_generator(document, generator, folder, options):
    jar, = site_packages("openapi_generator_cli/openapi-generator.jar")
    run("java", "-jar", jar, "generate", "-i", document, "-g", generator, "-o", folder, "--additional-properties=" + options)


def python(document, folder, address):
    run(os.path.join(sys.prefix, "bin", "openapi-python-client"), "generate", "--path", document, "--meta", "none",
        "--output-path", os.path.join(folder, "pegboard_client"))
    run(sys.executable, os.path.join(WALKS, "walk.py"), address, folder)


def swift(document, folder, address):
    openapi_generator(document, "swift6", os.path.join(folder, "generated"),
                      "projectName=PegboardGenerated,identifiableModels=false,enumUnknownDefaultCase=true")
    walk = os.path.join(folder, "walk")
    os.mkdir(walk)
    shutil.copy(os.path.join(WALKS, "Walk.swift"), walk)
    with open(os.path.join(walk, "Package.swift"), "w", encoding="utf-8") as file:
        file.write(PACKAGE)
    run("swift", "build", folder=walk)
    run(os.path.join(walk, ".build", "debug", "Walk"), address)


def kotlin(document, folder, address):
    generated = os.path.join(folder, "generated")
    openapi_generator(document, "kotlin", generated, "serializationLibrary=gson,generateOneOfAnyOfWrappers=true")
    # Debian's Kotlin is 1.3; the one of a notebook's kernel is of this year.
    compiler = site_packages("run_kotlin_kernel/jars/*.jar")
    library = [path for path in compiler if os.path.basename(path).startswith("kotlin-stdlib")] + ["/usr/share/java/gson.jar"]
    walk = os.path.join(folder, "walk.jar")
    run("java", "-classpath", ":".join(compiler), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect",
        "-nowarn", "-classpath", ":".join(library), "-d", walk, os.path.join(WALKS, "OkHttp.kt"), os.path.join(WALKS, "Walk.kt"),
        *glob.glob(generated + "/src/main/kotlin/**/*.kt", recursive=True))
    run("java", "-classpath", ":".join((walk, *library)), "WalkKt", address)


def main():
    makers = {maker.__name__: maker for maker in (python, swift, kotlin)}
    failed = 0
    wanted = sys.argv[1:] or list(makers)
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="pegboard-client-") as folder, pegboard.Server("demo") as server:
            document = os.path.join(folder, "openapi.json")
            with server.client() as client, open(document, "wb") as file:
                file.write(client.request("GET", "/openapi.json").body)
            try:
                makers[name](document, folder, "http://127.0.0.1:%d" % server.port)
                print("ok   " + name, flush=True)
            except RuntimeError as error:
                failed += 1
                print("FAIL %s: %s" % (name, error), flush=True)
    print("%d passed, %d failed" % (len(wanted) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
