// Says how often it was set up, and in how many threads at once its action is called.
#include "belfry.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}

static const belfry_host *host;
static atomic_int setups, inside;

static void say(const char *what, int count) {
    char line[64];
    const int length = snprintf(line, sizeof line, "%s %d", what, count);
    const belfry_log *log = host->get_extension(host, BELFRY_EXTENSION_LOG);
    log->write(host, BELFRY_LOG_INFO, line, (uint64_t)length);
}

static belfry_status set_up(const belfry_host *given, const belfry_sink *error) {
    (void)error;
    host = given;
    say("setup", ++setups);
    return BELFRY_OK;
}

static belfry_status count(const char *value, const belfry_action_result *result) {
    (void)result;
    int most = ++inside;
    // Long enough for another thread to get here, if it may.
    for (int turn = 0; turn < 200000 && most < 2; turn++) {
        sched_yield();
        if (inside > most) most = inside;
    }
    --inside;
    say(value, most);
    return BELFRY_OK;
}

static const belfry_action action = {
    .type = TEXT("count"), .summary = TEXT("Counts."), .signature = TEXT("count(value: string)"),
    .function = (belfry_action_function)count};
static const belfry_action *const items[] = {&action};
static const belfry_actions actions = {items, 1};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_ACTIONS) ? NULL : &actions; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("counted"), .version = TEXT("1.0.0"), .init = set_up, .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
