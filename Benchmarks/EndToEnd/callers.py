"""A `belfry serve` or an echo of our own, and the callers of it (service_client.c)."""
import json, pathlib, re, signal, subprocess, threading, time, urllib.request

from programs import remove


class Server:
    """A process that says on standard error where it listens, and ends by SIGTERM."""

    def __init__(self, command, wanted, **options):
        began = time.monotonic()
        self.process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, **options)
        self.found, said = {}, []
        for line in self.process.stderr:
            said.append(line)
            self.found |= {name: match[1] for name, pattern in wanted.items() if (match := re.search(pattern, line))}
            if len(self.found) == len(wanted):
                break
        else:
            raise SystemExit(f"{' '.join(map(str, command))} did not start:\n{''.join(said)}")
        self.start = time.monotonic() - began
        # An unread pipe would stop the server as soon as it is full.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    @property
    def port(self):
        return int(self.found["port"])

    @property
    def token(self):
        return self.found.get("token", "none")

    def memory(self, name="VmRSS"):
        """In bytes; `VmHWM` is the most that it ever was."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) * 1024

    def stop(self):
        """Seconds that it took to end."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait():
            raise SystemExit(f"the server ended with {self.process.returncode}")
        return time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Service(Server):
    """A service with an empty store."""

    def __init__(self, options, config, store, *arguments):
        remove(options.work.glob("service.db*"))
        url = f"sqlite:{options.work / 'service.db'}" if store == "sqlite" else "memory:"
        command = [options.bin / "belfry", "serve", "--config", config, "--store", url, "--listen", "127.0.0.1:0",
                   "--manage", "127.0.0.1:0", *arguments]
        super().__init__(command, {
            "port": r"^listening at http://127\.0\.0\.1:(\d+)", "manage": r"^health and metrics at (\S+)",
            "token": r"#token=(\S+)"})

    def metric(self, name):
        text = urllib.request.urlopen(self.found["manage"] + "/metrics").read().decode()
        return sum(float(line.split()[-1]) for line in text.splitlines() if re.match(rf"{name}[{{ ]", line))


class Echo(Server):
    """Hummingbird alone: what comes is the answer."""

    def __init__(self, options):
        super().__init__([options.measure.parent / "Echo"], {"port": r"^listening at (\d+)"})


def call(options, server, what, **words):
    """What the callers have to say."""
    process = begin(options, server, what, **words)
    output, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"service_client {what} ended with {process.returncode}:\n{errors}")
    return json.loads(output.splitlines()[-1])


def begin(options, server, what, **words):
    words = {"port": server.port, "token": server.token, **words}
    return subprocess.Popen([options.work / "service_client", what, *(f"{name}={value}" for name, value in words.items())],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def post(options, server, file, **words):
    answer = call(options, server, "post", file=file, **{"path": "/v1/signals", **words})
    if answer["others"] or answer["lost"]:
        raise SystemExit(f"requests failed: {answer}")
    if "seconds" in words and answer["done"]:
        raise SystemExit("there were too few signals for that long: ask for more with COUNT")
    return answer
