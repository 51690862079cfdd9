"""What was measured, on what, and when."""
import datetime, os, pathlib, platform, re, subprocess

from programs import Redis


def first_line(*command, cwd=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd).stdout.splitlines()[0]
    except (FileNotFoundError, IndexError):
        return "unknown"


def commit(repository):
    return first_line("git", "describe", "--always", "--dirty", "--abbrev=10", cwd=repository)


def describe():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(), "memory": f"{memory:.0f} GiB",
        "system": platform.freedesktop_os_release()["PRETTY_NAME"], "kernel": platform.release(),
        "swift": re.sub(r".*Swift version (\S+).*", r"\1", first_line("swift", "--version")),
        "cc": first_line("cc", "--version"), "redis": Redis.version(), "load": os.getloadavg()[0],
    }
