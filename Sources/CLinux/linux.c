#define _GNU_SOURCE  // memmem, F_SETPIPE_SZ, sigabbrev_np
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// A signal handler can reach nothing but what belongs to the process as a whole.
static volatile sig_atomic_t descriptor = -1;

static void note(int number) {
    int before = errno;
    // The next one ends the process at once.
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    uint64_t value = (uint64_t)number;
    ssize_t written = write(descriptor, &value, sizeof value);
    (void)written;
    errno = before;
}

int belfry_note_stop_signals(void) {
    int opened = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (opened < 0) return -1;
    descriptor = opened;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGINT);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    // The parent of this process may have blocked them, as worker threads of libdispatch do, and a child inherits that.
    pthread_sigmask(SIG_UNBLOCK, &action.sa_mask, NULL);
    return opened;
}

void belfry_forget_stop_signals(void) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

/// The size of the address that it makes of a path; 0 if that is too long.
static socklen_t unix_address(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    if (length >= sizeof address->sun_path) return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

void belfry_notify(const char *place, const char *state) {
    struct sockaddr_un address;
    socklen_t size = unix_address(&address, place);
    if (size == 0) return;
    // An abstract one.
    if (place[0] == '@') address.sun_path[0] = 0;
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0) return;
    sendto(sender, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(sender);
}

int belfry_is_listened_to(const char *path) {
    struct sockaddr_un address;
    socklen_t size = unix_address(&address, path);
    if (size == 0) return 0;
    int caller = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (caller < 0) return 0;
    // One that is busy has no room in its queue, one of another user may not be asked, and one may be of another kind.
    int answers = connect(caller, (struct sockaddr *)&address, size) == 0 || errno == EAGAIN || errno == EACCES
        || errno == EPROTOTYPE;
    close(caller);
    return answers;
}

const char *belfry_signal_abbreviation(int number) { return sigabbrev_np(number); }

unsigned long belfry_bytes_in_use(void) {
    struct mallinfo2 information = mallinfo2();
    return information.uordblks + information.hblkhd;
}

const char *belfry_next_name(DIR *folder) {
    struct dirent *entry = readdir(folder);
    return entry ? entry->d_name : NULL;
}

int belfry_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1 /* MFD_CLOEXEC */); }

void belfry_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
}

int belfry_contains(const void *bytes, unsigned long count, const void *wanted, unsigned long wanted_count) {
    return memmem(bytes, count, wanted, wanted_count) != NULL;
}

void belfry_widen_pipe(int descriptor, int bytes) { (void)fcntl(descriptor, F_SETPIPE_SZ, bytes); }

int belfry_has_lost_output(void) { return ferror(stdout); }
