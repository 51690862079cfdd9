#!/usr/bin/env python3
"""Measures the job beside the same job with an operator that only counts, in turns.

    measure.py --build FOLDER --config LOAD.yaml --signals LOAD.jsonl [--rounds 3] [--parallelism 2] [--backends hashmap,rocksdb]

The signals are split by subject into one file for each reader, as a topic is into partitions. A figure is all signals by the whole
duration of the job, its start included.
"""

import argparse
import pathlib
import shutil
import statistics
import zlib

import streams
from cluster import Cluster

JOBS = {"counter": "belfry.flink.CounterJob", "belfry": "belfry.flink.BelfryJob"}


def split(signals, folder, count):
    """Writes the lines into files, those of a subject into one; returns how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [open(folder / f"{index}.jsonl", "wb") for index in range(count)]
    lines = 0
    for lines, line in enumerate(open(signals, "rb"), 1):
        name = line.split(b'"subject":"', 1)[1].split(b'"', 1)[0]
        files[zlib.crc32(name) % count].write(line)
    for file in files:
        file.close()
    return lines


def duration(cluster, job, arguments, work):
    """Of a job, and how much time processors spent on it, in seconds."""
    shutil.rmtree(work / "out", ignore_errors=True)
    before = cluster.processor_time()
    started = cluster.run(
        {"bundle": pathlib.Path(arguments.config).resolve(), "signals": f"file://{work}/signals", "output": f"file://{work}/out",
         "readers": arguments.readers}, parallelism=arguments.parallelism, job=JOBS[job])
    cluster.wait(started, seconds=3000)
    return cluster.duration(started), cluster.processor_time() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--signals", required=True)
    parser.add_argument("--work", default="/tmp/belfry-flink-measure")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parallelism", type=int, default=2)
    parser.add_argument("--readers", type=int, default=1)
    parser.add_argument("--backends", default="hashmap,rocksdb")
    arguments = parser.parse_args()
    work = pathlib.Path(arguments.work).resolve()
    shutil.rmtree(work / "signals", ignore_errors=True)
    count = split(arguments.signals, work / "signals", arguments.readers)
    for backend in arguments.backends.split(","):
        with Cluster(arguments.build, work / "cluster", backend, settings=SETTINGS | MEMORY[backend]) as cluster:
            duration(cluster, "belfry", arguments, work)  # the JVMs get warm
            rates, costs = {job: [] for job in JOBS}, {job: [] for job in JOBS}
            for _ in range(arguments.rounds):
                for job in JOBS:
                    seconds, busy = duration(cluster, job, arguments, work)
                    rates[job].append(count / seconds)
                    costs[job].append(busy * 1e6 / count)
        for job in JOBS:
            print(f"{backend} {job}: {statistics.median(rates[job]):,.0f}/s ({min(rates[job]):,.0f} - {max(rates[job]):,.0f}), "
                  f"{statistics.median(costs[job]):.2f} µs of a processor for a signal")
        print(f"{backend}: {statistics.median(rates['belfry']) / statistics.median(rates['counter']):.2f} of the counter, by processor time "
              f"{statistics.median(costs['counter']) / statistics.median(costs['belfry']):.2f}", flush=True)


# One slot in each of two TaskManagers, as on two machines of one core.
SETTINGS = {"taskmanager.numberOfTaskSlots": 1, "taskmanager.memory.process.size": "3g"}
MEMORY = {"hashmap": {"taskmanager.memory.managed.fraction": 0.05}, "rocksdb": {"taskmanager.memory.managed.fraction": 0.4}}

if __name__ == "__main__":
    main()
