#!/usr/bin/env python3
"""Compares what the job decides in a cluster with what `belfry run` decides: each line of each subject, by its hash.

    check.py --build FOLDER --work FOLDER [--signals N] [--kills N] [--jobmanager-kills N] [--stream CONFIG SIGNALS]… [--only NAME…]

Streams are generated, `--signals` long, and those that are named. Each ends with one tick. The checks:

    order      signals in the order in which they came, parallelism 4, state in RocksDB
    shuffle    the same, shuffled between subjects, state on the heap, hardly any record in memory of the task
    kills      TaskManagers and the JobManager are killed with SIGKILL at random moments, state in RocksDB; the file of signals grows
    rescale    from 2 to 4 from a savepoint, in the middle of the stream, state on the heap
    bundle     another bundle from a tick on, one that is broken, and one whose plugin crashes where it is loaded
    commands   show, explain, export and erase of one subject while the job runs
    state      the records of a local store go into a job, and back
    crash      a plugin that crashes costs its signal, and nothing else
"""

import argparse
import contextlib
import os
import pathlib
import random
import shutil
import time

import changes
import crash
import generate
import streams
from cluster import Cluster, wait_until


class Stream:
    """Signals with their configuration, and what a run makes of them."""

    def __init__(self, name, configuration, lines, check):
        self.name, self.configuration, self.count = name, pathlib.Path(configuration).resolve(), len(lines) + 1
        self.path, self.shuffled, output = (check.work / f"{name}.{kind}" for kind in ("jsonl", "shuffled.jsonl", "run"))
        if self.path.exists():
            raise SystemExit(f"two configurations are called '{name}'\n  fix: give their files different names")
        streams.write(self.path, lines + [streams.end_of(lines)])
        with streams.workers(2) as pool:
            shuffled = pool.submit(streams.shuffle, self.path, self.shuffled) if "shuffle" in check.arguments.only else None
            self.decisions = streams.run(check.belfry, self.configuration, self.path, output)
            self.digest = pool.submit(streams.digest_of, self.decisions).result()
            if shuffled:
                shuffled.result()
        self.rejects = sorted(streams.read_lines(f"{output}.rejects"))


@contextlib.contextmanager
def growing(path):
    """A file to which a line is added that nobody is to read."""
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"added\n")
    yield
    os.truncate(path, size)


# RocksDB has its memory outside of the heap, and a checkpoint of it may be what is new since the last one.
ROCKSDB = {"taskmanager.memory.managed.fraction": 0.3, "execution.checkpointing.incremental": "true"}
# Half of a short job, and of a start, is compiling; production has the other compiler and collector, as has measure.py.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Check:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build, self.work = pathlib.Path(arguments.build).resolve(), pathlib.Path(arguments.work).resolve()
        self.belfry = self.build / "belfry/belfry"
        self.chance = random.Random(arguments.seed)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        configuration = self.work / "generated.yaml"
        configuration.write_text(generate.configuration())
        self.streams = [Stream("generated", configuration, generate.signals(arguments.signals, arguments.signals // 50, arguments.seed), self)]
        for configuration, signals in arguments.stream:
            name = pathlib.Path(configuration).stem
            self.streams.append(Stream(name, configuration, streams.read_lines(signals), self))

    # MARK: Jobs

    def options(self, stream, name, **options):
        """Of a job that writes into a folder of that name."""
        shutil.rmtree(self.work / name, ignore_errors=True)
        return {"bundle": stream.configuration, "signals": f"file://{stream.path}", "output": f"file://{self.work / name}", **options}

    def compare(self, stream, name, started):
        folder = self.work / name
        found = streams.digest(*streams.parts(folder / "decisions"))
        if found != stream.digest:
            # Only now subject by subject: that takes minutes.
            expected = streams.by_subject(streams.read_lines(stream.decisions))
            streams.compare(expected, streams.by_subject(*streams.written(folder / "decisions")))
            raise SystemExit(f"the decisions of '{stream.name}' differ, and those of no subject do\n  look: ends of lines")
        rejects = sorted(line for path in streams.parts(folder / "rejects") for line in streams.read_lines(path))
        if name != "shuffle" and rejects != stream.rejects:
            raise SystemExit(f"the rejects of '{stream.name}' differ\n  found: {len(rejects)}\n  expected: {len(stream.rejects)}")
        shutil.rmtree(folder, ignore_errors=True)  # gigabytes, the same as the run's
        print(f"{name} of {stream.name}: all of {len(found.subjects)} subjects, {found.count} decisions, {time.monotonic() - started:.0f} s", flush=True)

    def cluster(self, name, backend="hashmap", settings=(), **options):
        settings = (ROCKSDB if backend == "rocksdb" else {}) | dict(settings)
        return Cluster(self.build, self.work / f"cluster-{name}", backend, settings=settings, java=JAVA, **options)

    def decide(self, cluster, stream, options):
        """Runs a job to its end."""
        cluster.wait(cluster.run(options), seconds=600 + stream.count // 2000)

    def longest(self):
        """The stream that is long enough for what happens in the middle of it."""
        return max(self.streams, key=lambda stream: stream.count)

    # MARK: Checks

    def order(self):
        self.decide_all("order", "rocksdb", lambda stream: {})

    def shuffle(self):
        # So few records in memory that most are read and written again and again.
        self.decide_all("shuffle", "hashmap", lambda stream: {"signals": f"file://{stream.shuffled}", "live-records": 20})

    def decide_all(self, name, backend, options):
        """Decides each stream, with options that go by it, and compares."""
        with self.cluster(name, backend) as cluster:
            for stream in self.streams:
                started = time.monotonic()
                self.decide(cluster, stream, self.options(stream, name, **options(stream)))
                self.compare(stream, name, started)

    def kills(self):
        settings = {"execution.checkpointing.interval": "2s"}
        with self.cluster("kills", "rocksdb", settings, zookeeper=True) as cluster:
            stream = self.longest()
            kinds = ["worker"] * self.arguments.kills + ["jobmanager"] * self.arguments.jobmanager_kills
            self.chance.shuffle(kinds)
            started = time.monotonic()
            # About seven seconds of signals for each kill: what is done after it is seen by the next one.
            pace = max(200, stream.count // (7 * len(kinds) + 10))
            job = cluster.run(self.options(stream, "kills", source="belfry.flink.SlowSignals", pace=pace))
            cluster.wait(job, "RUNNING")
            with growing(stream.path):
                done = self.kill_all(cluster, job, kinds)
                cluster.wait(job, seconds=900)
            self.compare(stream, "kills", started)
            print(f"kills: {done} while the job ran", flush=True)

    def kill_all(self, cluster, job, kinds):
        done = {"worker": 0, "jobmanager": 0}
        for kind in kinds:
            cluster.wait(job, "RUNNING", seconds=180)
            before = cluster.checkpoints(job)
            wait_until("a checkpoint", lambda: cluster.checkpoints(job) > before or cluster.state(job) == "FINISHED")
            time.sleep(self.chance.uniform(0, 3))
            if cluster.state(job) == "FINISHED":
                raise SystemExit(f"the job ended after {done}; give it more signals")
            cluster.kill_jobmanager() if kind == "jobmanager" else cluster.kill_worker(self.chance.randrange(2))
            done[kind] += 1
        return done

    def rescale(self):
        with self.cluster("rescale", settings={"execution.checkpointing.interval": "2s"}) as cluster:
            stream = self.longest()
            started = time.monotonic()
            options = self.options(stream, "rescale", source="belfry.flink.SlowSignals", pace=max(200, stream.count // 20))
            job = cluster.run(options, parallelism=2)
            wait_until("three checkpoints", lambda: cluster.checkpoints(job) >= 3)
            savepoint = cluster.stop_with_savepoint(job)
            before = sum(map(len, streams.written(self.work / "rescale/decisions")))
            if not 0 < before < stream.digest.count:
                raise SystemExit(f"{before} of {stream.digest.count} decisions came before the savepoint; it has to be in the middle")
            cluster.wait(cluster.run(options, parallelism=4, savepoint=savepoint))
            self.compare(stream, "rescale", started)
            print(f"rescale: {before} decisions came before it", flush=True)

    def bundle(self):
        changes.change_bundle(self)

    def commands(self):
        changes.command(self)

    def state(self):
        changes.move_state(self)

    def crash(self):
        crash.crash(self)


CHECKS = ["order", "shuffle", "kills", "rescale", "bundle", "commands", "state", "crash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--signals", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--jobmanager-kills", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stream", nargs=2, action="append", default=[], metavar=("CONFIG", "SIGNALS"))
    parser.add_argument("--only", nargs="*", choices=CHECKS, default=CHECKS)
    arguments = parser.parse_args()
    check = Check(arguments)
    for name in arguments.only:
        getattr(check, name)()


if __name__ == "__main__":
    main()
