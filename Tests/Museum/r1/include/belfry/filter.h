#ifndef BELFRY_FILTER_H
#define BELFRY_FILTER_H

#include "host.h"
#include "parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_FILTER "belfry.filter/1"

/// What a filter may do to a candidate. Everything that belongs to identity or scheduling is out of reach: what is written
/// into the candidate or the context itself is undone, with a warning. [subject]
///
/// Everything is copied before a function returns, and NULL removes what it would set. Edits that make no sense (text that is
/// no UTF-8, values nested more than 128 deep, a category that the configuration does not have, buttons that would not be
/// accepted in `categories`) count as a failure of `apply`.
typedef struct belfry_edits_r1 {
    void *owner;
    void (*set_title)(void *owner, const char *text, uint64_t length);
    void (*set_message)(void *owner, const char *text, uint64_t length);
    void (*set_category)(void *owner, const char *text, uint64_t length);  ///< one of the configuration
    void (*set_data)(void *owner, const belfry_value *value);
    void (*set_presentation)(void *owner, const belfry_value *value);
    void (*set_buttons)(void *owner, const belfry_value *buttons);  ///< a list of maps as in `categories`, instead of the category's
    /// Drops the candidate, with one sentence; edits are of no consequence then.
    void (*drop)(void *owner, const char *message, uint64_t length);
} belfry_edits;

/// One filter of a plugin: constant. It stands in the chain like a strategy and keeps no state.
typedef struct belfry_filter_r1 {
    belfry_text name;     ///< required; unique among strategies and filters of the host
    belfry_text summary;
    const belfry_parameter *parameters;  ///< NULL: it takes none
    void *type;           ///< the plugin's own; passed to `create`
    /// As for a strategy. Required. [any]
    void *(*create)(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
    /// Required. [any]
    void (*destroy)(void *instance);
    /// Edits or drops the candidate. On failure none of its edits are kept and `error` has a sentence. Required. [subject]
    belfry_status (*apply)(void *instance, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_edits *edits, const belfry_sink *error);
} belfry_filter;

/// What belfry.filter/1 of a plugin is: constant.
typedef struct belfry_filters_r1 {
    const belfry_filter *const *items;
    uint64_t count;
} belfry_filters;

#ifdef __cplusplus
}
#endif

#endif
