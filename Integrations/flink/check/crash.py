"""Checks what a plugin that crashes costs: two workers and one signal."""

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
RATE = 700


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
        json.dumps({"id": f"s{n}", "type": "notification.requested", "subject": f"p{n % 40}", "data": {"campaign": "sale"},
                    "time": f"2026-03-02T{9 + n // 200:02}:{n // 4 % 50:02}:{n % 60:02}Z"}).encode()
        for n in range(600)]
    everything = streams.decided(check.belfry, polite / "belfry.yaml", streams.write(polite / "all.jsonl", lines), polite / "all.run")
    deadly = {decision["cause"] for decision in map(json.loads, everything) if decision["type"] == "strategy.faulted"}
    if not 0 < len(deadly) < 5:
        raise SystemExit(f"{len(deadly)} signals crash; choose another RATE")
    harmless = [line for line in lines if json.loads(line)["id"] not in deadly]
    expected = streams.decided(check.belfry, polite / "belfry.yaml", streams.write(polite / "some.jsonl", harmless), polite / "some.run")
    subprocess.run([check.belfry, "bundle", "--config", faulty / "belfry.yaml", "--output", faulty / "crash.tar"], check=True, stdout=subprocess.DEVNULL)
    with check.cluster("crash", settings={"execution.checkpointing.interval": "1s"}) as cluster:
        job = cluster.run({
            "bundle": f"file://{faulty}/crash.tar", "signals": f"file://{streams.write(faulty / 'signals.jsonl', lines)}",
            "output": f"file://{faulty}/out", "marks": faulty / "marks"})
        deaths = 0
        while cluster.state(job) != "FINISHED":
            deaths += cluster.replace_dead_workers()
            if deaths > 2 * len(deadly) + 1:
                raise SystemExit(f"{deaths} workers died of {len(deadly)} signals")
            time.sleep(0.5)
    rejects = [json.loads(line) for path in streams.parts(faulty / "out/rejects") for line in streams.read_lines(path)]
    named = {json.loads(reject["input"])["id"] for reject in rejects if reject["code"] == "crashed"}
    if named != deadly:
        raise SystemExit(f"other signals are left out than those that crash\n  found: {named}\n  expected: {deadly}")
    subjects = streams.compare(streams.by_subject(expected), streams.by_subject(*streams.written(faulty / "out/decisions")))
    print(f"crash: {deaths} workers died of {len(deadly)} signals, {subjects} of {subjects} subjects, {time.monotonic() - started:.0f} s", flush=True)
