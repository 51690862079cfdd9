/// The host that the plugin sees, and what it lends to a call.
#include "internal.h"

char belfry_test_log[1024];

// MARK: belfry.log/1

static void write_line(const belfry_host *host, uint32_t level, const char *message, uint64_t length) {
    static const char *const levels[] = {"debug", "info", "warning", "error"};
    (void)host;
    snprintf(belfry_test_log, sizeof(belfry_test_log), "%.*s", (int)length, message);
    printf("log, %s: %s\n", levels[level > BELFRY_LOG_ERROR ? BELFRY_LOG_ERROR : level], belfry_test_log);
}

static const belfry_log log_table = {write_line};

// MARK: belfry.attributes/1

/// The value at a dotted path inside a mapping.
static const belfry_value *at(const belfry_value *value, const char *path) {
    while (value && *path) {
        char key[64];
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof(key), "%.*s", (int)length, path);
        value = belfry_test_find(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

/// What has no root is looked for in the channel first, and in the user then.
static const belfry_value *attribute(const belfry_context *context, const char *path, uint64_t length) {
    struct belfry_test *test = context->owner;
    const char *name = belfry_test_copy_text(test, path, length);
    if (strncmp(name, "user.", 5) == 0) return at(&test->user, name + 5);
    if (strncmp(name, "channel.", 8) == 0) return at(&test->channel, name + 8);
    const belfry_value *found = at(&test->channel, name);
    return found ? found : at(&test->user, name);
}

static const belfry_attributes attributes_table = {attribute};

// MARK: belfry.scratch/1

static void *allocate(const belfry_context *context, uint64_t size) {
    struct belfry_test *test = context->owner;
    return size > 16 << 20 ? NULL : belfry_test_allocate(&test->lent, size);
}

static const belfry_scratch scratch_table = {allocate};

// MARK: The host

static const void *get_extension(const belfry_host *host, const char *id) {
    (void)host;
    if (strcmp(id, BELFRY_EXTENSION_LOG) == 0) return &log_table;
    if (strcmp(id, BELFRY_EXTENSION_LOCAL_TIME) == 0) return &belfry_test_local_time;
    if (strcmp(id, BELFRY_EXTENSION_ATTRIBUTES) == 0) return &attributes_table;
    if (strcmp(id, BELFRY_EXTENSION_SCRATCH) == 0) return &scratch_table;
    return NULL;
}

const belfry_host *belfry_test_host(void) {
    static const belfry_host host = {
        .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .name = {"test", 4}, .version = {"1.0", 3},
        .get_extension = get_extension};
    return &host;
}

static void take(void *owner, const char *bytes, uint64_t length) {
    struct belfry_test *test = owner;
    test->failure = belfry_test_format(test, "%s%.*s", test->failure ? test->failure : "", (int)length, bytes);
}

belfry_sink belfry_test_sink(struct belfry_test *test) {
    test->failure = NULL;
    return (belfry_sink){test, take};
}

belfry_context belfry_test_context(struct belfry_test *test) {
    return (belfry_context){.now = test->now, .subject = belfry_test_text("ana"), .channel = belfry_test_text("phone"),
                            .app = test->app, .app_since = test->app_since, .owner = test};
}

// MARK: The plugin

const void *belfry_test_find_table(const char *id, const char *name) {
    const belfry_hello hello = {.magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR};
    const belfry_plugin *plugin = belfry_plugin_entry_v1(&hello);
    belfry_test_require(plugin && plugin->magic == BELFRY_MAGIC, "the entry gives no plugin, and so none with", name);
    static int is_set_up;
    struct belfry_test test = {.name = name};
    const belfry_sink error = belfry_test_sink(&test);
    if (plugin->init && !is_set_up++ && plugin->init(belfry_test_host(), &error) != BELFRY_OK)
        belfry_test_require(0, "the plugin's init fails:", test.failure ? test.failure : "without a word");
    belfry_test_free(&test.memory);
    return plugin->get_extension(id);
}

const void *belfry_test_table(const char *id, const char *name) {
    const void *table = belfry_test_find_table(id, name);
    belfry_test_require(table != NULL, "the plugin has no table for", name);
    return table;
}

void *belfry_test_create(struct belfry_test *test, const belfry_value *parameters, uint64_t count) {
    const belfry_value map = belfry_test_map(NULL, parameters, count);
    const belfry_sink error = belfry_test_sink(test);
    const belfry_value *given = count ? &map : NULL;
    void *instance = test->strategy ? test->strategy->create(test->strategy->type, belfry_test_host(), given, &error)
                     : test->filter ? test->filter->create(test->filter->type, belfry_test_host(), given, &error)
                                    : test->sink->create(test->sink->type, belfry_test_host(), given, &error);
    if (!instance) printf("%s\n", test->failure ? test->failure : "it does not say why");
    belfry_test_require(instance != NULL, "these parameters are refused by", test->name);
    return instance;
}
