#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Files: Landlock (landlock(7)), whose headers may be older than the kernel

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};

struct rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, RULE_PATH_BENEATH = 1, VERSION = 1 };
enum { READ_FILE = 1 << 2, READ_DIR = 1 << 3 };

/// Everything that a version of it can forbid.
static struct ruleset everything(int version) {
    struct ruleset rules = {.files = (1 << 13) - 1};
    if (version >= 2) rules.files |= 1 << 13;  // to link and to rename elsewhere
    if (version >= 3) rules.files |= 1 << 14;  // to truncate
    if (version >= 5) rules.files |= 1 << 15;  // to control devices
    if (version >= 4) rules.network = 3;       // to bind and to connect
    if (version >= 6) rules.scoped = 3;        // abstract sockets and signals of others
    return rules;
}

static int forbid_files(const char *const *readable, size_t count) {
    int version = (int)syscall(CREATE_RULESET, NULL, 0, VERSION);
    if (version < 1) return 0;
    struct ruleset rules = everything(version);
    // An older kernel knows less of the struct.
    size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
    int set = (int)syscall(CREATE_RULESET, &rules, size, 0);
    if (set < 0) return -1;
    for (size_t index = 0; index < count; index++) {
        int folder = open(readable[index], O_PATH | O_CLOEXEC);
        if (folder < 0) continue;
        struct rule rule = {.allowed = READ_FILE | READ_DIR, .parent = folder};
        syscall(ADD_RULE, set, RULE_PATH_BENEATH, &rule, 0);
        close(folder);
    }
    long failed = syscall(RESTRICT_SELF, set, 0);
    int why = errno;
    close(set);
    return failed ? (errno = why, -1) : BELFRY_SANDBOX_FILES;
}

// MARK: System calls: seccomp(2)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/// Those that are forbidden whatever their arguments.
static const uint32_t forbidden[] = {
    // Network.
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    // Other programs and processes.
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_kcmp, 424 /* pidfd_send_signal */, 434 /* pidfd_open */, 438 /* pidfd_getfd */,
    440 /* process_madvise */, 448 /* process_mrelease */, SYS_setns, SYS_unshare, SYS_setpriority, SYS_setpgid,
    SYS_setsid, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity, SYS_ioprio_set,
    SYS_migrate_pages, SYS_move_pages,
    // What goes around rules for files.
    425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    463 /* setxattrat */, 466 /* removexattrat */, 469 /* file_setattr */,
    // Memory and messages shared with others.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
    SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink, SYS_memfd_create, SYS_keyctl, SYS_add_key, SYS_request_key,
    // The system.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_acct,
    SYS_syslog, SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
    SYS_clock_adjtime,
#ifdef __x86_64__
    SYS_fork, SYS_vfork, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_iopl, SYS_ioperm,
#endif
};

enum { ROOM = 2 * sizeof forbidden / sizeof *forbidden + 128 };

struct program {
    struct sock_filter steps[ROOM];
    unsigned short count;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
    program->steps[program->count++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(struct program *program, size_t offset) { add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

static void answer(struct program *program, uint32_t what) { add(program, BPF_RET | BPF_K, what, 0, 0); }

static void refuse(struct program *program, uint32_t call, int why) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    answer(program, SECCOMP_RET_ERRNO | (uint32_t)why);
}

/// Refuses a call unless a comparison of its first argument holds; `code` is BPF_JEQ or BPF_JSET.
static void refuse_unless(struct program *program, uint32_t call, uint16_t code, uint32_t value) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(program, offsetof(struct seccomp_data, args[0]));
    add(program, BPF_JMP | code | BPF_K, value, 0, 1);
    answer(program, SECCOMP_RET_ALLOW);
    answer(program, SECCOMP_RET_ERRNO | EPERM);
}

/// Refuses a call where some bits of an argument are those.
static void refuse_where(struct program *program, uint32_t call, unsigned argument, uint32_t bits, uint32_t value) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
    load(program, offsetof(struct seccomp_data, args[argument]));
    add(program, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(program, SECCOMP_RET_ERRNO | EPERM);
    load(program, offsetof(struct seccomp_data, nr));
}

static int forbid_calls(void) {
    struct program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&program, SECCOMP_RET_ERRNO | EPERM);
    load(&program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // Another numbering of the same calls.
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(&program, SECCOMP_RET_ERRNO | EPERM);
#endif
    for (size_t index = 0; index < sizeof forbidden / sizeof *forbidden; index++)
        refuse(&program, forbidden[index], EPERM);
    // What is typed into the terminal that its host may have.
    refuse_where(&program, SYS_ioctl, 1, UINT32_MAX, TIOCSTI);
    refuse_where(&program, SYS_ioctl, 1, UINT32_MAX, TIOCLINUX);
    // Signals for others, when something can be read.
    refuse_where(&program, SYS_fcntl, 1, UINT32_MAX, F_SETOWN);
    refuse_where(&program, SYS_fcntl, 1, UINT32_MAX, F_SETOWN_EX);
    refuse_where(&program, SYS_fcntl, 1, UINT32_MAX, F_SETSIG);
    refuse_where(&program, SYS_ioctl, 1, UINT32_MAX, FIOSETOWN);
    refuse_where(&program, SYS_ioctl, 1, UINT32_MAX, SIOCSPGRP);
    // Memory that no limit counts.
    refuse_where(&program, SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS);
    // Limits are its own affair; those of others have their number.
    refuse_unless(&program, SYS_prlimit64, BPF_JEQ, 0);
    // Threads are its own affair. A library that asks for one in the new way is to ask in the old one, whose arguments can be seen.
    refuse(&program, 435 /* clone3 */, ENOSYS);
    refuse_unless(&program, SYS_clone, BPF_JSET, CLONE_THREAD);
    uint32_t self = (uint32_t)getpid();
    refuse_unless(&program, SYS_kill, BPF_JEQ, self);
    refuse_unless(&program, SYS_tkill, BPF_JEQ, self);
    refuse_unless(&program, SYS_tgkill, BPF_JEQ, self);
    // It stays one that ends with its host.
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3);
    load(&program, offsetof(struct seccomp_data, args[0]));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 1);
    answer(&program, SECCOMP_RET_ERRNO | EPERM);
    answer(&program, SECCOMP_RET_ALLOW);
    struct sock_fprog whole = {.len = program.count, .filter = program.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0 ? BELFRY_SANDBOX_CALLS : errno == EINVAL ? 0 : -1;
}

#else

static int forbid_calls(void) { return 0; }

#endif

int belfry_enter_sandbox(const char *const *readable, size_t count) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    int files = forbid_files(readable, count);
    if (files < 0) return -1;
    int calls = forbid_calls();
    return calls < 0 ? -1 : files | calls;
}
