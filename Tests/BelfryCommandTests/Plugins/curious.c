/// Denies everything, and says what the system has to say to a plugin that looks around: to reading, writing, the network, another process,
/// a signal to the host and limits of it, what is typed into its terminal, and memory that is not counted.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "belfry.h"

static const char *outcome(int failed) { return failed ? strerrorname_np(errno) : "done"; }

static const char *fork_outcome(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return outcome(child < 0);
}

static belfry_verdict look_around(void *self, const void *state, const belfry_candidate *candidate,
                                  const belfry_context *context, const belfry_reason *reason) {
    static const belfry_text code = {"curious", 7};
    char said[512];
    int length = snprintf(said, sizeof said, "read %s, ", outcome(open("/etc/passwd", O_RDONLY) < 0));
    length += snprintf(said + length, sizeof said - length, "write %s, ", outcome(open("left", O_CREAT | O_WRONLY, 0600) < 0));
    length += snprintf(said + length, sizeof said - length, "network %s, ", outcome(socket(AF_INET, SOCK_STREAM, 0) < 0));
    length += snprintf(said + length, sizeof said - length, "fork %s, ", fork_outcome());
    length += snprintf(said + length, sizeof said - length, "signal %s, ", outcome(kill(getppid(), 0) != 0));
    struct rlimit limit;
    length += snprintf(said + length, sizeof said - length, "own limits %s, ", outcome(getrlimit(RLIMIT_NOFILE, &limit) != 0));
    length += snprintf(said + length, sizeof said - length, "limits %s, ", outcome(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) != 0));
    // Where it is allowed, there is no terminal to type into.
    int typed = ioctl(open("/dev/null", O_RDONLY), TIOCSTI, "x");
    length += snprintf(said + length, sizeof said - length, "typing %s, ", typed && errno == EPERM ? "EPERM" : "done");
    void *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    length += snprintf(said + length, sizeof said - length, "shared memory %s", outcome(shared == MAP_FAILED));
    belfry_text message = {said, (uint64_t)length};
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

#define ID TEXT("test.curious")
#define NAME TEXT("curious")
#define SHOULD_CREATE look_around
#include "../../Misbehaving/well-behaved.h"
