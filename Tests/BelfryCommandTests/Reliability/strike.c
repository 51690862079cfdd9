// Strikes a process at one of its calls to the system: preloaded into `belfry`, it counts the calls that change files, and at
// the one it is told ends the process like a pulled plug, or lets this call and all later ones fail like a broken disk.
//
//   STRIKE_AT    which call, from 1; 0 only counts
//   STRIKE_HOW   before | half | after: killed before the call, after half of its bytes, after it
//                ENOSPC | EIO: fails with that error, and so do all later calls that write
//                short: from here on no call reads or writes more than 7 bytes at a time (on the chosen files)
//                READ: every call that reads fails with EIO
//                NOBODY: files are opened with the rights of an unprivileged user, also if the tests run as root
//   STRIKE_FILE  only calls on files whose path contains this
//   STRIKE_LOG   a file that gets the number of calls at the end

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name, ...) ((__typeof__(&name))real(#name))(__VA_ARGS__)

static long strike_at, calls;
static const char *how = "", *chosen = "", *log_file;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }
static int is(const char *what) { return strcmp(how, what) == 0; }

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("STRIKE_AT");
    strike_at = text ? atol(text) : 0;
    if ((text = getenv("STRIKE_HOW"))) how = text;
    if ((text = getenv("STRIKE_FILE"))) chosen = text;
    log_file = getenv("STRIKE_LOG");
    unsetenv("LD_PRELOAD");  // the children are left in peace
}

__attribute__((destructor)) static void end(void) {
    FILE *file = log_file ? fopen(log_file, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}

static int is_chosen(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path[0] == '/' && strncmp(path, "/dev/", 5) != 0 && strstr(path, chosen) != NULL;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Whether the call is to be made at all; if so and it is the last one, `is_last` says so.
static int counted(int applies, int *is_last) {
    *is_last = 0;
    if (!applies) return 1;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (strike_at == 0 || number < strike_at) return 1;
    if (is("ENOSPC") || is("EIO")) {
        errno = is("EIO") ? EIO : ENOSPC;
        return 0;
    }
    if (number == strike_at && is("before")) die();
    *is_last = number == strike_at && (is("half") || is("after"));
    return 1;
}

static size_t amount(int applies, int is_last, size_t count) {
    if (is_last && is("half")) return count / 2;
    return applies && is("short") && strike_at && calls >= strike_at && count > 7 ? 7 : count;
}

#define CHANGE(applies, call)                      \
    int is_last;                                   \
    if (!counted(applies, &is_last)) return -1;    \
    __typeof__(call) result = call;                \
    if (is_last) die();                            \
    return result

#define WRITE(name, ...)                                  \
    int applies = is_chosen(fd), is_last;                 \
    if (!counted(applies, &is_last)) return -1;           \
    count = amount(applies, is_last, count);              \
    ssize_t result = REAL(name, fd, bytes, count, ##__VA_ARGS__); \
    if (is_last) die();                                   \
    return result

ssize_t write(int fd, const void *bytes, size_t count) { WRITE(write); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { WRITE(pwrite, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) { WRITE(pwrite64, at); }
int fsync(int fd) { CHANGE(is_chosen(fd), REAL(fsync, fd)); }
int fdatasync(int fd) { CHANGE(is_chosen(fd), REAL(fdatasync, fd)); }
int ftruncate(int fd, off_t length) { CHANGE(is_chosen(fd), REAL(ftruncate, fd, length)); }
int ftruncate64(int fd, off64_t length) { CHANGE(is_chosen(fd), REAL(ftruncate64, fd, length)); }
int unlink(const char *path) { CHANGE(strstr(path, chosen) != NULL, REAL(unlink, path)); }
int rename(const char *from, const char *to) { CHANGE(strstr(to, chosen) != NULL, REAL(rename, from, to)); }

#define READ(name, ...)                                                    \
    int applies = is_chosen(fd);                                           \
    if (applies && strike_at && is("READ")) { errno = EIO; return -1; }    \
    return REAL(name, fd, bytes, amount(applies, 0, count), ##__VA_ARGS__)

ssize_t read(int fd, void *bytes, size_t count) { READ(read); }
ssize_t pread(int fd, void *bytes, size_t count, off_t at) { READ(pread, at); }
ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) { READ(pread64, at); }

#define OPEN(name)                                                      \
    int mode = 0, as_nobody = is("NOBODY") && strstr(path, chosen);     \
    if (flags & (O_CREAT | O_TMPFILE)) {                                \
        va_list list;                                                   \
        va_start(list, flags);                                          \
        mode = va_arg(list, int);                                       \
        va_end(list);                                                   \
    }                                                                   \
    if (as_nobody) setfsuid(65534);                                     \
    int result = REAL(name, path, flags, mode), error = errno;          \
    if (as_nobody) setfsuid(geteuid());                                 \
    errno = error;                                                      \
    return result

int open(const char *path, int flags, ...) { OPEN(open); }
int open64(const char *path, int flags, ...) { OPEN(open64); }
