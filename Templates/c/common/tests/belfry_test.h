/// Drives one strategy, filter, action or sink of a plugin alone, with a clock that is moved by hand: a small host for tests.
///
///     const belfry_value parameters[] = {belfry_test_duration("pause", 3600000)};
///     struct belfry_test test = belfry_test_strategy("my-plugin", parameters, 1);
///     CHECK(belfry_test_request(&test, "hello"));
///     test.now += 1000;
///     CHECK(!belfry_test_request(&test, "hello"));
///     CHECK_EQUAL(test.until, 3600000);
///     belfry_test_end(&test);
///     return belfry_test_summary();
///
/// On the way it fails whatever breaks the contract, and says what, why and what to do: a question that is not pure, an
/// `until` that is not exact, a hook that changes the state and does not say so, a state that does not survive being
/// stored.
///
/// It offers belfry.log, belfry.local-time, belfry.attributes and belfry.scratch. It has no belfry.conditions, and no
/// `history.<campaign>` among the attributes: test what needs them with `belfry run` and `belfry simulate`.
#ifndef BELFRY_TEST_H
#define BELFRY_TEST_H

#include "belfry.h"

#include <stdio.h>
#include <string.h>

#define BELFRY_TEST_NEVER INT64_MIN

/// What a filter leaves of a notification. NULL: nothing.
struct belfry_test_content {
    const char *title, *message, *category;
    const belfry_value *data, *presentation;
    const belfry_value *buttons;  ///< NULL: those of the category
    const char *dropped;          ///< why it was dropped; NULL: it was not
};

struct belfry_test {
    // What it is asked and told about. Change it as you like.
    int64_t now;                 ///< ms since 1970; it begins with 0
    const char *zone;            ///< of the subject, such as Europe/Paris; NULL: UTC
    belfry_value user, channel;  ///< attributes, of belfry_test_map; at first there are none
    belfry_candidate candidate;  ///< the campaign, title and message are those of the call
    int others_deny;             ///< whether the rest of the chain is against everything
    int may_fail;                ///< whether a telling hook may fail; it fails the test otherwise

    // What it answered last.
    belfry_verdict verdict;
    const char *code, *message;  ///< NULL: none
    int64_t until;               ///< BELFRY_TEST_NEVER: none
    const char *failure;         ///< why the last telling hook, filter, action or delivery failed; NULL: it did not

    struct belfry_test_content left;  ///< by the filter
    belfry_value result;              ///< of the action

    // The test's own.
    const char *name;
    const belfry_strategy *strategy;
    const belfry_receipt_hook *receipt_hook;
    int is_told_of_happened;
    const belfry_filter *filter;
    const belfry_action *action;
    const belfry_sink_type *sink;
    void *instance;
    unsigned char *state;
    uint32_t app;
    int64_t app_since;
    int created;
    belfry_action_result result_sink;
    struct belfry_test_block *memory;  ///< until the end of the test
    struct belfry_test_block *lent;    ///< until the hook returns
};

// MARK: Set up

/// Each ends the tests if the plugin has nothing of that name, or refuses the parameters.
///
/// - parameters: the members of the mapping under `parameters`; none: the defaults.
struct belfry_test belfry_test_strategy(const char *name, const belfry_value *parameters, uint64_t count);
struct belfry_test belfry_test_filter(const char *name, const belfry_value *parameters, uint64_t count);
struct belfry_test belfry_test_action(const char *type);
struct belfry_test belfry_test_sink_type(const char *name, const belfry_value *parameters, uint64_t count);

/// Frees all that the test has, texts and values of its answers too.
void belfry_test_end(struct belfry_test *test);

// MARK: A strategy

/// Asks whether it may be created, and tells the outcome: whether it was. No trigger made it, unless `candidate` has an event.
int belfry_test_request(struct belfry_test *test, const char *campaign);

/// Asks whether a current notification may be deleted, and tells the outcome: whether it was.
int belfry_test_delete(struct belfry_test *test, const char *campaign);

/// The user taps a notification of that campaign.
void belfry_test_open(struct belfry_test *test, const char *campaign);

/// A sink says what became of a notification of that campaign, such as
/// `(belfry_receipt){.outcome = BELFRY_RECEIPT_FAILED, .created_at = test.now, .reason = belfry_test_text("no such device")}`.
void belfry_test_receipt(struct belfry_test *test, const char *campaign, belfry_receipt receipt);

void belfry_test_foreground(struct belfry_test *test);
void belfry_test_background(struct belfry_test *test);

/// A region became watched.
void belfry_test_start_monitoring(struct belfry_test *test, const char *region);

/// Gives it other parameters; what it remembers stays.
void belfry_test_change_parameters(struct belfry_test *test, const belfry_value *parameters, uint64_t count);

// MARK: The state of a strategy

/// What is stored under that name, of the kind BELFRY_NULL if there is no value.
belfry_value belfry_test_field(struct belfry_test *test, const char *name);

/// As if the process had ended and started again.
void belfry_test_save_and_load(struct belfry_test *test);

/// Lets the subject begin with what an earlier version of the strategy stored, as of `now`.
///
/// Of a state that declares its fields the version says nothing: values of a name and type that it still has are taken
/// over.
void belfry_test_begin(struct belfry_test *test, uint32_t version, const belfry_value *stored, uint64_t count);

// MARK: A filter

/// Puts a notification through the filter; `left` is what it left. After a failure that is what was there before.
belfry_status belfry_test_apply(struct belfry_test *test, const char *title, const char *message);

// MARK: An action

/// The last argument of `test.action->function`, which is to be cast to its real type. What it says is in `result` and
/// `failure`.
const belfry_action_result *belfry_test_result(struct belfry_test *test);

// MARK: A sink

/// Gives it a decision of that type, with these members of `data`; each has an id of its own, such as `ana:1`. Why it is not
/// taken is in `failure`.
belfry_delivered belfry_test_deliver(struct belfry_test *test, const char *type, const char *subject,
                                     const belfry_value *data, uint64_t count);

// MARK: Values. The key is NULL outside a mapping.

belfry_text belfry_test_text(const char *text);  ///< NULL: absent
belfry_value belfry_test_boolean(const char *key, int flag);
belfry_value belfry_test_integer(const char *key, int64_t number);
belfry_value belfry_test_number(const char *key, double number);
belfry_value belfry_test_string(const char *key, const char *text);
belfry_value belfry_test_duration(const char *key, int64_t milliseconds);
belfry_value belfry_test_instant(const char *key, int64_t milliseconds);
belfry_value belfry_test_list(const char *key, const belfry_value *items, uint64_t count);
belfry_value belfry_test_map(const char *key, const belfry_value *members, uint64_t count);

/// The member of a mapping, of the kind BELFRY_NULL if there is none. Texts of what this host gives end with a NUL.
belfry_value belfry_test_member(const belfry_value *map, const char *key);

// MARK: Checks

#define CHECK(claim) belfry_test_check((claim) != 0, #claim, __FILE__, __LINE__)
#define CHECK_EQUAL(found, expected) belfry_test_check_equal((found), (expected), #found, __FILE__, __LINE__)
#define CHECK_TEXT(found, expected) belfry_test_check_text((found), (expected), #found, __FILE__, __LINE__)

void belfry_test_check(int holds, const char *claim, const char *file, int line);
void belfry_test_check_equal(int64_t found, int64_t expected, const char *what, const char *file, int line);
void belfry_test_check_text(const char *found, const char *expected, const char *what, const char *file, int line);

/// Says how many checks held; the exit status of the tests.
int belfry_test_summary(void);

/// The last line that the plugin wrote to the host's log.
extern char belfry_test_log[1024];

#endif
