#define _GNU_SOURCE
#include "call_site.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local struct belfry_call_site *here __attribute__((tls_model("initial-exec")));
static volatile sig_atomic_t has_work;
/// Whether this is a process of belfry's own, and not one that has its library: signals are that program's there.
static volatile sig_atomic_t is_own;

// MARK: What is said

static void say(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static const char *name(int number) {
    const char *abbreviation = sigabbrev_np(number);
    return abbreviation ? abbreviation : "?";
}

/// Whether the site is in a call; if so, the site says which plugin was called, and for what.
static int is_in_call(const struct belfry_call_site *site) { return site && site->note && site->note[2] & 1; }

/// Two threads may come to their end at once: one says why, and ends the process, and the other waits for that.
static void let_one_thread_speak(void) {
    static atomic_int speaker;
    int none = 0, me = (int)syscall(SYS_gettid);
    while (!atomic_compare_exchange_strong(&speaker, &none, me) && none != me) {
        pause();
        none = 0;
    }
}

/// Ends a sentence about what a plugin did for an entry that is in use.
static void say_way_out(const char *entry) {
    say("\n  fix: go on without it ('belfry strategies disable "), say(entry);
    say("'), or contain it ('--isolation process'); nothing that was committed is lost\n");
}

static void say_who(const struct belfry_call_site *site, const char *what, const char *more) {
    let_one_thread_speak();
    uint32_t call = site->note[2];
    uint32_t entry = call >> 16, hook = call >> 8 & 255;
    say("plugin '"), say(site->plugins[entry]), say("' "), say(what), say(more);
    say(": entry '"), say(site->entries[entry]), say("', hook "), say(site->hooks[hook]);
    say(", subject '"), say(site->subject), say("', signal '"), say(site->signal);
    say("'"), say_way_out(site->entries[entry]);
}

static _Noreturn void leave(int status) {
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

// MARK: Signals

/// The entry that a plugin sets up or lets go, if one does.
static _Thread_local struct { char plugin[256], entry[256]; enum belfry_lifecycle hook; pid_t process; } noted;

/// An entry may take so long to be set up, or to be let go, in s.
enum { LIFECYCLE = 20 };

/// Says that it was the plugin that sets up or lets go an entry, if one does, and ends the process. What cannot be set up is an error of the
/// configuration.
static void blame_lifecycle(const char *what, const char *more) {
    // A process that it has forked is none of ours.
    if (!*noted.plugin || noted.process != getpid()) return;
    let_one_thread_speak();
    say("plugin '"), say(noted.plugin), say("' "), say(what), say(more);
    say(": entry '"), say(noted.entry), say("', hook ");
    if (noted.hook == BELFRY_CREATE) {
        say("create\n  fix: change its parameters, or take it out of 'chain' until the plugin is mended\n");
        leave(2);
    }
    say("destroy"), say_way_out(noted.entry);
    leave(1);
}

static _Thread_local struct { const char *plugin, *action; pid_t process; } acting;

/// The same of the plugin whose handler this thread is in.
static void blame_handler(const char *what, const char *more) {
    // A process that it has forked is none of ours.
    if (!acting.plugin || acting.process != getpid()) return;
    let_one_thread_speak();
    say("plugin '"), say(acting.plugin), say("' "), say(what), say(more), say(": the handler of action '"), say(acting.action);
    say("'\n  fix: take the action out of the configuration, or contain it ('--isolation process'); nothing that was committed is lost\n");
    leave(1);
}

static void die(int number) {
    blame_lifecycle("crashed with signal SIG", name(number));
    blame_handler("crashed with signal SIG", name(number));
    if (is_in_call(here)) {
        say_who(here, "crashed with signal SIG", name(number));
        leave(1);
    }
    if (has_work) {
        let_one_thread_speak();
        say("the process crashed with signal SIG"), say(name(number));
        say(" outside of the calls of plugins, most likely in a thread that one has started\n"
            "  fix: 'belfry plugins check FILE' looks at a plugin alone; '--isolation process' goes on without it\n");
    }
    signal(number, SIG_DFL);
    raise(number);
}

static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { DEADLY = sizeof deadly / sizeof *deadly };

/// Has this thread's own mistakes told of.
static void prepare(void) {
    static _Thread_local int is_prepared;
    if (is_prepared) return;
    is_prepared = 1;
    // A stack that overflowed has no room for a handler. Each thread has one such stack.
    size_t size = 1 << 16;
    stack_t other;
    if (sigaltstack(NULL, &other) == 0 && other.ss_flags & SS_DISABLE) {
        other = (stack_t){.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .ss_size = size};
        if (other.ss_sp != MAP_FAILED) sigaltstack(&other, NULL);
    }
    struct sigaction action = {.sa_handler = die, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < DEADLY; index++) sigaction(deadly[index], &action, NULL);
}

static uint32_t *is_elsewhere;

static void die_of_thread(int number) {
    if (syscall(SYS_gettid) != getpid()) *is_elsewhere = 1;
    signal(number, SIG_DFL);
    raise(number);
}

void belfry_tell_threads_apart(uint32_t *elsewhere) {
    is_elsewhere = elsewhere;
    struct sigaction action = {.sa_handler = die_of_thread, .sa_flags = SA_NODEFER}, former;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < DEADLY; index++) {
        sigaction(deadly[index], NULL, &former);
        if (former.sa_handler == SIG_DFL || former.sa_handler == die) sigaction(deadly[index], &action, NULL);
    }
}

void belfry_enter_site(struct belfry_call_site *site) {
    static _Thread_local int me;
    here = site;
    if (!site) return;
    if (!me) me = (int)syscall(SYS_gettid);
    site->thread = me;
    prepare();
}

void belfry_note_handler(const char *plugin, const char *action) {
    acting.plugin = NULL;
    // Where there is no work to be done, the host says how it ended.
    if (!plugin || !has_work) return;
    acting.action = action;
    acting.process = getpid();
    atomic_signal_fence(memory_order_seq_cst);
    acting.plugin = plugin;
    prepare();
}

static void copy(char room[256], const char *text, size_t length) {
    if (length > 255) length = 255;
    memcpy(room, text, length);
    room[length] = 0;
}

void belfry_note_signal(struct belfry_call_site *site, const char *subject, size_t subject_length, const char *signal, size_t signal_length) {
    copy(site->subject, subject, subject_length);
    copy(site->signal, signal, signal_length);
}

void belfry_end_for_hang(const struct belfry_call_site *site, const char *limit) {
    if (!is_in_call(site)) return;
    say_who(site, "did not return within ", limit);
    leave(1);
}

// MARK: The end of the process

/// Ends the process with 1 if it is not over yet: it was a plugin that ended it.
static void check_end(void) {
    blame_lifecycle("ended the process", "");
    if (!has_work) return;
    blame_handler("ended the process", "");
    if (is_in_call(here)) say_who(here, "ended the process", "");
    else
        say("the process was ended before its work was done, most likely by a plugin\n"
            "  fix: 'belfry plugins check FILE' looks at a plugin alone; take out of 'chain' what does not work\n");
    leave(1);
}

static void watch_end(void) {
    static atomic_flag is_watched = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_watched)) return;
    atexit(check_end);
    at_quick_exit(check_end);
}

void belfry_begin_work(void) {
    has_work = is_own = 1;
    watch_end();
}

static void end_lifecycle(int number) { blame_lifecycle("did not return within 20s", ""); }

/// Ends the process from this thread in so many seconds; 0: not any more.
static void bound_lifecycle(int seconds) {
    static _Thread_local timer_t timer;
    // A process that is forked has none of the timers.
    static _Thread_local pid_t process;
    if (process != getpid()) {
        struct sigaction action = {.sa_handler = end_lifecycle, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        if (sigaction(SIGRTMIN, &action, NULL) < 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) < 0) return;
        process = getpid();
    }
    // What has started this process may have blocked it.
    sigset_t own;
    sigemptyset(&own), sigaddset(&own, SIGRTMIN);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    struct itimerspec due = {.it_value.tv_sec = seconds};
    timer_settime(timer, 0, &due, NULL);
}

static struct belfry_lifecycle_note *shared;
static pid_t sharer;

void belfry_share_lifecycle(struct belfry_lifecycle_note *note) {
    shared = note;
    sharer = getpid();
}

/// Has another process know of the call that begins, or that none is under way.
static void share_lifecycle(const char *plugin, const char *entry, enum belfry_lifecycle hook) {
    // A process that a plugin has forked has no say.
    if (!shared || sharer != getpid()) return;
    if (shared->count & 1) shared->count++;
    if (!plugin) return;
    shared->hook = hook;
    copy(shared->entry, entry, strlen(entry));
    copy(shared->plugin, plugin, strlen(plugin));
    atomic_thread_fence(memory_order_release);
    shared->count++;
}

void belfry_note_lifecycle(const char *plugin, const char *entry, enum belfry_lifecycle hook) {
    if (*noted.plugin) bound_lifecycle(0);
    noted.plugin[0] = 0;
    share_lifecycle(plugin, entry, hook);
    if (!plugin || !is_own) return;
    noted.hook = hook;
    copy(noted.entry, entry, strlen(entry));
    copy(noted.plugin, plugin, strlen(plugin));
    noted.process = getpid();
    prepare();
    watch_end();
    bound_lifecycle(LIFECYCLE);
}

void belfry_end_without_blame(int status) { leave(status); }

void belfry_work_is_done(void) { has_work = 0; }

// The program's own function is taken for the C library's by every library in the process.
void _exit(int status) {
    check_end();
    leave(status);
}

void _Exit(int status) { _exit(status); }
