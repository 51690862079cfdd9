/// What the parts of the test host have in common.
#ifndef BELFRY_TEST_INTERNAL_H
#define BELFRY_TEST_INTERNAL_H

#include "../belfry_test.h"

// MARK: report.c

/// Fails the test, with what happened, why, and what to do.
void belfry_test_fail(struct belfry_test *test, const char *what, const char *why, const char *fix);
/// Ends the tests if something is not there that they cannot do without.
void belfry_test_require(int holds, const char *what, const char *name);
/// As RFC 3339.
const char *belfry_test_time(struct belfry_test *test, int64_t instant);

// MARK: values.c

/// Zeros, at a multiple of 16.
void *belfry_test_allocate(struct belfry_test_block **memory, uint64_t size);
void belfry_test_free(struct belfry_test_block **memory);
/// Texts become C texts. NULL for an absent text.
const char *belfry_test_copy_text(struct belfry_test *test, const char *bytes, uint64_t length);
belfry_value belfry_test_copy(struct belfry_test *test, const belfry_value *value);
/// The member of a mapping; NULL if there is none.
const belfry_value *belfry_test_find(const belfry_value *map, const char *key);
int belfry_test_is_text(belfry_text text, const char *other);
int belfry_test_is_same(const belfry_value *one, const belfry_value *other);
/// For messages, in the test's memory.
const char *belfry_test_shown(struct belfry_test *test, const belfry_value *value);
/// The members of two mappings that are not the same: `count was 1 and is 2`.
const char *belfry_test_difference(struct belfry_test *test, const belfry_value *before, const belfry_value *after);
const char *belfry_test_format(struct belfry_test *test, const char *format, ...);

// MARK: host.c

const belfry_host *belfry_test_host(void);
/// `test.failure` is what is said through it.
belfry_sink belfry_test_sink(struct belfry_test *test);
belfry_context belfry_test_context(struct belfry_test *test);
void *belfry_test_create(struct belfry_test *test, const belfry_value *parameters, uint64_t count);
/// Ends the tests if the plugin has no such table.
const void *belfry_test_table(const char *id, const char *name);
/// NULL: it has none.
const void *belfry_test_find_table(const char *id, const char *name);

// MARK: zones.c

extern const belfry_local_time belfry_test_local_time;
const belfry_zone *belfry_test_zone(const char *name, uint64_t length);

// MARK: fields.c

/// Whether the strategy declares the fields of its state; it saves itself otherwise.
int belfry_test_is_declared(const struct belfry_test *test);
/// The state of a subject who is new.
unsigned char *belfry_test_new_state(struct belfry_test *test);
/// What is stored of a state, by name. No value: BELFRY_NULL.
belfry_value belfry_test_stored(struct belfry_test *test, const unsigned char *state);
/// A state with these values where it has fields for them.
unsigned char *belfry_test_loaded(struct belfry_test *test, uint32_t version, const belfry_value *stored);

// MARK: saved.c

belfry_value belfry_test_saved(struct belfry_test *test, const void *state);
belfry_status belfry_test_load(struct belfry_test *test, void *state, uint32_t version, const belfry_value *saved);

// MARK: asking.c

typedef belfry_verdict question(void *, const void *, const belfry_candidate *, const belfry_context *,
                                            const belfry_reason *);

/// What a question was answered.
struct answer {
    struct belfry_test *test;
    belfry_verdict verdict;
    const char *code, *message;
    int64_t until;
};

struct answer belfry_test_ask(struct belfry_test *test, question *check, const void *state,
                                          const belfry_candidate *candidate, const belfry_context *context);
int belfry_test_is_same_answer(struct answer one, struct answer other);
const char *belfry_test_answered(struct answer answer);
/// Asks, checks all that has to hold, and says whether it comes to pass.
int belfry_test_allows(struct belfry_test *test, const char *name, question *check,
                       const belfry_candidate *candidate);

// MARK: telling.c

/// One call of a hook that may change the state.
struct telling {
    struct belfry_test *test;
    const char *hook;
    const belfry_candidate *candidate;  ///< NULL: the hook has none
    void *state;
    belfry_value before;
    belfry_context context;
    belfry_sink error;
};

struct telling belfry_test_begin_telling(struct belfry_test *test, const char *hook,
                                                     const belfry_candidate *candidate);
/// Keeps what the hook made of the state, if it says that it changed it.
void belfry_test_end_telling(struct telling telling, belfry_told told);

#endif
