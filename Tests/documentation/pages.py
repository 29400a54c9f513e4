#!/usr/bin/env python3
"""The Markdown pages: links lead to files and headings that are there, pictures are well-formed, the page of the settings is
what the program prints. Offline: of an address elsewhere only the form is looked at. The last line is `N passed, N failed`."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "support"))
import pegboard  # noqa: E402


def pages(root):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
                            capture_output=True, text=True, check=True, timeout=60).stdout
    return [path for path in listed.splitlines() if os.path.exists(os.path.join(root, path))]


def prose(text):
    """The text without what only looks like links: code."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def links(text):
    for match in re.finditer(r"\[[^\[\]]*\]\(\s*<?([^()\s<>]*(?:\([^()]*\))?[^()\s<>]*)>?(?:\s+\"[^\"]*\")?\s*\)", prose(text)):
        yield match.group(1)
    for match in re.finditer(r"^\[[^\]]+\]:\s*(\S+)", prose(text), re.MULTILINE):
        yield match.group(1)
    for match in re.finditer(r"<(https?:[^>]*)>", prose(text)):
        yield match.group(1)


def anchors(text):
    """The fragments that GitHub gives the headings of a page."""
    seen, found = {}, set()
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        found.add(slug if number == 0 else "%s-%d" % (slug, number))
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def fault(root, page, link):
    """What is wrong with a link; None where nothing is."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme in ("http", "https"):
        return None if re.fullmatch(r"[\w.-]+(:\d+)?", parts.netloc) else "no host name"
    if parts.scheme == "mailto":
        return None if "@" in parts.path else "no address"
    if parts.scheme:
        return "a scheme that nobody follows"
    path = os.path.normpath(os.path.join(root, os.path.dirname(page), urllib.parse.unquote(parts.path))) \
        if parts.path else os.path.join(root, page)
    if not path.startswith(root):
        return "leads out of the repository"
    if not os.path.exists(path):
        return "no such file"
    if parts.fragment and path.endswith(".md") and parts.fragment not in anchors(read(path)):
        return "no such heading"
    return None


def link_faults(root):
    count, faults = 0, []
    for page in pages(root):
        for link in links(read(os.path.join(root, page))):
            count += 1
            wrong = fault(root, page, link)
            if wrong:
                faults.append("%s: (%s): %s" % (page, link, wrong))
    return count, faults


def picture_faults(root):
    paths = glob.glob(os.path.join(root, "Documentation", "**", "*.svg"), recursive=True)
    shown = {os.path.normpath(os.path.join(root, os.path.dirname(page), link))
             for page in pages(root) for link in links(read(os.path.join(root, page)))}
    faults = []
    for path in paths:
        name = os.path.relpath(path, root)
        try:
            tree = xml.etree.ElementTree.parse(path).getroot()
        except xml.etree.ElementTree.ParseError as error:
            faults.append("%s: %s" % (name, error))
            continue
        # Whoever cannot see it is told what it shows.
        if tree.find("{http://www.w3.org/2000/svg}title") is None:
            faults.append("%s: has no title" % name)
        if path not in shown:
            faults.append("%s: no page shows it" % name)
    return len(paths), faults


def reference_faults(root):
    inherited = pegboard.inherited_environment()
    printed = subprocess.run([pegboard.binary(), "man", "--configuration"], env=inherited, capture_output=True, text=True,
                             check=True, timeout=60).stdout
    if printed == read(os.path.join(root, "Documentation", "configuration.md")):
        return 1, []
    return 1, ["Documentation/configuration.md is not what the program prints: run `make reference`"]


def self_test():
    """Each check is shown faults."""
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        subprocess.run(["git", "init", "--quiet", root], check=True, timeout=60)
        os.makedirs(os.path.join(root, "Documentation"))
        with open(os.path.join(root, "a.md"), "w", encoding="utf-8") as file:
            file.write("# A `b` c!\n## Two\n## Two\n[1](b.md) [2](#a-b-c) [3](#two-1) [4](https://example.com/x) [5](a.md#two)\n"
                       "`[x](none.md)`\n```\n[y](none.md)\n```\n"
                       "[6](none.md) [7](#three) [8](../up.md) [9](https:///x) [10](#two-2)\n[r]: gone.md\n")
        with open(os.path.join(root, "b.md"), "w", encoding="utf-8") as file:
            file.write("")
        count, faults = link_faults(root)
        found = [re.search(r"\(([^)]*)\)", text).group(1) for text in faults]
        assert count == 11 and found == ["none.md", "#three", "../up.md", "https:///x", "#two-2", "gone.md"], (count, faults)
        with open(os.path.join(root, "Documentation", "p.svg"), "w", encoding="utf-8") as file:
            file.write("<svg xmlns='http://www.w3.org/2000/svg'></svg>")
        assert len(picture_faults(root)[1]) == 2
        with open(os.path.join(root, "Documentation", "configuration.md"), "w", encoding="utf-8") as file:
            file.write("# Configuration\n")
        assert len(reference_faults(root)[1]) == 1
    return 3, []


def main():
    passed = failed = 0
    for check in (self_test, *(lambda check=check: check(ROOT) for check in (link_faults, picture_faults, reference_faults))):
        count, faults = check()
        for text in faults:
            print("FAIL " + text, file=sys.stderr)
        passed, failed = passed + count - len(faults), failed + len(faults)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
