/// A plugin that does everything right, in as few lines as possible: the base of the plugins in this folder.
///
/// Each of them defines what it does wrong, one thing, and includes this. Everything that can be defined is listed here.
#ifndef WELL_BEHAVED_H
#define WELL_BEHAVED_H

#include "belfry.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

// The root.
#ifndef MAGIC
#define MAGIC BELFRY_MAGIC
#endif
#ifndef MAJOR
#define MAJOR BELFRY_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR BELFRY_ABI_MINOR
#endif
#ifndef SIZE
#define SIZE sizeof(belfry_plugin)
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef RESERVED
#define RESERVED 0
#endif
#ifndef ID
#define ID TEXT("example.well-behaved")
#endif
#ifndef VERSION
#define VERSION TEXT("1.0.0")
#endif
#ifndef INIT
#define INIT 0
#endif
#ifndef ROOT
#define ROOT &root
#endif

// The strategy.
#ifndef NAME
#define NAME TEXT("polite")
#endif
#ifndef SHOULD_CREATE
#define SHOULD_CREATE should_create
#endif
#ifndef STATE
#define STATE .state_size = 0
#endif
#ifndef PARAMETERS
#define PARAMETERS 0
#endif
#ifndef STRATEGIES
#define STRATEGIES &strategy
#endif

// What it offers beside strategies: the table of an id, or 0.
#ifndef OTHER_TABLE
#define OTHER_TABLE(id) 0
#endif

static int instance;

__attribute__((unused)) static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    return &instance;
}

static void destroy(void *unused) {}

__attribute__((unused)) static belfry_verdict should_create(void *self, const void *state, const belfry_candidate *candidate,
                                                            const belfry_context *context, const belfry_reason *reason) {
    return BELFRY_ABSTAIN;
}

__attribute__((unused)) static const belfry_strategy strategy = {
    .name = NAME, .summary = TEXT("Has no opinion."), .parameters = PARAMETERS,
    .create = create, .destroy = destroy, .should_create = SHOULD_CREATE, STATE};

static const belfry_strategy *const items[] = {STRATEGIES};
static const belfry_strategies strategies = {items, sizeof(items) / sizeof(items[0])};

__attribute__((unused)) static int same(const char *left, const char *right) {
    while (*left && *left == *right) { left++; right++; }
    return *left == *right;
}

static const void *get_extension(const char *id) {
#ifdef OFFERS_NO_STRATEGY
    return OTHER_TABLE(id);
#else
    return same(id, BELFRY_EXTENSION_STRATEGY) ? (const void *)&strategies : OTHER_TABLE(id);
#endif
}

__attribute__((unused)) static const belfry_plugin root = {
    .magic = MAGIC, .abi_major = MAJOR, .abi_minor = MINOR, .size = SIZE, .flags = FLAGS, .id = ID, .version = VERSION,
    .built_with = TEXT("C"), .init = INIT, .get_extension = get_extension, .reserved = {RESERVED}};

#ifndef ENTRY
#define ENTRY belfry_plugin_entry_v1
#endif

__attribute__((visibility("default"))) const belfry_plugin *ENTRY(const belfry_hello *hello) { return ROOT; }

#endif
