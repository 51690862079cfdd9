#ifndef BELFRY_PLUGIN_H
#define BELFRY_PLUGIN_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_MAGIC ((uint64_t)0x42454c4652593031)  ///< "BELFRY01"
#define BELFRY_ABI_MAJOR ((uint32_t)1)
#define BELFRY_ABI_MINOR ((uint32_t)0)

/// What the host says of itself before it knows anything of the plugin.
typedef struct belfry_hello_r1 {
    uint64_t magic;
    uint32_t abi_major;
    uint32_t abi_minor;
    belfry_text host_version;
} belfry_hello;

/// The root of a plugin: constant, valid until the process ends.
typedef struct belfry_plugin_r1 {
    uint64_t magic;      ///< BELFRY_MAGIC
    uint32_t abi_major;  ///< BELFRY_ABI_MAJOR: must equal the host's
    uint32_t abi_minor;  ///< BELFRY_ABI_MINOR: at most the host's
    uint32_t size;       ///< sizeof(belfry_plugin), a tripwire: this tag has one size for ever
    uint32_t flags;      ///< none are known: zero
    belfry_text id;          ///< required; unique in the host; one word, without blanks
    belfry_text version;     ///< required; one word, such as 1.2.0
    belfry_text built_with;  ///< compiler and kit, for diagnosis; absent is fine
    /// Called once, before everything else save the entry. May keep `host`. NULL: nothing to do. [setup]
    ///
    /// The process that decides may be forked after this, so what `create` says of threads (strategy.h) is true of this too.
    belfry_status (*init)(const belfry_host *host, const belfry_sink *error);
    /// Called at most once, when the host will not call again. The image itself stays loaded. NULL: nothing to do. [setup]
    void (*deinit)(void);
    /// A constant table by its id (`belfry.strategy/1`, …), or NULL. Asked after `init` only; the answer is stable. Required. [any]
    const void *(*get_extension)(const char *id);
    uint64_t reserved[4];    ///< zero
} belfry_plugin;

/// The only symbol that a plugin exports. The major version is in its name, so that a file can serve two majors.
///
/// Returns the root, or NULL if the plugin will not work with this host. Must not do anything else. [setup]
const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello);

#ifdef __cplusplus
}
#endif

#endif
