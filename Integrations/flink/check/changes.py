"""Checks of what happens to a job while it runs: another bundle, commands, records that come and go."""

import json
import shutil
import subprocess
import time

import crash
import generate
import streams
from cluster import HERE, wait_until


class Halves:
    """A generated stream in two parts, with a tick between them, for another configuration from there on."""

    def __init__(self, check, name):
        self.check, self.work = check, check.work / name
        shutil.rmtree(self.work, ignore_errors=True)
        # So many that a change comes in their middle; what a job takes in all is another check.
        lines = generate.signals(min(check.arguments.signals // 2, 100_000), 200, seed=7)
        middle = len(lines) // 2
        self.first = lines[:middle] + [streams.end_of(lines[:middle])]
        self.second = lines[middle:] + [streams.end_of(lines)]
        self.tick = json.loads(self.first[-1])["time"]
        self.configurations = [self._configuration(folder, folder == "b") for folder in ("a", "b")]
        (self.work / "commands").mkdir()

    def _configuration(self, folder, variant):
        path = self.work / folder / "belfry.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(generate.configuration(variant))
        return path

    def run(self, half, configuration, store):
        """What `belfry run` decides on a half, in a store that stays."""
        signals = streams.write(self.work / f"half{half}-{store}.jsonl", [self.first, self.second][half])
        return streams.decided(
            self.check.belfry, configuration, signals, self.work / f"run{half}-{store}", "--store", f"sqlite:{self.work}/{store}.db")

    def belfry(self, *arguments, **options):
        result = subprocess.run([self.check.belfry, *map(str, arguments)], text=True, capture_output=True, **options)
        if result.returncode:
            raise SystemExit(f"belfry {' '.join(map(str, arguments))}\n{result.stderr}")
        return result.stdout

    # The job

    def options(self, **options):
        return {
            "bundle": self.configurations[0], "output": f"file://{self.work}/out", "commands": f"file://{self.work}/commands",
            "follow": 200, **options}

    def command(self, *commands):
        """Hands commands to the job, all at once. A savepoint knows the names that were there."""
        name = f"{time.time_ns()}.jsonl"
        streams.write(self.work / name, [json.dumps(command).encode() for command in commands]).rename(self.work / "commands" / name)

    def feed(self, name, lines):
        """Hands lines to a job that follows a folder."""
        streams.write(self.work / name, lines).rename(self.work / "signals" / name)

    def answers(self, identifier=None):
        found = [json.loads(line) for path in streams.parts(self.work / "out/answers") for line in streams.read_lines(path)]
        return [answer for answer in found if identifier in (None, answer.get("id"))]

    def answer(self, command):
        """What a job answers to a command that one task answers."""
        self.command(command)
        return wait_until(f"an answer to {command}", lambda: self.answers(command["id"]))[0]

    def decisions(self):
        """Of each file of the job."""
        return streams.written(self.work / "out/decisions")

    def wait_for(self, count):
        """Waits until so many decisions have been written."""
        wait_until(f"decision {count}", lambda: sum(map(len, self.decisions())) >= count, 180)


SETTINGS = {"execution.checkpointing.interval": "1s"}


def change_bundle(check):
    """From a tick on another bundle decides, in every task, also after a restart; one that is broken, or crashes, changes nothing."""
    halves = Halves(check, "bundle")
    started = time.monotonic()
    bundles = [halves.work / f"{name}.tar" for name in ("a", "b", "broken")]
    for configuration, bundle in zip(halves.configurations, bundles):
        halves.belfry("bundle", "--config", configuration, "--output", bundle)
    broken = bytearray(bundles[1].read_bytes())
    broken[1600] ^= 1
    bundles[2].write_bytes(broken)
    loading = crash.workplace(check, "loading", HERE / "check/crash_in_java.c")
    halves.belfry("bundle", "--config", loading / "belfry.yaml", "--output", loading / "crash.tar")
    expected = [halves.run(0, halves.configurations[0], "store"), halves.run(1, halves.configurations[1], "store")]
    if expected[1] == halves.run(1, halves.configurations[0], "other"):
        raise SystemExit("both configurations decide alike, so nothing is checked")
    lines = halves.first + halves.second
    signals = streams.write(halves.work / "signals.jsonl", lines)
    with check.cluster("bundle", settings=SETTINGS) as cluster:
        job = cluster.run(halves.options(
            bundle=f"file://{bundles[0]}", signals=f"file://{signals}", source="belfry.flink.SlowSignals", pace=len(lines) // 40))
        cluster.wait(job, "RUNNING")
        halves.command(
            {"id": "good", "command": "bundle", "bundle": f"file://{bundles[1]}", "from": halves.tick},
            {"id": "broken", "command": "bundle", "bundle": f"file://{bundles[2]}", "from": halves.tick},
            {"id": "crashing", "command": "bundle", "bundle": f"file://{loading}/crash.tar", "from": halves.tick})
        wait_until("word of the bundle from each task", lambda: len(halves.answers("good")) == 4)
        states = {answer["answer"]["state"] for answer in halves.answers("good")}
        if states != {"waiting"}:
            raise SystemExit(f"the tick came before the bundle: {states}")
        wait_until("a refusal of the others", lambda: halves.answers("broken") and halves.answers("crashing"))
        refusal = halves.answers("broken")[0].get("error", "")
        if "has digest" not in refusal:
            raise SystemExit(f"the broken bundle is not refused: {halves.answers('broken')}")
        if "ended with status" not in halves.answers("crashing")[0].get("error", ""):
            raise SystemExit(f"the bundle that crashes is not refused: {halves.answers('crashing')}")
        if cluster.replace_dead_workers():
            raise SystemExit("a worker died of the bundle that crashes")
        cluster.kill_worker(0)
        halves.wait_for(sum(map(len, expected)))
        savepoint = cluster.stop_with_savepoint(job)
        job = cluster.run(halves.options(
            bundle=f"file://{bundles[2]}", signals=f"file://{signals}", source="belfry.flink.SlowSignals", pace=1), savepoint=savepoint)
        fail(cluster, job, "the job goes on with the bundle")
    subjects = streams.compare(streams.by_subject(expected[0] + expected[1]), streams.by_subject(*halves.decisions()))
    folders = [folder for folder in (halves.work / "out/decisions").iterdir() if folder.is_dir()]
    by_generation = sorted(sorted(line for path in streams.parts(folder) for line in streams.read_lines(path)) for folder in folders)
    if by_generation != sorted(map(sorted, expected)):
        raise SystemExit("not every decision is in the folder of the generation that made it")
    print(f"bundle: {subjects} of {subjects} subjects through a change of bundles, {time.monotonic() - started:.0f} s", flush=True)


def fail(cluster, job, why):
    """Waits for a job to fail for that reason, and ends it."""
    wait_until(f"a failure of the job with '{why}'", lambda: why in json.dumps(cluster.get(f"/jobs/{job}/exceptions")))
    cluster.flink("cancel", job)


def command(check):
    """A subject is shown, explained, exported and erased as by the commands on a local store, and erased if its record cannot be read; the
    job goes on without commands, too."""
    halves = Halves(check, "commands")
    started = time.monotonic()
    configuration, store = halves.configurations[0], f"sqlite:{halves.work}/store.db"
    first = halves.run(0, configuration, "store")
    subject = json.loads(first[0])["subject"]
    damaged = next(name for name in map(streams.subject, halves.first) if name != subject)
    (halves.work / "signals").mkdir()
    with check.cluster("commands", settings=SETTINGS) as cluster:
        job = cluster.run(halves.options(signals=f"file://{halves.work}/signals"), savepoint=damage_records(halves, cluster, damaged, BELL))
        expect("damaged", halves.answer({"id": "d1", "command": "show", "subject": BELL}).get("error", "").splitlines()[:1],
               [f"cannot read the record of subject '{BELL}'"])
        for identifier, name in ("d2", BELL), ("d3", damaged):
            answer = halves.answer({"id": identifier, "command": "erase", "subject": name})
            expect("erase damaged", (answer.get("answer"), "could not be read" in answer.get("note", "")), ("erased", True))
        # Nothing is left of them, so all that follows is decided as of new ones.
        halves.feed("first.jsonl", halves.first)
        halves.wait_for(len(first))
        expect("show", halves.answer({"id": "1", "command": "show", "subject": subject})["answer"],
               json.loads(halves.belfry("state", "show", subject, "--store", store, "--json")))
        expect("explain", halves.answer({"id": "2", "command": "explain", "subject": subject, "campaign": "sale", "at": halves.tick})["answer"],
               json.loads(halves.belfry("explain", "--config", configuration, "--store", store, "--subject", subject, "--campaign", "sale",
                                        "--at", halves.tick, "--json")))
        # Behind the tick of the first half, which is later than all of the subject's signals.
        expect("explain", halves.answer({"id": "e", "command": "explain", "subject": subject, "campaign": "sale"})["answer"],
               json.loads(halves.belfry("explain", "--config", configuration, "--store", store, "--subject", subject, "--campaign", "sale", "--json")))
        expect("export", halves.answer({"id": "3", "command": "export", "subject": subject})["answer"]["document"],
               json.loads(halves.belfry("state", "export", subject, "--store", store)))
        expect("erase", halves.answer({"id": "4", "command": "erase", "subject": subject}).get("answer"), "erased")
        expect("nobody", "no record" in halves.answer({"id": "5", "command": "show", "subject": "nobody"}).get("error", ""), True)
        for identifier, name in ("6", "show"), ("7", "erase"):
            expect("erased", "no record" in halves.answer({"id": identifier, "command": name, "subject": subject}).get("error", ""), True)
        halves.command({"id": "8", "command": "show", "subject": subject, "at": "+1000000000-01-01T00:00:00Z"})
        wait_until("a refusal", lambda: any("expected a date-time" in answer.get("error", "") for answer in halves.answers()))
        wrong = ["no archive", f'{{"command":"erase","subject":"{ABSENT}","subject":"{subject}"}}']
        streams.write(halves.work / "wrong.gz", [line.encode() for line in wrong]).rename(halves.work / "commands/wrong.gz")
        wait_until("refusals", lambda: {*wrong} <= {answer.get("line") for answer in halves.answers()})
        halves.belfry("state", "erase", subject, "--store", store)
        second = halves.run(1, configuration, "store")
        savepoint = cluster.stop_with_savepoint(job)
        options = halves.options(signals=f"file://{halves.work}/signals")
        del options["commands"]
        job = cluster.run(options, savepoint=savepoint, drop=True)
        halves.feed("second.jsonl", halves.second)
        halves.wait_for(len(first) + len(second))
        cluster.stop_with_savepoint(job)
    subjects = streams.compare(streams.by_subject(first + second), streams.by_subject(*halves.decisions()))
    print(f"commands: 8 answers as of a local store, 3 of records that cannot be read, {subjects} of {subjects} subjects after an erasure, "
          f"{time.monotonic() - started:.0f} s", flush=True)


# A name with a letter that takes two of Java's.
BELL = "p\U0001F514"


def damage_records(halves, cluster, *subjects):
    """A savepoint in which these subjects have what the counting job keeps, which is no record."""
    options = halves.options(signals=f"file://{halves.work}/signals", output=f"file://{halves.work}/counted")
    job = cluster.run(options, job="belfry.flink.CounterJob")
    line = json.loads(halves.first[0])
    halves.feed("counted.jsonl", [json.dumps(line | {"subject": subject}).encode() for subject in subjects])
    wait_until("a count of each", lambda: sum(map(len, streams.written(halves.work / "counted/decisions"))) == len(subjects))
    return cluster.stop_with_savepoint(job)


def expect(name, found, expected):
    if found != expected:
        raise SystemExit(f"'{name}' is answered otherwise\n  found: {found}\n  expected: {expected}")


def move_state(check):
    """The records of a local store go into a savepoint, and those of a job into a local store; both go on where they were, also the numbers of
    subjects who were erased before."""
    halves = Halves(check, "state")
    started = time.monotonic()
    configuration = halves.configurations[0]
    halves.first.insert(0, absent_signal(halves.first[0]))
    first = halves.run(0, configuration, "store")
    for subject in ABSENT, next(name for name, _ in map(streams.decision, first) if name != ABSENT):
        halves.belfry("state", "erase", subject, "--store", f"sqlite:{halves.work}/store.db")
    records = halves.work / "records.jsonl"
    records.write_text(halves.belfry("state", "export", "--all", "--store", f"sqlite:{halves.work}/store.db"))
    second = halves.run(1, configuration, "store")
    count = len(records.read_text().splitlines()) - 1  # the first one is the tick
    (halves.work / "signals").mkdir()
    with check.cluster("state", settings=SETTINGS) as cluster:
        savepoint = take_records(halves, cluster, records, count)
        cut = streams.write(halves.work / "cut.jsonl", [records.read_bytes().splitlines()[-1][:-3]])
        job = cluster.run(halves.options(source="belfry.flink.FileRecords", records=f"file://{cut}"))
        fail(cluster, job, f"line 1 of 'file:{cut}' is no record")
        job = cluster.run(halves.options(signals=f"file://{halves.work}/signals"), savepoint=savepoint, drop=True, parallelism=3)
        halves.feed("second.jsonl", halves.second)
        halves.wait_for(len(second))
        give_records(halves, cluster)
        cluster.stop_with_savepoint(job)
    subjects = streams.compare(streams.by_subject(second), streams.by_subject(*halves.decisions()))
    compare_stores(halves, "store", "back")
    print(f"state: {count} records and numbers into a savepoint and back, {subjects} of {subjects} subjects, {time.monotonic() - started:.0f} s", flush=True)


# One who was erased, and comes again only in a store that has the records of the job.
ABSENT = "absent"


def absent_signal(line):
    """A signal of that subject, at the time of another one."""
    return json.dumps({
        "id": f"absent-{json.loads(line)['id']}", "type": "notification.requested", "subject": ABSENT, "time": json.loads(line)["time"],
        "data": {"campaign": "sale"}}).encode()


def take_records(halves, cluster, records, count):
    """Has a job that decides nothing take the records; returns its savepoint."""
    job = cluster.run(halves.options(source="belfry.flink.FileRecords", records=f"file://{records}"))
    def are_taken():
        identifier = f"count{time.monotonic()}"
        halves.command({"id": identifier, "command": "records"})
        answers = wait_until("a count of the records", lambda: len(found := halves.answers(identifier)) == 4 and found)
        return lines_of(answers) == count
    wait_until("that all records are taken", are_taken)
    savepoint = cluster.stop_with_savepoint(job)
    shutil.rmtree(halves.work / "out")
    return savepoint


def lines_of(answers):
    """How many lines of records and of digests the tasks have written."""
    return sum(answer["answer"]["records"] + answer["answer"]["digests"] for answer in answers)


def give_records(halves, cluster):
    """Brings the records of a job into a local store."""
    halves.command({"id": "all", "command": "records"})
    answers = wait_until("all records", lambda: len(found := halves.answers("all")) == 3 and found)
    def lines(): return [line for path in streams.parts(halves.work / "out/records") for line in streams.read_lines(path)]
    wait_until("the file of records", lambda: sum(b"clock.advanced" not in line for line in lines()) >= lines_of(answers))
    halves.belfry("state", "import", "--store", f"sqlite:{halves.work}/back.db", input=b"\n".join(lines()).decode() + "\n")


def compare_stores(halves, left, right):
    """Both have the same records, and decide alike from there on."""
    names = json.loads(halves.belfry("state", "list", "--json", "--store", f"sqlite:{halves.work}/{left}.db"))
    for name in names:
        shown = [halves.belfry("state", "show", name, "--json", "--store", f"sqlite:{halves.work}/{store}.db") for store in (left, right)]
        expect(f"state show {name}", shown[1], shown[0])
    lines = [line.replace(b'"id": "s', b'"id": "t') for line in halves.second]
    halves.second = [absent_signal(lines[0])] + lines
    expect("a run behind", halves.run(1, halves.configurations[1], right), halves.run(1, halves.configurations[1], left))
