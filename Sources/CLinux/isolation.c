#define _GNU_SOURCE
#include "isolation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int belfry_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int belfry_change_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int belfry_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }

int belfry_end_with(pid_t parent) { return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent; }

void belfry_name_process(const char *name) { prctl(PR_SET_NAME, name); }

int belfry_fork_for(pid_t host) {
    pid_t middle = fork();
    if (middle < 0) return -1;
    if (middle > 0) {
        int status = 0;
        while (waitpid(middle, &status, 0) < 0 && errno == EINTR) {}
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : -1;
    }
    middle = getpid();
    // What a plugin has put around a fork may take any time: this one is not to outlive the zygote in it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t child = fork();
    if (child != 0) _exit(child < 0);
    // The process in between is about to end.
    while (getppid() == middle) {
        struct timespec moment = {.tv_nsec = 20000};
        nanosleep(&moment, NULL);
    }
    setpgid(0, 0);
    if (!belfry_end_with(host)) _exit(1);
    return 0;
}

enum { most = 16 };

int belfry_send_descriptors(int socket, const void *bytes, size_t length, const int *descriptors, size_t count) {
    if (count > most) return errno = EINVAL, -1;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(most * sizeof(int))];
    } control = {0};
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (count) {
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return -1;
    return (size_t)sent == length ? 0 : (errno = EMSGSIZE, -1);
}

ssize_t belfry_receive_descriptors(int socket, void *bytes, size_t length, int *descriptors, size_t *count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(most * sizeof(int))];
    } control = {0};
    struct iovec piece = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    size_t room = *count;
    *count = 0;
    if (received <= 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < found; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*count < room) descriptors[(*count)++] = descriptor;
            else close(descriptor);
        }
    }
    return received;
}

int belfry_shared_memory(size_t size) {
    int descriptor = memfd_create("belfry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (ftruncate(descriptor, (off_t)size) == 0
        && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return descriptor;
    int why = errno;
    close(descriptor);
    return errno = why, -1;
}

void belfry_populate(void *start, size_t length) { madvise(start, length, MADV_POPULATE_WRITE); }

int belfry_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int64_t belfry_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t belfry_thread_time(int thread) {
    // As pthread_getcpuclockid makes it.
    clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6);
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec : -1;
}
