#!/usr/bin/env python3
"""What is printed from the tables: the manual page, and completions tried in the shells themselves."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402


def run(*command, **options):
    environment = pegboard.inherited_environment()
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment, **options)


def said(*arguments):
    ran = run(pegboard.binary(), *arguments)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def commands():
    """The names of all commands, from the help."""
    listed = said("--help").split("[OPTION …]\n")[1]
    return re.findall(r"^  (\w+(?: [a-z]\w*)?)  ", listed, re.MULTILINE)


class ManualPage(unittest.TestCase):
    def lint(self, text):
        ran = run("mandoc", "-T", "lint", "-W", "warning", input=text)
        return ran.returncode, ran.stdout + ran.stderr

    def test_mandoc_finds_nothing(self):
        self.assertEqual(self.lint(said("man")), (0, ""))

    def test_mandoc_would_find_a_fault(self):
        self.assertNotEqual(self.lint(said("man") + ".El\n"), (0, ""))

    def test_it_has_every_command_and_every_setting(self):
        text = run("mandoc", "-T", "ascii", "-O", "width=200", input=said("man")).stdout
        text = re.sub(".\b", "", text)
        for command in commands():
            self.assertRegex(text, r"(?m)^ +%s\b" % command)
        settings = re.findall(r"^  (--[\w-]+)", said("serve", "--help"), re.MULTILINE)
        self.assertGreater(len(settings), 30)
        for setting in settings:
            self.assertIn(setting, text)
            if setting != "--print-config":
                self.assertIn("PEGBOARD_" + setting[2:].upper().replace("-", "_"), text)


class Completions(unittest.TestCase):
    """The same questions in each shell: a command line, and some of what it offers for its last word."""

    questions = [
        ("pegboard ", {"serve", "demo", "catalog", "completions"}, {"lint", "--listen"}),
        ("pegboard ser", {"serve"}, {"demo"}),
        ("pegboard catalog ", {"lint", "show", "publish"}, {"serve"}),
        ("pegboard token mint --", {"--user", "--jwt-secret-file", "--help"}, {"--database"}),
        ("pegboard serve --log-", {"--log-level", "--log-format"}, {"--listen"}),
        ("pegboard serve --log-format ", {"auto", "text", "json"}, {"--listen"}),
        ("pegboard serve --jwks k", {"keys.json"}, {"auto"}),
        ("pegboard catalog lint k", {"keys.json"}, {"--help"}),
        ("pegboard completions ", {"bash", "zsh", "fish"}, {"serve"}),
    ]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "keys.json"), "w", encoding="utf-8"):
            pass

    def write(self, shell, name):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(said("completions", shell))
        return path

    def ask(self, offers):
        for line, wanted, unwanted in self.questions:
            with self.subTest(line):
                offered = offers(line)
                self.assertLessEqual(wanted, offered)
                self.assertFalse(unwanted & offered, offered)

    def test_every_command_is_offered_whole(self):
        for shell in ("bash", "zsh", "fish"):
            text = said("completions", shell)
            for word in {word for command in commands() for word in command.split()}:
                self.assertRegex(text, r"\b%s\b" % word, shell)

    def test_bash(self):
        script = self.write("bash", "pegboard")
        lint = run("shellcheck", "--shell=bash", script)
        self.assertEqual(lint.stdout, "")

        def offers(line):
            words = line.split(" ")
            array = " ".join("'%s'" % word for word in words)
            ran = run("bash", "--norc", "-c", """source %s; compopt() { :; }
                COMP_WORDS=(%s); COMP_CWORD=%d; _pegboard; printf '%%s\\n' "${COMPREPLY[@]}" """
                      % (script, array, len(words) - 1), cwd=self.folder)
            self.assertEqual(ran.stderr, "")
            return set(ran.stdout.split())

        self.ask(offers)
        # bash takes --flag=value apart.
        self.assertLessEqual({"auto", "text", "json"}, offers("pegboard serve --log-format = "))
        self.assertEqual(run("bash", "--norc", "-c", "source %s; complete -p pegboard" % script).stdout,
                         "complete -F _pegboard pegboard\n")

    def test_fish(self):
        script = self.write("fish", "pegboard.fish")

        def offers(line):
            ran = run("fish", "--no-config", "-c", "source %s; complete -C '%s'" % (script, line), cwd=self.folder)
            self.assertEqual(ran.stderr, "")
            return {offer.split("\t")[0] for offer in ran.stdout.splitlines()}

        self.ask(offers)

    def test_zsh(self):
        self.write("zsh", "_pegboard")
        setup = os.path.join(self.folder, "setup.zsh")
        offered = os.path.join(self.folder, "offered")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(ZSH_SETUP)

        def offers(line):
            with open(offered, "w", encoding="utf-8"):
                pass
            # Control-X is bound to the question; the mark tells that it was answered.
            talk(["zsh", "-f", "-i"], self.folder,
                 [("source %s %s %s\n" % (setup, self.folder, offered), b"prepared"), (line + "\x18", b"answered")])
            with open(offered, encoding="utf-8") as file:
                # A flag that takes a value is offered with the = behind it.
                return {offer.rstrip("=") for offer in file.read().split("\n")}

        self.ask(offers)


# zsh completes at a terminal alone. compadd is what every completion ends in: here it writes its matches to a file. The marks
# are put together, so that their echo is none.
ZSH_SETUP = r"""
fpath=($1 $fpath); offered=$2
autoload -Uz compinit; compinit -u -D
compadd() {
    # Called to filter an array, not to offer.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a matches
    builtin compadd -A matches "$@"
    print -rl -- $matches >> $offered
    builtin compadd "$@"
}
ask() { _main_complete; compstate[insert]=; compstate[list]=; print -n answ'ered' > $TTY }
zle -C ask complete-word ask
bindkey '^X' ask
print prep'ared'
"""


def talk(command, folder, exchanges):
    """Runs a command at a terminal of its own: types each text, and reads until its mark is seen."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": folder})
    try:
        for text, mark in exchanges:
            os.write(terminal, text.encode())
            seen, deadline = b"", time.monotonic() + 60
            while mark not in seen:
                if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise AssertionError("no %r after %r, but %r" % (mark, text, seen))
                seen += os.read(terminal, 65536)
    finally:
        os.close(terminal)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
