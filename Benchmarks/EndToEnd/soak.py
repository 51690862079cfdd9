"""`make soak`: a durable run at full load for an hour, and whether memory, journal and latency stay as they are.

The columns "processor a signal" and "disk, host" tell whether a rate that changes is the run's doing: what it takes of a processor, and how much
of the machine's time went by in waiting for the disk and was given to others by its host.

Signals come through a pipe without a pause, so that the run is always behind; decisions leave through another. What is said of a signal is how
long it took from being written into the pipe until its decision came out of the other.
"""
import argparse, json, os, pathlib, re, subprocess, sys, threading, time

import machine
from page import median
from programs import remove

# Of these, the time is taken.
MARKED = re.compile(rb'\{"id":"(s-\d+)","type":"notification.requested".{1,80}"campaign":"[^"]+"}}')
MIB = 1 << 20


class Soak:
    """A run between two pipes, and the time of a signal now and then."""

    def __init__(self, options):
        work = options.work
        remove(work.glob("soak.db*"))
        self.database = work / "soak.db"
        config = work / "soak.yaml"
        generated = subprocess.run([work / "generate", "config", "50"], capture_output=True, text=True, check=True).stdout
        # So that histories are full after a while, and records no longer grow.
        config.write_text(generated + "history: { limit: 10 }\n")
        words = ["endless", str(options.signals), str(options.subjects), "50"]
        self.generator = subprocess.Popen([work / "generate", *words], stdout=subprocess.PIPE)
        self.run = subprocess.Popen(
            [options.bin / "belfry", "run", "--config", config, "--store", f"sqlite:{self.database}", "--rejects",
             work / "soak.rejects"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.signals, self.decisions, self.waits = 0, 0, []
        # The id of the signal whose decision is looked for, and when it was written.
        self.marked = None
        for work in (self.write, self.read):
            threading.Thread(target=work, daemon=True).start()

    def write(self):
        last = 0
        while chunk := self.generator.stdout.read1(1 << 16):
            now = time.monotonic()
            if (self.marked is None or now - last > 30) and now - last > 0.2 and (found := MARKED.search(chunk)):
                self.marked, last = (b'"cause":"' + found[1] + b'"', now), now
            try:
                self.run.stdin.write(chunk)
            except BrokenPipeError:
                return  # The run has ended.
            self.signals += chunk.count(b"\n")

    def read(self):
        tail = b""
        while chunk := self.run.stdout.read1(1 << 20):
            self.decisions += chunk.count(b"\n")
            if self.marked and self.marked[0] in tail + chunk:
                self.waits.append(time.monotonic() - self.marked[1])
                self.marked = None
            tail = (tail + chunk)[-64:]

    def processor(self):
        """The seconds of a processor that the run has taken, and of the whole machine: waiting for the disk, taken by its host, and all."""
        run = pathlib.Path(f"/proc/{self.run.pid}/stat").read_text().rpartition(")")[2].split()
        whole = [int(field) for field in pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
        return [ticks / os.sysconf("SC_CLK_TCK") for ticks in (int(run[11]) + int(run[12]), whole[4], whole[7], sum(whole))]

    def sample(self, signals, processor, seconds):
        waits, self.waits = sorted(self.waits), []
        journal = sum(file.stat().st_size for file in pathlib.Path(f"{self.database}.journal").glob("*"))
        status = pathlib.Path(f"/proc/{self.run.pid}/status").read_text()
        run, waiting, taken, whole = (now - then for now, then in zip(self.processor(), processor))
        return {
            "rate": (self.signals - signals) / seconds, "run": 1e6 * run / max(1, self.signals - signals),
            "waiting": waiting / whole, "taken": taken / whole,
            "p50": median(waits), "p99": waits[int(len(waits) * 0.99)],
            "most": waits[-1], "memory": int(re.search(r"RssAnon:\s+(\d+)", status)[1]) * 1024,
            "journal": journal, "database": self.database.stat().st_size,
        }

    def end(self):
        self.generator.kill()
        self.generator.wait()
        self.run.send_signal(15)
        self.run.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the release build of belfry is")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for what is made on the way")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="minutes of a line of what is said")
    parser.add_argument("--signals", type=int, default=5_000_000, help="in each 30 days of the signals' time")
    parser.add_argument("--subjects", type=int, default=10_000, help="few enough that the records of all are full after a while")
    options = parser.parse_args()
    print(json.dumps(machine.describe()), flush=True)
    soak = Soak(options)
    samples, end = [], time.monotonic() + 60 * options.minutes
    print("| minute | signals/s | processor a signal | disk, host | p50, p99, most (ms) | memory | journal | database |\n"
          "|---|---|---|---|---|---|---|---|", flush=True)
    while time.monotonic() < end and soak.run.poll() is None:
        signals, processor, began = soak.signals, soak.processor(), time.monotonic()
        time.sleep(min(60 * options.every, max(1, end - began)))
        sample = soak.sample(signals, processor, time.monotonic() - began)
        samples.append(sample)
        waits = " ".join(f"{sample[name] * 1000:,.0f}" for name in ("p50", "p99", "most"))
        sizes = " | ".join(f"{sample[name] / MIB:,.0f} MiB" for name in ("memory", "journal", "database"))
        machine_lost = f"{sample['waiting']:.0%}, {sample['taken']:.0%}"
        print(f"| {len(samples) * options.every:.0f} | {sample['rate']:,.0f} | {sample['run']:.2f} µs | {machine_lost} | {waits} | {sizes} |",
              flush=True)
    if soak.run.poll() is not None:
        raise SystemExit(f"the run ended by itself with {soak.run.returncode}")
    soak.end()
    print(f"{soak.signals:,} signals, {soak.decisions:,} decisions", flush=True)


if __name__ == "__main__":
    main()
