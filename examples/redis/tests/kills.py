"""Kills a server while ten clients add items, restarts it, and looks up all
items that were acknowledged.
usage: kills.py SOCKET RUNS SERVER WORD...
SERVER, started with these words, writes an append-only file beside SOCKET. The
file is deleted every 20 runs. In each run the server is killed when a random
number of items, below 2000, were acknowledged. In every second run, SIGSTOP
halts the server before that; in half of these it continues for a moment."""
import os
import random
import shutil
import signal
import sys
import threading
import time

import redis

from client import started

address, runs, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def begin(preamble):
    return started(words + ["--aof-use-rdb-preamble", preamble],
                   redis.Redis(unix_socket_path=address))


def verify(known):
    """known: the items of each key. Returns how many there are in all."""
    server = redis.Redis(unix_socket_path=address)
    for key, items in known.items():
        for at in range(0, len(items), 1000):
            some = items[at:at + 1000]
            there = server.execute_command(
                "BW.MEXISTS" if key == "expiring" else "BF.MEXISTS", key, *some)
            assert there == len(some) * [1], "%s: of %d items, %d are lost" % (
                key, len(some), len(some) - sum(there))
    return sum(map(len, known.values()))


# What a client sends: a list of commands, each with the key and the items that
# its reply acknowledges.

def one_by_one(items):
    return [(("BF.ADD", "one", item), "one", [item]) for item in items]


def many(items):
    return [(("BF.MADD", "many", *items), "many", items)]


def growing(items):
    return [(("BF.INSERT", "growing", "CAPACITY", 50, "EXPANSION", 1, "ITEMS",
              *items), "growing", items)]


def merged(items):
    return [(("BF.INSERT", "part", "CAPACITY", 100000, "NONSCALING", "ITEMS",
              *items), "part", items),
            (("BF.MERGE", "united", "part"), "united", items)]


def expiring(items):                # in 12 days
    return [(("BW.MADD", "expiring", *items), "expiring", items)]


class Client:
    def __init__(self, name, commands):
        self.name, self.commands, self.sent = name, commands, 0
        self.connection = redis.UnixDomainSocketConnection(address)
        self.connection.connect()

    def send(self):
        self.sent += 20
        self.asked = self.commands(["%s.%d" % (self.name, self.sent - i)
                                    for i in range(20)])
        self.connection.send_packed_command(self.connection.pack_commands(
            [words for words, key, items in self.asked]))

    def receive(self, known):
        """Returns how many items are acknowledged. An error reply is not
        caught, so it fails the test."""
        count = 0
        for words, key, items in self.asked:
            self.connection.read_response()
            known.setdefault(key, []).extend(items)
            count += len(items)
        return count


def kill(process, halts, goes_on):
    if halts:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid,
                  os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if goes_on:
        process.send_signal(signal.SIGCONT)
        time.sleep(0.01 * random.random())
    process.kill()


def add_until_killed(process, run, known):
    """Kills the server while all clients have commands in flight. Replies that
    are read after that count, too. Returns how many items were acknowledged."""
    enough, count, killer = random.randrange(2000), 0, None
    server = redis.Redis(unix_socket_path=address)
    if not server.exists("expiring"):
        server.execute_command("BW.RESERVE", "expiring", 0.01, 10 ** 6, 10 ** 6)
    clients = [Client("%d.%d" % (run, i), commands) for i, commands in
               enumerate(2 * [one_by_one, many, growing, merged, expiring])]
    for c in clients:
        c.send()
    while clients:
        for c in list(clients):
            try:
                count += c.receive(known)
                c.send()
            except redis.ConnectionError:
                clients.remove(c)
            if not killer and count >= enough:
                killer = threading.Timer(
                    0.01 * random.random(), kill,
                    (process, run % 2 == 1, run % 4 == 1))
                killer.start()
    assert killer, "the server ended before it was killed"
    killer.join()
    assert process.wait() == -signal.SIGKILL
    return count


known, told, asked = {}, 0, 0
for run in range(runs):
    if run % 20 == 0:
        known = {}
        shutil.rmtree(os.path.dirname(address) + "/appendonlydir", True)
    process = begin("yes" if run % 40 < 20 else "no")
    asked += verify(known)
    told += add_until_killed(process, run, known)
    if (run + 1) % 20 == 0 or run + 1 == runs:
        process = begin("yes")
        asked += verify(known)
        process.kill()
        process.wait()
        print("%d kills, %d of them after a halt: %d items acknowledged, "
              "looked up %d times after restarts, none lost" %
              (run + 1, (run + 1) // 2, told, asked), flush=True)
