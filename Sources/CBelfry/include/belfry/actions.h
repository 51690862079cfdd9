#ifndef BELFRY_ACTIONS_H
#define BELFRY_ACTIONS_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_ACTIONS "belfry.actions/1"

/// Takes what a handler has to say. [the thread of the call]
typedef struct belfry_action_result_r1 {
    void *owner;
    void (*set)(void *owner, const belfry_value *value);                  ///< the `result` of action.invoked
    void (*fail)(void *owner, const char *message, uint64_t length);      ///< one sentence; wanted with a failure
} belfry_action_result;

/// An ordinary native function. Its real type follows from the signature it is registered with:
///
///     viewProduct(sku: string, price: double, quantity: int = 1)
///
///     belfry_status view_product(const char *sku, double price, int64_t quantity, const belfry_action_result *result);
///
/// In front of the parentheses stands the action type, or nothing. Each parameter is a field of the action, with its type and,
/// if it may be missing, a default in JSON. Parameters become arguments in their order; the last argument is the result.
///
///     type     in an action                                 argument
///     bool     true or false                                belfry_bool
///     int      a whole number                               int64_t
///     double   a number                                     double
///     string   text without U+0000                          const char *, UTF-8, NUL-terminated
///     bytes    base64 text (RFC 4648, section 4)            const uint8_t *, uint64_t: two arguments, the bytes and their number
///     instant  an RFC 3339 time                             int64_t, ms since 1970-01-01T00:00:00Z
///
/// Two parameters have no type: `action` is the whole action, a map with `type`, and `payload` the notification, a map as in
/// `notification.created`; both are `const belfry_value *`. At most 32 parameters. No pointer is NULL; all are borrowed until
/// the function returns.
///
/// The host checks and converts before it calls: a field that is missing, of another type or unknown (unless the handler takes
/// `action`) is an error of the action, and the function is not called. As long as it returns in time, it
/// is never called twice at once in one host. The command calls it on a thread that is not that of the decisions; libbelfry
/// calls it on the thread that decides, and waits for it. What it says after the host's deadline
/// is lost, but its arguments stay valid until it returns.
typedef void (*belfry_action_function)(void);

/// Signature `(action)`: gets the whole action, a map with `type`.
typedef belfry_status (*belfry_action_handler)(const belfry_value *action, const belfry_action_result *result);

/// Signature `(action, payload)`: gets the notification too, a map as in `notification.created`.
typedef belfry_status (*belfry_action_payload_handler)(const belfry_value *action, const belfry_value *payload,
                                                       const belfry_action_result *result);

/// One action type of a plugin: constant. The last registration of a type wins, built-in types included.
typedef struct belfry_action_r1 {
    belfry_text type;       ///< required; what `type:` of an action names
    belfry_text summary;    ///< one sentence
    belfry_text signature;  ///< required; see belfry_action_function
    belfry_action_function function;  ///< required. [any]
} belfry_action;

/// What belfry.actions/1 of a plugin is: constant.
typedef struct belfry_actions_r1 {
    const belfry_action *const *items;
    uint64_t count;
} belfry_actions;

#ifdef __cplusplus
}
#endif

#endif
