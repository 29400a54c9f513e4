#!/usr/bin/env python3
"""A request that is sent again, over a socket: killed while it was under way, late, changed, at the same time. Many
clients do it under load in Tests/faults/idempotency.py; this is each case by itself, to the byte."""
import os
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

OPERATIONS = "/v1/users/u/layout/operations"


def move(item="transfer", anchor="ride"):
    return {"operations": [{"op": "move", "id": item, "at": {"after": anchor}}]}


def send(client, key, body):
    return client.request("POST", OPERATIONS, {"Idempotency-Key": '"%s"' % key}, body)


def version(server):
    with server.client() as client:
        return client.request("GET", "/v1/users/u/layout").json()["version"]


class Repeats(unittest.TestCase):
    def serve(self, **options):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s", **options)

    def test_a_kill_at_any_moment_leaves_the_key_usable(self):
        with tempfile.TemporaryDirectory(prefix="pegboard-repeats-") as folder:
            database, replays = os.path.join(folder, "pegboard.db"), 0
            for number in range(12):
                body = move(anchor="ride" if number % 2 == 0 else "phone-topup")
                with self.serve(database=database) as server:
                    with server.client() as client:
                        killer = threading.Timer(number * 0.0007, server.kill)
                        killer.start()
                        try:
                            send(client, "k%d" % number, body)
                        except OSError:
                            pass
                        killer.join()
                with self.serve(database=database) as server, server.client() as client:
                    answer = send(client, "k%d" % number, body)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertEqual(version(server), number + 1, "kill %d" % number)
                    replays += "idempotency-replayed" in answer.headers
            print("12 kills, %d of them after the commit" % replays)

    def test_a_repeat_gets_the_same_answer_and_changes_nothing(self):
        with self.serve() as server, server.client() as client:
            first, second = send(client, "k", move()), send(client, "k", move())
            self.assertEqual((second.status, second.body), (first.status, first.body))
            self.assertEqual(second.headers["etag"], first.headers["etag"])
            self.assertNotIn("idempotency-replayed", first.headers)
            self.assertEqual(second.headers["idempotency-replayed"], "true")
            self.assertEqual(version(server), 1)

    def test_another_request_under_the_same_key_is_refused(self):
        with self.serve() as server, server.client() as client:
            self.assertEqual(send(client, "k", move()).status, 200)
            other = send(client, "k", move(anchor="lock-card"))
            self.assertEqual((other.status, other.json()["code"]), (422, "idempotency_key_reused"))
            self.assertEqual(version(server), 1)

    def test_of_requests_at_the_same_time_one_is_carried_out(self):
        with self.serve() as server:
            for number in range(20):
                body = move(anchor="ride" if number % 2 == 0 else "phone-topup")
                answers, gate = [], threading.Barrier(6)

                def one(key="k%d" % number, body=body, answers=answers, gate=gate):
                    with server.client() as client:
                        gate.wait(pegboard.PATIENCE)
                        answers.append(send(client, key, body))

                threads = [threading.Thread(target=one) for _ in range(6)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                done = [answer for answer in answers if answer.status == 200]
                waiting = [answer for answer in answers if answer.status == 409]
                self.assertEqual(len(done) + len(waiting), 6, answers)
                self.assertEqual(sum("idempotency-replayed" not in answer.headers for answer in done), 1, answers)
                self.assertEqual(len({answer.body for answer in done}), 1)
                for answer in waiting:
                    self.assertEqual(answer.json()["code"], "idempotency_in_flight")
                    self.assertIn("retry-after", answer.headers)
                self.assertEqual(version(server), number + 1)


if __name__ == "__main__":
    unittest.main()
