"""A cluster of Flink on the loopback device, whose processes can be killed."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent.parent


# A script that is told to end stops what it has started.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, condition, seconds=300):
    """Waits for something to become true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.2)
    raise SystemExit(f"{what} did not happen within {seconds} s\n  look: the logs in the folder of the cluster")


class Cluster:
    """A JobManager and TaskManagers; with `zookeeper` a JobManager that is killed is followed by another one that goes on. `java` are options of Java."""

    def __init__(self, build, folder, backend="hashmap", zookeeper=False, settings=(), workers=2, java=""):
        self.build, self.folder = pathlib.Path(build).resolve(), pathlib.Path(folder).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.port = free_port()
        self.environment = dict(
            os.environ, FLINK_BUILD=str(self.build), CLUSTER=str(self.folder), PORT=str(self.port), RPC_PORT=str(free_port()),
            FLINK_CONF_DIR=str(self.folder / "conf"), FLINK_LOG_DIR=str(self.folder / "log"),
            BELFRY_HOME=str(self.build / "belfry"), SWIFT_BACKTRACE="enable=no",
            JAVA_TOOL_OPTIONS=f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -XX:ErrorFile={self.folder}/log/hs_err_%p.log {java}")
        subprocess.run([HERE / "cluster.sh", "configure"], env=self.environment, check=True)
        self.processes = []
        self.workers, self.jobmanager = [], None
        # A machine that is busy with something else answers late, and is not dead.
        patience = {"pekko.ask.timeout": "60s", "heartbeat.timeout": "50s"}
        self._configure({"state.backend.type": backend, **patience, **dict(settings)})
        try:
            self._start_all(zookeeper, workers)
        except BaseException:
            self.stop()
            raise

    def _start_all(self, zookeeper, workers):
        if zookeeper:
            self._start_zookeeper()
        self.start_jobmanager()
        for _ in range(workers):
            self.start_worker()
        wait_until("registration of the TaskManagers", lambda: self._workers_known() >= workers)

    def _configure(self, settings):
        """Puts settings in place of those that the file has."""
        path = self.folder / "conf/config.yaml"
        lines = [line for line in path.read_text().splitlines() if line.split(":")[0] not in settings]
        path.write_text("\n".join(lines + [f"{key}: {value}" for key, value in settings.items()]) + "\n")

    def _start_zookeeper(self):
        port = free_port()
        (self.folder / "conf/zoo.cfg").write_text(
            f"tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir={self.folder}/zookeeper\nclientPort={port}\n"
            f"clientPortAddress=127.0.0.1\nserver.1=127.0.0.1:{free_port()}:{free_port()}\nadmin.enableServer=false\n")
        self._start("zookeeper.sh", "start-foreground", "1")
        self._configure({
            "high-availability.type": "zookeeper", "high-availability.zookeeper.quorum": f"127.0.0.1:{port}",
            "high-availability.storageDir": f"file://{self.folder}/ha",
            # The next JobManager waits until the session of one that was killed is over.
            "high-availability.zookeeper.client.session-timeout": "8s"})

    def _start(self, script, *arguments):
        log = open(self.folder / f"log/{script}-{len(self.processes)}.out", "wb")
        process = subprocess.Popen(
            [self.build / "flink/pyflink/bin" / script, *arguments], env=self.environment, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True)
        self.processes.append(process)
        return process

    def start_jobmanager(self):
        self.jobmanager = self._start("jobmanager.sh", "start-foreground")
        wait_until("start of the JobManager", lambda: self.get("/overview"))

    def start_worker(self):
        self.workers.append(self._start("taskmanager.sh", "start-foreground"))

    def _workers_known(self):
        return (self.get("/overview") or {}).get("taskmanagers", 0)

    def kill_worker(self, index):
        """Kills a TaskManager, and starts another one."""
        self._kill(self.workers.pop(index % len(self.workers)))
        self.start_worker()

    def replace_dead_workers(self):
        """Starts another TaskManager for each that has died, and returns how many that were."""
        dead = [worker for worker in self.workers if worker.poll() is not None]
        for worker in dead:
            self.workers.remove(worker)
            self.processes.remove(worker)
            self.start_worker()
        return len(dead)

    def kill_jobmanager(self):
        self._kill(self.jobmanager)
        self.start_jobmanager()

    def _kill(self, process):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def processor_time(self):
        """Of all TaskManagers, in seconds."""
        def of(pid):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return sum(of(worker.pid) for worker in self.workers)

    def stop(self):
        for process in list(self.processes):
            self._kill(process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # What the JobManager says and does

    def get(self, path):
        """What it answers; None while it does not."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def flink(self, *arguments):
        result = subprocess.run(
            [self.build / "flink/pyflink/bin/flink", *map(str, arguments)], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode:
            raise SystemExit(f"flink {' '.join(map(str, arguments))} failed\n{result.stdout}")
        return result.stdout

    def run(self, options, *, parallelism=4, job="belfry.flink.BelfryJob", savepoint=None, drop=False):
        """Starts a job, and returns its id."""
        restore = ["-s", savepoint] + (["-n"] if drop else []) if savepoint else []
        check = self.build / "check.jar"
        output = self.flink(
            "run", "-d", "-p", parallelism, *restore, "-C", f"file://{check}", "-c", job, self.build / "belfry-flink.jar",
            *(part for name, value in options.items() for part in (f"--{name}", value)))
        return re.search(r"JobID (\w+)", output).group(1)

    def state(self, job):
        return (self.get(f"/jobs/{job}") or {}).get("state")

    def wait(self, job, state="FINISHED", seconds=600):
        """Waits for a job to end, or to run; one that fails is told with its reason."""
        def is_there():
            now = self.state(job)
            if now == "FAILED" and state != "FAILED":
                reason = (self.get(f"/jobs/{job}/exceptions") or {}).get("exceptionHistory", {}).get("entries", [{}])[0]
                raise SystemExit(f"the job failed\n{reason.get('stacktrace', '')[:4000]}")
            return now == state
        wait_until(f"that job {job} is {state}", is_there, seconds)

    def duration(self, job):
        """Of a job, in seconds."""
        return self.get(f"/jobs/{job}")["duration"] / 1000

    def checkpoints(self, job):
        return (self.get(f"/jobs/{job}/checkpoints") or {}).get("counts", {}).get("completed", 0)

    def stop_with_savepoint(self, job):
        output = self.flink("stop", "--savepointPath", f"file://{self.folder}/savepoints", job)
        return re.search(r"Path: (\S+)", output).group(1)
