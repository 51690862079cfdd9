/// The packages of `belfry plugins new`, as they lie in Templates/, carried in the command.
#include "templates.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed, which clang has in every mode

static const unsigned char swift_gitignore[] = {
#embed "../../Templates/swift/.gitignore"
};
static const unsigned char swift_package_swift[] = {
#embed "../../Templates/swift/Package.swift"
};
static const unsigned char swift_readme_md[] = {
#embed "../../Templates/swift/README.md"
};
static const unsigned char swift_strategy[] = {
#embed "../../Templates/swift/Sources/MyStrategy/MyStrategy.swift"
};
static const unsigned char swift_plugin_swift[] = {
#embed "../../Templates/swift/Sources/MyStrategy/Plugin.swift"
};
static const unsigned char swift_mystrategytests_swift[] = {
#embed "../../Templates/swift/Tests/MyStrategyTests/MyStrategyTests.swift"
};
static const unsigned char swift_belfry_yaml[] = {
#embed "../../Templates/swift/belfry.yaml"
};
static const unsigned char swift_exports_map[] = {
#embed "../../Templates/swift/exports.map"
};
static const unsigned char swift_signals_jsonl[] = {
#embed "../../Templates/swift/signals.jsonl"
};
static const unsigned char c_gitignore[] = {
#embed "../../Templates/c/.gitignore"
};
static const unsigned char c_makefile[] = {
#embed "../../Templates/c/Makefile"
};
static const unsigned char c_readme_md[] = {
#embed "../../Templates/c/README.md"
};
static const unsigned char c_belfry_yaml[] = {
#embed "../../Templates/c/belfry.yaml"
};
static const unsigned char c_belfry_h[] = {
#embed "../../Templates/c/include/belfry.h"
};
static const unsigned char c_actions_h[] = {
#embed "../../Templates/c/include/belfry/actions.h"
};
static const unsigned char c_base_h[] = {
#embed "../../Templates/c/include/belfry/base.h"
};
static const unsigned char c_candidate_h[] = {
#embed "../../Templates/c/include/belfry/candidate.h"
};
static const unsigned char c_filter_h[] = {
#embed "../../Templates/c/include/belfry/filter.h"
};
static const unsigned char c_host_h[] = {
#embed "../../Templates/c/include/belfry/host.h"
};
static const unsigned char c_parameters_h[] = {
#embed "../../Templates/c/include/belfry/parameters.h"
};
static const unsigned char c_plugin_h[] = {
#embed "../../Templates/c/include/belfry/plugin.h"
};
static const unsigned char c_state_h[] = {
#embed "../../Templates/c/include/belfry/state.h"
};
static const unsigned char c_strategy_h[] = {
#embed "../../Templates/c/include/belfry/strategy.h"
};
static const unsigned char c_value_h[] = {
#embed "../../Templates/c/include/belfry/value.h"
};
static const unsigned char c_my_strategy_c[] = {
#embed "../../Templates/c/my_strategy.c"
};
static const unsigned char c_signals_jsonl[] = {
#embed "../../Templates/c/signals.jsonl"
};
static const unsigned char c_belfry_test_h[] = {
#embed "../../Templates/c/tests/belfry_test.h"
};
static const unsigned char c_test_c[] = {
#embed "../../Templates/c/tests/test.c"
};
static const unsigned char rust_gitignore[] = {
#embed "../../Templates/rust/.gitignore"
};
static const unsigned char rust_cargo_toml[] = {
#embed "../../Templates/rust/Cargo.toml"
};
static const unsigned char rust_makefile[] = {
#embed "../../Templates/rust/Makefile"
};
static const unsigned char rust_readme_md[] = {
#embed "../../Templates/rust/README.md"
};
static const unsigned char rust_belfry_yaml[] = {
#embed "../../Templates/rust/belfry.yaml"
};
static const unsigned char rust_signals_jsonl[] = {
#embed "../../Templates/rust/signals.jsonl"
};
static const unsigned char rust_belfry_rs[] = {
#embed "../../Templates/rust/src/belfry.rs"
};
static const unsigned char rust_belfry_test_rs[] = {
#embed "../../Templates/rust/src/belfry_test.rs"
};
static const unsigned char rust_lib_rs[] = {
#embed "../../Templates/rust/src/lib.rs"
};

#define FILE(language, path, text) {language, path, text, sizeof(text)}

static const belfry_template templates[] = {
    FILE("swift", ".gitignore", swift_gitignore),
    FILE("swift", "Package.swift", swift_package_swift),
    FILE("swift", "README.md", swift_readme_md),
    FILE("swift", "Sources/MyStrategy/MyStrategy.swift", swift_strategy),
    FILE("swift", "Sources/MyStrategy/Plugin.swift", swift_plugin_swift),
    FILE("swift", "Tests/MyStrategyTests/MyStrategyTests.swift", swift_mystrategytests_swift),
    FILE("swift", "belfry.yaml", swift_belfry_yaml),
    FILE("swift", "exports.map", swift_exports_map),
    FILE("swift", "signals.jsonl", swift_signals_jsonl),
    FILE("c", ".gitignore", c_gitignore),
    FILE("c", "Makefile", c_makefile),
    FILE("c", "README.md", c_readme_md),
    FILE("c", "belfry.yaml", c_belfry_yaml),
    FILE("c", "include/belfry.h", c_belfry_h),
    FILE("c", "include/belfry/actions.h", c_actions_h),
    FILE("c", "include/belfry/base.h", c_base_h),
    FILE("c", "include/belfry/candidate.h", c_candidate_h),
    FILE("c", "include/belfry/filter.h", c_filter_h),
    FILE("c", "include/belfry/host.h", c_host_h),
    FILE("c", "include/belfry/parameters.h", c_parameters_h),
    FILE("c", "include/belfry/plugin.h", c_plugin_h),
    FILE("c", "include/belfry/state.h", c_state_h),
    FILE("c", "include/belfry/strategy.h", c_strategy_h),
    FILE("c", "include/belfry/value.h", c_value_h),
    FILE("c", "my_strategy.c", c_my_strategy_c),
    FILE("c", "signals.jsonl", c_signals_jsonl),
    FILE("c", "tests/belfry_test.h", c_belfry_test_h),
    FILE("c", "tests/test.c", c_test_c),
    FILE("rust", ".gitignore", rust_gitignore),
    FILE("rust", "Cargo.toml", rust_cargo_toml),
    FILE("rust", "Makefile", rust_makefile),
    FILE("rust", "README.md", rust_readme_md),
    FILE("rust", "belfry.yaml", rust_belfry_yaml),
    FILE("rust", "signals.jsonl", rust_signals_jsonl),
    FILE("rust", "src/belfry.rs", rust_belfry_rs),
    FILE("rust", "src/belfry_test.rs", rust_belfry_test_rs),
    FILE("rust", "src/lib.rs", rust_lib_rs),
};
const size_t belfry_template_count = sizeof(templates) / sizeof(*templates);

const belfry_template *belfry_template_first(void) { return templates; }
