#include "last_words.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A signal handler can reach nothing but what belongs to the process as a whole. This one checks a plugin and nothing else.

struct piece {
    uintptr_t start, length, first, last;
    uint32_t is_lent;
    char name[64];
    char lender[128];
};

enum { PIECES = 4096 };
static struct piece pieces[PIECES];
static size_t piece_count;
static int descriptor = -1;
static char step[128];
static struct belfry_last_words words = {.magic = BELFRY_LAST_WORDS_MAGIC};

static void copy(char *to, size_t room, const char *from, size_t length) {
    if (length >= room) length = room - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

/// The piece noted last whose pages, or the guard behind them, have the address.
static const struct piece *piece_at(uintptr_t address) {
    size_t known = piece_count < PIECES ? piece_count : PIECES;
    uintptr_t page = (uintptr_t)getpagesize();
    for (size_t back = 1; back <= known; back++) {
        const struct piece *piece = &pieces[(piece_count - back) % PIECES];
        if (address >= piece->first && address < piece->last + page) return piece;
    }
    return NULL;
}

static void say(int number, uintptr_t address) {
    words.signal = number;
    words.address = address;
    memcpy(words.step, step, sizeof step);
    const struct piece *piece = address ? piece_at(address) : NULL;
    if (piece) {
        words.start = piece->start;
        words.length = piece->length;
        words.is_lent = piece->is_lent;
        memcpy(words.piece, piece->name, sizeof words.piece);
        memcpy(words.lender, piece->lender, sizeof words.lender);
    }
    if (descriptor >= 0) {
        ssize_t written = write(descriptor, &words, sizeof words);
        (void)written;
    }
    descriptor = -1;
}

static void die(int number, siginfo_t *information, void *context) {
    (void)context;
    int has_address = number == SIGSEGV || number == SIGBUS;
    say(number, has_address ? (uintptr_t)information->si_addr : 0);
    // To the end that it would have had, now that the handler is off.
    signal(number, SIG_DFL);
    raise(number);
}

static void leave(void) { say(0, 0); }

void belfry_prepare_last_words(int to) {
    descriptor = to;
    static char stack[65536];
    stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&place, NULL);
    struct sigaction action = {.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGALRM};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) sigaction(numbers[index], &action, NULL);
    // A parent may have blocked it, and a child inherits that.
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    atexit(leave);
}

void belfry_withdraw_last_words(void) {
    descriptor = -1;
    alarm(0);
}

void belfry_begin_step(const char *name, size_t length, unsigned seconds) {
    copy(step, sizeof step, name, length);
    alarm(seconds);
}

void belfry_note_lent(const void *start, size_t length, const void *first, const void *last, const char *name) {
    struct piece *piece = &pieces[piece_count++ % PIECES];
    piece->start = (uintptr_t)start;
    piece->length = length;
    piece->first = (uintptr_t)first;
    piece->last = (uintptr_t)last;
    piece->is_lent = 1;
    copy(piece->name, sizeof piece->name, name, strlen(name));
    memcpy(piece->lender, step, sizeof step);
}

void belfry_note_taken_back(const void *first, const void *last) {
    size_t known = piece_count < PIECES ? piece_count : PIECES;
    for (size_t back = 1; back <= known; back++) {
        struct piece *piece = &pieces[(piece_count - back) % PIECES];
        if (piece->first >= (uintptr_t)first && piece->last <= (uintptr_t)last) piece->is_lent = 0;
    }
}
