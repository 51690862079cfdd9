"""What being durable costs: beside memory and beside the disk itself, for a flood and for one signal at a time; after a kill; with millions."""
import argparse, json, os, resource, signal, subprocess, sys, time

from page import MIB, head, median, ms, spread, table, verdict
from programs import Belfry, location, remove, timed


def measure(options, make_load, interleaved):
    # More than a minute, with checkpoints all along.
    options = argparse.Namespace(**(vars(options) | {"signals": max(options.signals, 12_000_000)}))
    config, signals = make_load(options)
    found = {"load": {"signals": options.signals, "subjects": options.subjects}, "bytes": []}
    found["rates"] = interleaved({
        store: lambda store=store: flood(options, config, signals, store, found["bytes"]) for store in ("memory", "sqlite")},
        min(3, options.rounds))
    found["disk"] = appended(options, 200 * 1000, 5000)
    found["alone"] = {store: one_by_one(options, config, signals, store) for store in ("memory", "sqlite")}
    found["write"] = percentiles(writes(options, 700, 3000)[0])
    found["recovery"] = [recovered(options, config, signals) for _ in range(3)]
    if options.big:
        found["many"], found["opening"] = many(options), opened(options)
    return found


def percentiles(seconds):
    ordered = sorted(seconds)
    return {"p50": median(ordered), "p99": ordered[int(len(ordered) * 0.99)]}


# A flood


def flood(options, config, signals, store, written):
    """Signals a second from file to file; what was written besides the decisions is added to a list."""
    belfry = Belfry("", options.bin / "belfry", options.work, store)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock
    result = belfry.run(config, signals)
    blocks = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock - before
    if store == "sqlite":
        written.append((blocks * 512 - belfry.decisions.stat().st_size) / result.signals)
    return result.rate


# The disk


def writes(options, size, count):
    """Seconds of each append of so many bytes with a sync, and of all of them."""
    path, data, each = options.work / "disk", os.urandom(size), []
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for _ in range(count):
        begin = time.monotonic()
        os.write(file, data)
        os.fdatasync(file)
        each.append(time.monotonic() - begin)
    os.close(file)
    path.unlink()
    return each, sum(each)


def appended(options, size, count):
    """Bytes a second: pieces as large as the entry of a batch in the journal."""
    return size * count / writes(options, size, count)[1]


# One at a time


def one_by_one(options, config, signals, store, count=3000, extra=()):
    """What each of so many requests takes that wait for the one before."""
    remove(options.work.glob("bench.db*"))
    store = location(store, options.work / "bench.db")
    run = subprocess.Popen([options.bin / "belfry", "run", "--config", config, "--store", store, *extra],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    each = []
    with open(signals, "rb") as lines:
        for line in lines:
            if b"notification.requested" not in line:
                continue
            begin = time.monotonic()
            os.write(run.stdin.fileno(), line)
            decision = run.stdout.readline()
            each.append(time.monotonic() - begin)
            if json.loads(line)["id"] != json.loads(decision)["cause"]:
                raise SystemExit(f"another decision than that of the signal came: {decision}")
            if len(each) == count + 200:
                break
    run.stdin.close()
    run.wait()
    return percentiles(each[200:])


# After a kill


def recovered(options, config, signals, after=8):
    """Seconds from the start of a run to its first new decision, where the one before was killed at full load after so many."""
    remove(options.work.glob("bench.db*"))
    decisions = options.work / "belfry.jsonl"
    decisions.unlink(missing_ok=True)
    command = [options.bin / "belfry", "run", "--config", config, "--signals", signals, "--output", decisions,
               "--store", location("sqlite", options.work / "bench.db")]

    def start():
        return subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    first = start()
    time.sleep(after)
    first.send_signal(signal.SIGKILL)
    first.wait()
    # What was decided and had not left comes first, of at most five batches.
    former = decisions.stat().st_size + 5 * 1000 * 400
    begin, second = time.monotonic(), start()
    while decisions.stat().st_size <= former and second.poll() is None:
        time.sleep(0.005)
    seconds = time.monotonic() - begin
    if second.poll() is not None:
        raise SystemExit(f"the run after a kill ended with {second.returncode}")
    second.send_signal(signal.SIGKILL)
    second.wait()
    return seconds


# Millions


def many(options, subjects=5_000_000, count=4_000_000):
    """Signals a second with so many subjects in a store, all with attributes: about a minute of them."""
    work, cache = options.work, "256MiB"
    config, people = work / f"many-{options.campaigns}.yaml", work / f"many-{subjects}.jsonl"
    signals = work / f"many-{subjects}-{count}.jsonl"
    for path, words in ((config, ["config", options.campaigns]), (people, ["people", subjects]),
                        (signals, ["signals", count, subjects, options.campaigns])):
        if not path.exists():
            print(f"making {path.name}", file=sys.stderr)
            with open(path, "w") as out:
                subprocess.run([work / "generate", *map(str, words)], stdout=out, check=True)
    belfry = Belfry("", options.bin / "belfry", work, "sqlite", extra=["--cache", cache])
    print("filling the store", file=sys.stderr)
    belfry.run(config, people)
    return {"subjects": subjects, "rate": belfry.run(config, signals, keeps_store=True).rate, "cache": cache}


def opened(options, times=5):
    """What an empty run takes longer with the store that `many` left than with an empty one."""
    def seconds(path):
        words = ["--signals", "/dev/null", "--store", location("sqlite", path), "--output", "/dev/null"]
        config = options.work / f"many-{options.campaigns}.yaml"
        return min(timed([options.bin / "belfry", "run", "--config", config, *words])[2] for _ in range(times))
    remove(options.work.glob("empty.db*"))
    return seconds(options.work / "bench.db") - seconds(options.work / "empty.db")


# The page


def rows(found):
    memory = median(found["rates"]["memory"])
    load = f"{found['load']['signals']:,} signals, {found['load']['subjects']:,} subjects"
    rate = median(found["rates"]["sqlite"])
    yield (f"{load}, file to file, `sqlite:`", "0.6 of memory",
           f"{rate / memory:.2f} ({rate:,.0f} beside {memory:,.0f} signals/s; {spread(found['rates']['sqlite'])} and "
           f"{spread(found['rates']['memory'])})", verdict(rate >= 0.6 * memory))
    if many := found.get("many"):
        rate = many["rate"]
        yield (f"{many['subjects']:,} subjects, cache {many['cache']}, `sqlite:`", "0.3 of memory",
               f"{rate / memory:.2f} ({rate:,.0f} signals/s)", verdict(rate >= 0.3 * memory))
    alone, write = found["alone"]["sqlite"], found["write"]
    is_met = all(alone[name] <= 1.5 * write[name] for name in ("p50", "p99"))
    yield ("one signal at a time, durable, p50 / p99", "1.5 × a bare write of 700 bytes with `fdatasync`",
           f"{ms(alone['p50'])} / {ms(alone['p99'])} beside {ms(write['p50'])} / {ms(write['p99'])}; in memory "
           f"{ms(found['alone']['memory']['p50'])} / {ms(found['alone']['memory']['p99'])}", verdict(is_met))
    seconds = median(found["recovery"])
    yield ("from the start after a kill under full load to the first new decision", "under 5 s", f"{seconds:.1f} s",
           verdict(seconds < 5))
    each = median(found["bytes"])
    yield ("bytes written for a signal, besides its decisions' file", "under 700", f"{each:.0f}", verdict(each < 700))
    if many:
        yield (f"opening a store of {many['subjects']:,} subjects", "under 300 ms", f"{found['opening'] * 1000:.0f} ms",
               verdict(found["opening"] < 0.3))
    yield ("that disk: 200 kB appended and synced, over and over", "", f"{found['disk'] / MIB:,.0f} MiB/s", "")


def text(results):
    return "\n\n".join([head(results), table(("work", "goal", "measured", "met"), list(rows(results)))])
