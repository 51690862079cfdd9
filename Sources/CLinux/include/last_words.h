#ifndef BELFRY_LAST_WORDS_H
#define BELFRY_LAST_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define BELFRY_LAST_WORDS_MAGIC ((uint64_t)0x53444f575453414c)

/// What a process that checks a plugin still says when the plugin ends it: where it was, and on which memory it stepped.
struct belfry_last_words {
    uint64_t magic;
    int32_t signal;      ///< 0: `exit` was called
    uint32_t is_lent;    ///< of the piece: 1 as long as it is lent, 0 once it was taken back
    uint64_t address;    ///< of SIGSEGV and SIGBUS
    uint64_t start;      ///< of the lent piece that the address belongs to
    uint64_t length;     ///< bytes
    char piece[64];      ///< empty: it belongs to none
    char lender[128];    ///< the step in which the piece was lent
    char step[128];      ///< what was going on
};

/// Writes the last words to `descriptor` when a signal or `exit` ends this process, or a step takes too long.
void belfry_prepare_last_words(int descriptor);

/// The process may end now without a word: it has given its answer.
void belfry_withdraw_last_words(void);

/// Names what begins now, and ends the process if it is not over in so many seconds.
void belfry_begin_step(const char *name, size_t length, unsigned seconds);

/// Notes a piece of memory that is lent from now on, with the pages from `first` up to `last` kept for it alone.
void belfry_note_lent(const void *start, size_t length, const void *first, const void *last, const char *name);

/// Notes that everything between the two addresses was taken back.
void belfry_note_taken_back(const void *first, const void *last);

#endif
