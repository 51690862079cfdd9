"""The programs that are compared: each takes a file of signals, and leaves a file of decisions."""
import dataclasses, json, os, pathlib, re, shutil, socket, subprocess, time

HERE = pathlib.Path(__file__).parent
KINDS = ("created", "suppressed", "opened")


@dataclasses.dataclass
class Run:
    """What came of one run of a program, its start included."""
    signals: int
    seconds: float
    counts: dict
    peak: int  # bytes of memory

    @property
    def rate(self):
        return self.signals / self.seconds


def timed(command, **options):
    """Runs a command to its end: (what it printed, seconds, the largest memory it had in bytes)."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{errors.decode()}")
    return output.decode(), errors.decode(), seconds, usage.ru_maxrss * 1024


def location(store, path):
    """A kind of store, as `--store` names it."""
    return "memory:" if store == "memory" else f"{store}:{path}"


class Belfry:
    """`belfry run` with a store that is empty at first, unless it is to be kept."""

    def __init__(self, name, belfry, work, store, shards=None, extra=()):
        self.name, self.belfry, self.store, self.work = name, belfry, store, work
        self.extra = [*extra, *([] if shards is None else ["--shards", shards])]
        self.database = work / "bench.db"
        self.decisions = work / "belfry.jsonl"

    def run(self, config, signals, keeps_store=False):
        self.decisions.unlink(missing_ok=True)
        if not keeps_store:
            remove(self.work.glob("bench.db*"))
        store = location(self.store, self.database)
        _, errors, seconds, peak = timed(
            [self.belfry, "run", "--config", config, "--signals", signals, "--output", self.decisions, "--store", store,
             "--summary", "json", "--from-start", *self.extra])
        summary = json.loads(errors.strip().splitlines()[-1])
        counts = {kind: summary["decisions"].get(f"notification.{kind}", 0) for kind in KINDS}
        return Run(summary["processed"], seconds, counts, peak)

    @staticmethod
    def help(belfry):
        """To see what this belfry knows."""
        return subprocess.run([belfry, "run", "--help"], capture_output=True, text=True).stdout

    @classmethod
    def shard_counts(cls, belfry):
        return [1, 2] if "--shards" in cls.help(belfry) else [None]


class Program:
    """One of ours, which says what it did in a line of JSON."""

    def __init__(self, name, command, decisions=None, before=lambda: None):
        self.name, self.command, self.decisions, self.before = name, command, decisions, before

    def run(self, config, signals):
        self.before()
        output, _, seconds, peak = timed(self.command(signals))
        said = json.loads(output)
        return Run(said["signals"], seconds, {kind: said[kind] for kind in KINDS}, peak)


class Redis:
    """A redis-server of our own: on a free port of the loopback device, without persistence, ended by its process."""

    def __init__(self, work):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
            cwd=work, stdout=subprocess.PIPE)
        for line in self.process.stdout:
            if b"Ready to accept connections" in line:
                break
        else:
            raise SystemExit("redis-server did not start")

    def empty(self):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"FLUSHALL\r\n")
            connection.recv(64)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @staticmethod
    def version():
        # The service is measured without it.
        if not shutil.which("redis-server"):
            return "none"
        words = subprocess.run(["redis-server", "--version"], capture_output=True, text=True).stdout
        return re.search(r"v=(\S+)", words)[1]


def remove(paths):
    """A store is a file, and a folder with its journal."""
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def digest(path, has_ids):
    """Of decisions, or of what they say without their ids: only Belfry numbers those of each subject."""
    read = "cat" if has_ids else """sed 's/"id":"[^"]*",//'"""
    command = f"{read} '{path}' | sha256sum"
    return subprocess.run(command, shell=True, env={"LC_ALL": "C"}, capture_output=True, text=True, check=True).stdout
