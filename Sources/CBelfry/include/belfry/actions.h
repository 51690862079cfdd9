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

/// An ordinary native function. Its real type follows from the signature it is registered with.
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
    belfry_text signature;  ///< required: `(action)` or `(action, payload)`
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
