#!/usr/bin/env python3
"""Compares what the job decides in a cluster with what `belfry run` decides, subject by subject, byte by byte.

    check.py --build FOLDER --work FOLDER [--signals N] [--kills N] [--jobmanager-kills N] [--stream CONFIG SIGNALS]… [--only NAME…]

Streams are generated, `--signals` long, and those that are named. Each ends with one tick. The checks:

    order      signals in the order in which they came, parallelism 4, both kinds of state
    shuffle    the same, shuffled between subjects
    kills      TaskManagers and the JobManager are killed with SIGKILL at random moments
    rescale    from 2 to 4 from a savepoint, in the middle of the stream
    bundle     another bundle from a tick on, and one that is broken
    commands   show, explain, export and erase of one subject while the job runs
    state      the records of a local store go into a job, and back
    crash      a plugin that crashes costs its signal, and nothing else
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

import changes
import crash
import generate
import streams
from cluster import Cluster, wait_until


class Stream:
    """Signals with their configuration, and what a run makes of them."""

    def __init__(self, name, configuration, lines, check):
        self.name, self.configuration = name, pathlib.Path(configuration).resolve()
        self.lines = lines + [streams.end_of(lines)]
        self.path = streams.write(check.work / f"{name}.jsonl", self.lines)
        output = check.work / f"{name}.run"
        self.expected = streams.by_subject(streams.run(check.belfry, self.configuration, self.path, output))
        self.rejects = sorted(streams.read_lines(str(output) + ".rejects"))


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
        lines = generate.signals(arguments.signals, arguments.signals // 50, arguments.seed)
        self.streams = [Stream("generated", configuration, lines, self)]
        for configuration, signals in arguments.stream:
            name = pathlib.Path(configuration).stem
            self.streams.append(Stream(name, configuration, streams.read_lines(signals), self))

    # MARK: Jobs

    def options(self, stream, name, **options):
        """Of a job that writes into a folder of that name."""
        shutil.rmtree(self.work / name, ignore_errors=True)
        return {"bundle": stream.configuration, "signals": f"file://{stream.path}", "output": f"file://{self.work / name}", **options}

    def compare(self, stream, name, started):
        found = streams.by_subject(*streams.written(self.work / name / "decisions"))
        subjects = streams.compare(stream.expected, found)
        rejects = sorted(line for path in streams.parts(self.work / name / "rejects") for line in streams.read_lines(path))
        if name.endswith("order") and rejects != stream.rejects:
            raise SystemExit(f"the rejects of '{stream.name}' differ\n  found: {len(rejects)}\n  expected: {len(stream.rejects)}")
        decisions = sum(map(len, found.values()))
        print(f"{name} of {stream.name}: {subjects} of {subjects} subjects, {decisions} decisions, {time.monotonic() - started:.0f} s", flush=True)

    def cluster(self, name, **options):
        return Cluster(self.build, self.work / f"cluster-{name}", **options)

    def decide(self, cluster, stream, options):
        """Runs a job to its end."""
        cluster.wait(cluster.run(options), seconds=600 + len(stream.lines) // 2000)

    def longest(self):
        """The stream that is long enough for what happens in the middle of it."""
        return max(self.streams, key=lambda stream: len(stream.lines))

    # MARK: Checks

    def order(self):
        for backend in ("hashmap", "rocksdb"):
            with self.cluster(f"order-{backend}", backend=backend) as cluster:
                for stream in self.streams:
                    started = time.monotonic()
                    self.decide(cluster, stream, self.options(stream, f"{backend}-order"))
                    self.compare(stream, f"{backend}-order", started)

    def shuffle(self):
        with self.cluster("shuffle") as cluster:
            for stream in self.streams:
                started = time.monotonic()
                path = streams.write(self.work / "shuffled.jsonl", streams.shuffled(stream.lines))
                # So few records in memory that most are read and written again and again.
                self.decide(cluster, stream, self.options(stream, "shuffle", signals=f"file://{path}", **{"live-records": 20}))
                self.compare(stream, "shuffle", started)

    def kills(self):
        settings = {"execution.checkpointing.interval": "2s"}
        with self.cluster("kills", backend="rocksdb", zookeeper=True, settings=settings) as cluster:
            stream = self.longest()
            kinds = ["worker"] * self.arguments.kills + ["jobmanager"] * self.arguments.jobmanager_kills
            self.chance.shuffle(kinds)
            started = time.monotonic()
            # About seven seconds of signals for each kill: what is done after it is seen by the next one.
            pace = max(200, len(stream.lines) // (7 * len(kinds) + 10))
            job = cluster.run(self.options(stream, "kills", source="belfry.flink.SlowSignals", pace=pace))
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
        with self.cluster("rescale", backend="rocksdb", settings={"execution.checkpointing.interval": "2s"}) as cluster:
            stream = self.longest()
            started = time.monotonic()
            options = self.options(stream, "rescale", source="belfry.flink.SlowSignals", pace=max(200, len(stream.lines) // 20))
            job = cluster.run(options, parallelism=2)
            wait_until("three checkpoints", lambda: cluster.checkpoints(job) >= 3)
            savepoint = cluster.stop_with_savepoint(job)
            before = sum(map(len, streams.written(self.work / "rescale/decisions")))
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
