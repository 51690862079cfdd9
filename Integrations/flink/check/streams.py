"""Streams of signals, and what a run makes of them."""

import collections
import concurrent.futures
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess


def read_lines(path):
    path = pathlib.Path(path)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        return [line for line in file.read().splitlines() if line]


# To parse a line takes ten times as long as to find what is looked for, and there are millions of them.
SUBJECT = re.compile(rb'"subject": ?"([^"\\]*)"')
# The id comes second in every line; a subject may have a colon in it, its number has none.
ID = re.compile(rb'\{"specversion":"1\.0","id":"([^"\\]*):(\d+)"')


def subject(line):
    """The subject of a signal; None for a tick, which has none."""
    if line.count(b"subject") == 1 and (found := SUBJECT.search(line)):
        return found[1].decode()
    return json.loads(line).get("subject")


def decision(line):
    """The subject and the number of a decision."""
    if found := ID.match(line):
        return found[1].decode(), int(found[2])
    name, number = json.loads(line)["id"].rsplit(":", 1)
    return name, int(number)


def tick(time):
    return json.dumps({"type": "clock.advanced", "time": time}).encode()


def end_of(lines):
    """A tick at the end of a stream."""
    return tick(max(json.loads(line)["time"] for line in lines[-1000:]))


def shuffle(path, output, seed=1):
    """Writes the signals of a file in another order, in which those of each subject keep theirs, and ticks their place among all."""
    chance = random.Random(seed)
    lines = read_lines(path)
    names = [subject(line) for line in lines]
    ticks = [place for place, name in enumerate(names) if name is None]
    order = []
    for first, last in zip([0] + [tick + 1 for tick in ticks], ticks + [len(lines)]):
        between = names[first:last]
        chance.shuffle(between)
        order += between + names[last:last + 1]
    queues = collections.defaultdict(collections.deque)
    for name, line in zip(names, lines):
        queues[name].append(line)
    return write(output, [queues[name].popleft() for name in order])


def write(path, lines):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def by_subject(*parts):
    """Each subject's decisions, in the order of their numbers. Within one part they have to be in order; one that is there twice is an error."""
    found = collections.defaultdict(dict)
    for lines in parts:
        last = {}
        for line in lines:
            name, number = decision(line)
            if number <= last.get(name, 0):
                raise SystemExit(f"decision {name}:{number} comes behind {last[name]} in one file")
            if number in found[name]:
                raise SystemExit(f"decision {name}:{number} is there twice")
            last[name] = number
            found[name][number] = line
    return {name: [lines[number] for number in sorted(lines)] for name, lines in found.items()}


def workers(count):
    """Processes for so many pieces of work. They are forked: so the hash of a line is the same in all of them."""
    return concurrent.futures.ProcessPoolExecutor(
        max(1, min(count, os.cpu_count())), multiprocessing.get_context("fork"), signal.signal, (signal.SIGTERM, signal.SIG_DFL))


# Lines of decisions, in whatever order those of different subjects are: how many, the sum of their hashes, and whose they are.
Digest = collections.namedtuple("Digest", "count sum subjects")


def digest(*paths):
    """Of some files. A line has its id, so one that is missing, twice or another's changes the sum."""
    with workers(len(paths)) as pool:
        parts = list(pool.map(digest_of, paths))
    return Digest(sum(part.count for part in parts), sum(part.sum for part in parts), set().union(*(part.subjects for part in parts)))


def digest_of(path):
    """Of one file, in which each subject's decisions have to be in order."""
    count, total, last = 0, 0, {}
    with open(path, "rb") as file:
        while lines := file.readlines(1 << 24):
            count += len(lines)
            total += sum(map(hash, lines))
            for line in lines:
                name, number = decision(line)
                if number <= last.get(name, 0):
                    raise SystemExit(f"decision {name}:{number} comes behind {last[name]} in {path}")
                last[name] = number
    return Digest(count, total, set(last))


def run(belfry, configuration, signals, output, *options):
    """Has `belfry run` decide; returns the file of its decisions."""
    output = pathlib.Path(output)
    output.unlink(missing_ok=True)  # a run appends
    result = subprocess.run(
        [belfry, "run", "--config", configuration, "--store", "memory:", "--signals", signals, "--output", output,
         "--rejects", str(output) + ".rejects", *options],
        stderr=subprocess.PIPE)
    if result.returncode not in (0, 3):
        raise SystemExit(result.stderr.decode())
    return output


def decided(*arguments):
    """The decisions of such a run."""
    return read_lines(run(*arguments))


def parts(folder):
    """The files that a sink has completed; those under way begin with a dot."""
    return sorted(path for path in pathlib.Path(folder).rglob("part-*") if not path.name.startswith("."))


def written(folder):
    """The lines of each file of a sink."""
    return (read_lines(path) for path in parts(folder))


def compare(expected, found):
    """How many subjects have the same decisions, byte by byte; or what differs first."""
    for name in sorted(expected.keys() | found.keys()):
        left, right = expected.get(name, []), found.get(name, [])
        if left == right:
            continue
        place = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
        def show(lines): return lines[place].decode() if place < len(lines) else "nothing"
        raise SystemExit(
            f"subject '{name}' is decided otherwise\n  found: {show(right)}\n  expected: {show(left)}\n"
            f"  look: decision {place + 1} of {len(left)} expected, {len(right)} found")
    return len(expected)
