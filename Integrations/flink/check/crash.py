"""Checks what a plugin that crashes costs: two workers and one signal, until it is mended."""

import json
import shutil
import subprocess
import time

import streams
from cluster import HERE

CONFIGURATION = """\
app: check
plugins: { directories: [bundled, plugins] }
chain:
  - { strategy: faulty }
  - { strategy: cooldown, parameters: { period: 10m } }
campaigns:
  - { id: sale, message: Sale }
"""

# One of so many calls of a hook is a crash, which ones goes by subject and time.
RATE = 331
# A line of the second file is of the same subject as the one of that number in the first.
PEOPLE, FILE = 30, 300


def workplace(check, name, *definitions):
    """A configuration with the plugin that the tests have for this, which crashes in some calls, or says there that it failed."""
    folder = check.work / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "plugins").mkdir(parents=True)
    (folder / "belfry.yaml").write_text(CONFIGURATION)
    source = HERE.parent.parent / "Tests/BelfryCommandTests/Plugins/faulty.c"
    subprocess.run(
        ["cc", "-std=gnu11", "-O2", "-fPIC", "-shared", f"-DRATE={RATE}", *definitions, "-I", HERE.parent.parent / "Sources/CBelfry/include",
         source, "-o", folder / "plugins/libFaulty.so"], check=True)
    return folder


def crash(check):
    started = time.monotonic()
    polite, faulty = workplace(check, "polite", "-DPOLITE"), workplace(check, "crash", "-DKIND=0")
    lines = [
        json.dumps({"id": f"s{n}", "type": "notification.requested", "subject": f"p{n % PEOPLE}", "data": {"campaign": "sale"},
                    "time": f"2026-03-02T{9 + n // 200:02}:{n // 4 % 50:02}:{n % 60:02}Z"}).encode()
        for n in range(2 * FILE)]
    everything = streams.decided(check.belfry, polite / "belfry.yaml", streams.write(polite / "all.jsonl", lines), polite / "all.run")
    deadly = {decision["cause"] for decision in map(json.loads, everything) if decision["type"] == "strategy.faulted"}
    if len(deadly) > 4 or not any(int(signal[1:]) < FILE for signal in deadly):
        raise SystemExit(f"{deadly} crash, which are too many, or none of the first file; choose another RATE")
    harmless = [line for line in lines if json.loads(line)["id"] not in deadly]
    expected = streams.decided(check.belfry, polite / "belfry.yaml", streams.write(polite / "some.jsonl", harmless), polite / "some.run")
    subprocess.run([check.belfry, "bundle", "--config", faulty / "belfry.yaml", "--output", faulty / "crash.tar"], check=True, stdout=subprocess.DEVNULL)
    for file, part in ("a", lines[:FILE]), ("b", lines[FILE:]):
        streams.write(faulty / f"signals/{file}.jsonl", part)
    options = {"signals": f"file://{faulty}/signals", "marks": faulty / "marks"}
    with check.cluster("crash", settings={"execution.checkpointing.interval": "1s"}) as cluster:
        job = cluster.run(options | {"bundle": f"file://{faulty}/crash.tar", "output": f"file://{faulty}/out"})
        deaths = 0
        while cluster.state(job) != "FINISHED":
            deaths += cluster.replace_dead_workers()
            if deaths > 2 * len(deadly) + 1:
                raise SystemExit(f"{deaths} workers died of {len(deadly)} signals")
            time.sleep(0.5)
        # The same signals and the same marks, with the plugin mended: another generation.
        cluster.wait(cluster.run(options | {"bundle": polite / "belfry.yaml", "output": f"file://{polite}/out"}))
    rejects = [json.loads(line) for path in streams.parts(faulty / "out/rejects") for line in streams.read_lines(path)]
    named = {json.loads(reject["input"])["id"] for reject in rejects if reject["code"] == "crashed"}
    if named != deadly:
        raise SystemExit(f"other signals are left out than those that crash\n  found: {named}\n  expected: {deadly}")
    subjects = streams.compare(streams.by_subject(expected), streams.by_subject(*streams.written(faulty / "out/decisions")))
    streams.compare(streams.by_subject(everything), streams.by_subject(*streams.written(polite / "out/decisions")))
    faults = sorted(line for file in streams.written(polite / "out/faults") for line in file)
    if faults != sorted(line for line in everything if json.loads(line)["type"] == "strategy.faulted"):
        raise SystemExit(f"'faults' has other lines than the faults\n  found: {b' '.join(faults).decode()}")
    print(f"crash: {deaths} workers died of {len(deadly)} signals, and none when it was mended, {subjects} of {subjects} subjects, "
          f"{time.monotonic() - started:.0f} s", flush=True)
