/// The packages of `belfry plugins new`, as they lie in Templates/, carried in the command.
#include "templates.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed, which clang has in every mode

static const unsigned char swift_package_swift[] = {
#embed "../../Templates/swift/common/Package.swift"
};
static const unsigned char swift_makefile[] = {
#embed "../../Templates/swift/common/Makefile"
};
static const unsigned char swift_ci_yml[] = {
#embed "../../Templates/swift/common/ci.yml"
};
static const unsigned char c_ci_yml[] = {
#embed "../../Templates/c/common/ci.yml"
};
static const unsigned char rust_ci_yml[] = {
#embed "../../Templates/rust/common/ci.yml"
};
static const unsigned char swift_exports_map[] = {
#embed "../../Templates/swift/common/exports.map"
};
static const unsigned char swift_strategy_gitignore[] = {
#embed "../../Templates/swift/strategy/.gitignore"
};
static const unsigned char swift_strategy_readme_md[] = {
#embed "../../Templates/swift/strategy/README.md"
};
static const unsigned char swift_strategy_sources_myplugin_myplugin_swift[] = {
#embed "../../Templates/swift/strategy/Sources/MyPlugin/MyPlugin.swift"
};
static const unsigned char swift_strategy_sources_myplugin_plugin_swift[] = {
#embed "../../Templates/swift/strategy/Sources/MyPlugin/Plugin.swift"
};
static const unsigned char swift_strategy_tests_myplugintests_myplugintests_swift[] = {
#embed "../../Templates/swift/strategy/Tests/MyPluginTests/MyPluginTests.swift"
};
static const unsigned char swift_strategy_belfry_yaml[] = {
#embed "../../Templates/swift/strategy/belfry.yaml"
};
static const unsigned char swift_strategy_signals_jsonl[] = {
#embed "../../Templates/swift/strategy/signals.jsonl"
};
static const unsigned char swift_filter_gitignore[] = {
#embed "../../Templates/swift/filter/.gitignore"
};
static const unsigned char swift_filter_readme_md[] = {
#embed "../../Templates/swift/filter/README.md"
};
static const unsigned char swift_filter_sources_myplugin_myplugin_swift[] = {
#embed "../../Templates/swift/filter/Sources/MyPlugin/MyPlugin.swift"
};
static const unsigned char swift_filter_sources_myplugin_plugin_swift[] = {
#embed "../../Templates/swift/filter/Sources/MyPlugin/Plugin.swift"
};
static const unsigned char swift_filter_tests_myplugintests_myplugintests_swift[] = {
#embed "../../Templates/swift/filter/Tests/MyPluginTests/MyPluginTests.swift"
};
static const unsigned char swift_filter_belfry_yaml[] = {
#embed "../../Templates/swift/filter/belfry.yaml"
};
static const unsigned char swift_filter_signals_jsonl[] = {
#embed "../../Templates/swift/filter/signals.jsonl"
};
static const unsigned char swift_action_gitignore[] = {
#embed "../../Templates/swift/action/.gitignore"
};
static const unsigned char swift_action_readme_md[] = {
#embed "../../Templates/swift/action/README.md"
};
static const unsigned char swift_action_sources_myplugin_myplugin_swift[] = {
#embed "../../Templates/swift/action/Sources/MyPlugin/MyPlugin.swift"
};
static const unsigned char swift_action_sources_myplugin_plugin_swift[] = {
#embed "../../Templates/swift/action/Sources/MyPlugin/Plugin.swift"
};
static const unsigned char swift_action_tests_myplugintests_myplugintests_swift[] = {
#embed "../../Templates/swift/action/Tests/MyPluginTests/MyPluginTests.swift"
};
static const unsigned char swift_action_belfry_yaml[] = {
#embed "../../Templates/swift/action/belfry.yaml"
};
static const unsigned char swift_action_signals_jsonl[] = {
#embed "../../Templates/swift/action/signals.jsonl"
};
static const unsigned char swift_sink_gitignore[] = {
#embed "../../Templates/swift/sink/.gitignore"
};
static const unsigned char swift_sink_readme_md[] = {
#embed "../../Templates/swift/sink/README.md"
};
static const unsigned char swift_sink_sources_myplugin_myplugin_swift[] = {
#embed "../../Templates/swift/sink/Sources/MyPlugin/MyPlugin.swift"
};
static const unsigned char swift_sink_sources_myplugin_plugin_swift[] = {
#embed "../../Templates/swift/sink/Sources/MyPlugin/Plugin.swift"
};
static const unsigned char swift_sink_tests_myplugintests_myplugintests_swift[] = {
#embed "../../Templates/swift/sink/Tests/MyPluginTests/MyPluginTests.swift"
};
static const unsigned char swift_sink_belfry_yaml[] = {
#embed "../../Templates/swift/sink/belfry.yaml"
};
static const unsigned char swift_sink_signals_jsonl[] = {
#embed "../../Templates/swift/sink/signals.jsonl"
};
static const unsigned char c_makefile[] = {
#embed "../../Templates/c/common/Makefile"
};
static const unsigned char c_tests_belfry_test_h[] = {
#embed "../../Templates/c/common/tests/belfry_test.h"
};
static const unsigned char c_tests_belfry_test_action_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/action.c"
};
static const unsigned char c_tests_belfry_test_asking_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/asking.c"
};
static const unsigned char c_tests_belfry_test_fields_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/fields.c"
};
static const unsigned char c_tests_belfry_test_filter_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/filter.c"
};
static const unsigned char c_tests_belfry_test_host_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/host.c"
};
static const unsigned char c_tests_belfry_test_internal_h[] = {
#embed "../../Templates/c/common/tests/belfry_test/internal.h"
};
static const unsigned char c_tests_belfry_test_report_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/report.c"
};
static const unsigned char c_tests_belfry_test_saved_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/saved.c"
};
static const unsigned char c_tests_belfry_test_sink_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/sink.c"
};
static const unsigned char c_tests_belfry_test_strategy_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/strategy.c"
};
static const unsigned char c_tests_belfry_test_telling_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/telling.c"
};
static const unsigned char c_tests_belfry_test_values_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/values.c"
};
static const unsigned char c_tests_belfry_test_zones_c[] = {
#embed "../../Templates/c/common/tests/belfry_test/zones.c"
};
static const unsigned char c_include_belfry_h[] = {
#embed "../CBelfry/include/belfry.h"
};
static const unsigned char c_include_belfry_actions_h[] = {
#embed "../CBelfry/include/belfry/actions.h"
};
static const unsigned char c_include_belfry_base_h[] = {
#embed "../CBelfry/include/belfry/base.h"
};
static const unsigned char c_include_belfry_candidate_h[] = {
#embed "../CBelfry/include/belfry/candidate.h"
};
static const unsigned char c_include_belfry_filter_h[] = {
#embed "../CBelfry/include/belfry/filter.h"
};
static const unsigned char c_include_belfry_current_h[] = {
#embed "../CBelfry/include/belfry/current.h"
};
static const unsigned char c_include_belfry_delivery_h[] = {
#embed "../CBelfry/include/belfry/delivery.h"
};
static const unsigned char c_include_belfry_digest_h[] = {
#embed "../CBelfry/include/belfry/digest.h"
};
static const unsigned char c_include_belfry_host_h[] = {
#embed "../CBelfry/include/belfry/host.h"
};
static const unsigned char c_include_belfry_parameters_h[] = {
#embed "../CBelfry/include/belfry/parameters.h"
};
static const unsigned char c_include_belfry_plugin_h[] = {
#embed "../CBelfry/include/belfry/plugin.h"
};
static const unsigned char c_include_belfry_receipts_h[] = {
#embed "../CBelfry/include/belfry/receipts.h"
};
static const unsigned char c_include_belfry_outcomes_h[] = {
#embed "../CBelfry/include/belfry/outcomes.h"
};
static const unsigned char c_include_belfry_state_h[] = {
#embed "../CBelfry/include/belfry/state.h"
};
static const unsigned char c_include_belfry_strategy_h[] = {
#embed "../CBelfry/include/belfry/strategy.h"
};
static const unsigned char c_include_belfry_value_h[] = {
#embed "../CBelfry/include/belfry/value.h"
};
static const unsigned char c_strategy_gitignore[] = {
#embed "../../Templates/c/strategy/.gitignore"
};
static const unsigned char c_strategy_readme_md[] = {
#embed "../../Templates/c/strategy/README.md"
};
static const unsigned char c_strategy_belfry_yaml[] = {
#embed "../../Templates/c/strategy/belfry.yaml"
};
static const unsigned char c_strategy_my_plugin_c[] = {
#embed "../../Templates/c/strategy/my_plugin.c"
};
static const unsigned char c_strategy_signals_jsonl[] = {
#embed "../../Templates/c/strategy/signals.jsonl"
};
static const unsigned char c_strategy_tests_test_c[] = {
#embed "../../Templates/c/strategy/tests/test.c"
};
static const unsigned char c_filter_gitignore[] = {
#embed "../../Templates/c/filter/.gitignore"
};
static const unsigned char c_filter_readme_md[] = {
#embed "../../Templates/c/filter/README.md"
};
static const unsigned char c_filter_belfry_yaml[] = {
#embed "../../Templates/c/filter/belfry.yaml"
};
static const unsigned char c_filter_my_plugin_c[] = {
#embed "../../Templates/c/filter/my_plugin.c"
};
static const unsigned char c_filter_signals_jsonl[] = {
#embed "../../Templates/c/filter/signals.jsonl"
};
static const unsigned char c_filter_tests_test_c[] = {
#embed "../../Templates/c/filter/tests/test.c"
};
static const unsigned char c_action_gitignore[] = {
#embed "../../Templates/c/action/.gitignore"
};
static const unsigned char c_action_readme_md[] = {
#embed "../../Templates/c/action/README.md"
};
static const unsigned char c_action_belfry_yaml[] = {
#embed "../../Templates/c/action/belfry.yaml"
};
static const unsigned char c_action_my_plugin_c[] = {
#embed "../../Templates/c/action/my_plugin.c"
};
static const unsigned char c_action_signals_jsonl[] = {
#embed "../../Templates/c/action/signals.jsonl"
};
static const unsigned char c_action_tests_test_c[] = {
#embed "../../Templates/c/action/tests/test.c"
};
static const unsigned char c_sink_gitignore[] = {
#embed "../../Templates/c/sink/.gitignore"
};
static const unsigned char c_sink_readme_md[] = {
#embed "../../Templates/c/sink/README.md"
};
static const unsigned char c_sink_belfry_yaml[] = {
#embed "../../Templates/c/sink/belfry.yaml"
};
static const unsigned char c_sink_my_plugin_c[] = {
#embed "../../Templates/c/sink/my_plugin.c"
};
static const unsigned char c_sink_signals_jsonl[] = {
#embed "../../Templates/c/sink/signals.jsonl"
};
static const unsigned char c_sink_tests_test_c[] = {
#embed "../../Templates/c/sink/tests/test.c"
};
static const unsigned char rust_cargo_toml[] = {
#embed "../../Templates/rust/common/Cargo.toml"
};
static const unsigned char rust_makefile[] = {
#embed "../../Templates/rust/common/Makefile"
};
static const unsigned char rust_src_belfry_action_rs[] = {
#embed "../../Templates/rust/common/src/belfry/action.rs"
};
static const unsigned char rust_src_belfry_candidate_rs[] = {
#embed "../../Templates/rust/common/src/belfry/candidate.rs"
};
static const unsigned char rust_src_belfry_current_rs[] = {
#embed "../../Templates/rust/common/src/belfry/current.rs"
};
static const unsigned char rust_src_belfry_digest_rs[] = {
#embed "../../Templates/rust/common/src/belfry/digest.rs"
};
static const unsigned char rust_src_belfry_filter_rs[] = {
#embed "../../Templates/rust/common/src/belfry/filter.rs"
};
static const unsigned char rust_src_belfry_hooks_rs[] = {
#embed "../../Templates/rust/common/src/belfry/hooks.rs"
};
static const unsigned char rust_src_belfry_host_rs[] = {
#embed "../../Templates/rust/common/src/belfry/host.rs"
};
static const unsigned char rust_src_belfry_mod_rs[] = {
#embed "../../Templates/rust/common/src/belfry/mod.rs"
};
static const unsigned char rust_src_belfry_parameters_rs[] = {
#embed "../../Templates/rust/common/src/belfry/parameters.rs"
};
static const unsigned char rust_src_belfry_plugin_rs[] = {
#embed "../../Templates/rust/common/src/belfry/plugin.rs"
};
static const unsigned char rust_src_belfry_raw_rs[] = {
#embed "../../Templates/rust/common/src/belfry/raw.rs"
};
static const unsigned char rust_src_belfry_raw_host_rs[] = {
#embed "../../Templates/rust/common/src/belfry/raw_host.rs"
};
static const unsigned char rust_src_belfry_receipts_rs[] = {
#embed "../../Templates/rust/common/src/belfry/receipts.rs"
};
static const unsigned char rust_src_belfry_saved_rs[] = {
#embed "../../Templates/rust/common/src/belfry/saved.rs"
};
static const unsigned char rust_src_belfry_sink_rs[] = {
#embed "../../Templates/rust/common/src/belfry/sink.rs"
};
static const unsigned char rust_src_belfry_state_rs[] = {
#embed "../../Templates/rust/common/src/belfry/state.rs"
};
static const unsigned char rust_src_belfry_strategy_rs[] = {
#embed "../../Templates/rust/common/src/belfry/strategy.rs"
};
static const unsigned char rust_src_belfry_time_rs[] = {
#embed "../../Templates/rust/common/src/belfry/time.rs"
};
static const unsigned char rust_src_belfry_value_rs[] = {
#embed "../../Templates/rust/common/src/belfry/value.rs"
};
static const unsigned char rust_src_belfry_test_asking_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/asking.rs"
};
static const unsigned char rust_src_belfry_test_candidate_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/candidate.rs"
};
static const unsigned char rust_src_belfry_test_current_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/current.rs"
};
static const unsigned char rust_src_belfry_test_digest_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/digest.rs"
};
static const unsigned char rust_src_belfry_test_filter_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/filter.rs"
};
static const unsigned char rust_src_belfry_test_host_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/host.rs"
};
static const unsigned char rust_src_belfry_test_mod_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/mod.rs"
};
static const unsigned char rust_src_belfry_test_saved_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/saved.rs"
};
static const unsigned char rust_src_belfry_test_sink_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/sink.rs"
};
static const unsigned char rust_src_belfry_test_state_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/state.rs"
};
static const unsigned char rust_src_belfry_test_strategy_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/strategy.rs"
};
static const unsigned char rust_src_belfry_test_zones_rs[] = {
#embed "../../Templates/rust/common/src/belfry_test/zones.rs"
};
static const unsigned char rust_strategy_gitignore[] = {
#embed "../../Templates/rust/strategy/.gitignore"
};
static const unsigned char rust_strategy_readme_md[] = {
#embed "../../Templates/rust/strategy/README.md"
};
static const unsigned char rust_strategy_belfry_yaml[] = {
#embed "../../Templates/rust/strategy/belfry.yaml"
};
static const unsigned char rust_strategy_signals_jsonl[] = {
#embed "../../Templates/rust/strategy/signals.jsonl"
};
static const unsigned char rust_strategy_src_lib_rs[] = {
#embed "../../Templates/rust/strategy/src/lib.rs"
};
static const unsigned char rust_filter_gitignore[] = {
#embed "../../Templates/rust/filter/.gitignore"
};
static const unsigned char rust_filter_readme_md[] = {
#embed "../../Templates/rust/filter/README.md"
};
static const unsigned char rust_filter_belfry_yaml[] = {
#embed "../../Templates/rust/filter/belfry.yaml"
};
static const unsigned char rust_filter_signals_jsonl[] = {
#embed "../../Templates/rust/filter/signals.jsonl"
};
static const unsigned char rust_filter_src_lib_rs[] = {
#embed "../../Templates/rust/filter/src/lib.rs"
};
static const unsigned char rust_action_gitignore[] = {
#embed "../../Templates/rust/action/.gitignore"
};
static const unsigned char rust_action_readme_md[] = {
#embed "../../Templates/rust/action/README.md"
};
static const unsigned char rust_action_belfry_yaml[] = {
#embed "../../Templates/rust/action/belfry.yaml"
};
static const unsigned char rust_action_signals_jsonl[] = {
#embed "../../Templates/rust/action/signals.jsonl"
};
static const unsigned char rust_action_src_lib_rs[] = {
#embed "../../Templates/rust/action/src/lib.rs"
};
static const unsigned char rust_sink_gitignore[] = {
#embed "../../Templates/rust/sink/.gitignore"
};
static const unsigned char rust_sink_readme_md[] = {
#embed "../../Templates/rust/sink/README.md"
};
static const unsigned char rust_sink_belfry_yaml[] = {
#embed "../../Templates/rust/sink/belfry.yaml"
};
static const unsigned char rust_sink_signals_jsonl[] = {
#embed "../../Templates/rust/sink/signals.jsonl"
};
static const unsigned char rust_sink_src_lib_rs[] = {
#embed "../../Templates/rust/sink/src/lib.rs"
};

#define FILE(language, kind, path, text) {language, kind, path, text, sizeof(text)}

static const belfry_template templates[] = {
    FILE("swift", NULL, "Package.swift", swift_package_swift),
    FILE("swift", NULL, "Makefile", swift_makefile),
    FILE("swift", NULL, ".github/workflows/ci.yml", swift_ci_yml),
    FILE("swift", NULL, "exports.map", swift_exports_map),
    FILE("swift", "strategy", ".gitignore", swift_strategy_gitignore),
    FILE("swift", "strategy", "README.md", swift_strategy_readme_md),
    FILE("swift", "strategy", "Sources/MyPlugin/MyPlugin.swift", swift_strategy_sources_myplugin_myplugin_swift),
    FILE("swift", "strategy", "Sources/MyPlugin/Plugin.swift", swift_strategy_sources_myplugin_plugin_swift),
    FILE("swift", "strategy", "Tests/MyPluginTests/MyPluginTests.swift", swift_strategy_tests_myplugintests_myplugintests_swift),
    FILE("swift", "strategy", "belfry.yaml", swift_strategy_belfry_yaml),
    FILE("swift", "strategy", "signals.jsonl", swift_strategy_signals_jsonl),
    FILE("swift", "filter", ".gitignore", swift_filter_gitignore),
    FILE("swift", "filter", "README.md", swift_filter_readme_md),
    FILE("swift", "filter", "Sources/MyPlugin/MyPlugin.swift", swift_filter_sources_myplugin_myplugin_swift),
    FILE("swift", "filter", "Sources/MyPlugin/Plugin.swift", swift_filter_sources_myplugin_plugin_swift),
    FILE("swift", "filter", "Tests/MyPluginTests/MyPluginTests.swift", swift_filter_tests_myplugintests_myplugintests_swift),
    FILE("swift", "filter", "belfry.yaml", swift_filter_belfry_yaml),
    FILE("swift", "filter", "signals.jsonl", swift_filter_signals_jsonl),
    FILE("swift", "action", ".gitignore", swift_action_gitignore),
    FILE("swift", "action", "README.md", swift_action_readme_md),
    FILE("swift", "action", "Sources/MyPlugin/MyPlugin.swift", swift_action_sources_myplugin_myplugin_swift),
    FILE("swift", "action", "Sources/MyPlugin/Plugin.swift", swift_action_sources_myplugin_plugin_swift),
    FILE("swift", "action", "Tests/MyPluginTests/MyPluginTests.swift", swift_action_tests_myplugintests_myplugintests_swift),
    FILE("swift", "action", "belfry.yaml", swift_action_belfry_yaml),
    FILE("swift", "action", "signals.jsonl", swift_action_signals_jsonl),
    FILE("swift", "sink", ".gitignore", swift_sink_gitignore),
    FILE("swift", "sink", "README.md", swift_sink_readme_md),
    FILE("swift", "sink", "Sources/MyPlugin/MyPlugin.swift", swift_sink_sources_myplugin_myplugin_swift),
    FILE("swift", "sink", "Sources/MyPlugin/Plugin.swift", swift_sink_sources_myplugin_plugin_swift),
    FILE("swift", "sink", "Tests/MyPluginTests/MyPluginTests.swift", swift_sink_tests_myplugintests_myplugintests_swift),
    FILE("swift", "sink", "belfry.yaml", swift_sink_belfry_yaml),
    FILE("swift", "sink", "signals.jsonl", swift_sink_signals_jsonl),
    FILE("c", NULL, "Makefile", c_makefile),
    FILE("c", NULL, ".github/workflows/ci.yml", c_ci_yml),
    FILE("c", NULL, "tests/belfry_test.h", c_tests_belfry_test_h),
    FILE("c", NULL, "tests/belfry_test/action.c", c_tests_belfry_test_action_c),
    FILE("c", NULL, "tests/belfry_test/asking.c", c_tests_belfry_test_asking_c),
    FILE("c", NULL, "tests/belfry_test/fields.c", c_tests_belfry_test_fields_c),
    FILE("c", NULL, "tests/belfry_test/filter.c", c_tests_belfry_test_filter_c),
    FILE("c", NULL, "tests/belfry_test/host.c", c_tests_belfry_test_host_c),
    FILE("c", NULL, "tests/belfry_test/internal.h", c_tests_belfry_test_internal_h),
    FILE("c", NULL, "tests/belfry_test/report.c", c_tests_belfry_test_report_c),
    FILE("c", NULL, "tests/belfry_test/saved.c", c_tests_belfry_test_saved_c),
    FILE("c", NULL, "tests/belfry_test/sink.c", c_tests_belfry_test_sink_c),
    FILE("c", NULL, "tests/belfry_test/strategy.c", c_tests_belfry_test_strategy_c),
    FILE("c", NULL, "tests/belfry_test/telling.c", c_tests_belfry_test_telling_c),
    FILE("c", NULL, "tests/belfry_test/values.c", c_tests_belfry_test_values_c),
    FILE("c", NULL, "tests/belfry_test/zones.c", c_tests_belfry_test_zones_c),
    FILE("c", NULL, "include/belfry.h", c_include_belfry_h),
    FILE("c", NULL, "include/belfry/actions.h", c_include_belfry_actions_h),
    FILE("c", NULL, "include/belfry/base.h", c_include_belfry_base_h),
    FILE("c", NULL, "include/belfry/candidate.h", c_include_belfry_candidate_h),
    FILE("c", NULL, "include/belfry/filter.h", c_include_belfry_filter_h),
    FILE("c", NULL, "include/belfry/current.h", c_include_belfry_current_h),
    FILE("c", NULL, "include/belfry/delivery.h", c_include_belfry_delivery_h),
    FILE("c", NULL, "include/belfry/digest.h", c_include_belfry_digest_h),
    FILE("c", NULL, "include/belfry/host.h", c_include_belfry_host_h),
    FILE("c", NULL, "include/belfry/parameters.h", c_include_belfry_parameters_h),
    FILE("c", NULL, "include/belfry/plugin.h", c_include_belfry_plugin_h),
    FILE("c", NULL, "include/belfry/receipts.h", c_include_belfry_receipts_h),
    FILE("c", NULL, "include/belfry/outcomes.h", c_include_belfry_outcomes_h),
    FILE("c", NULL, "include/belfry/state.h", c_include_belfry_state_h),
    FILE("c", NULL, "include/belfry/strategy.h", c_include_belfry_strategy_h),
    FILE("c", NULL, "include/belfry/value.h", c_include_belfry_value_h),
    FILE("c", "strategy", ".gitignore", c_strategy_gitignore),
    FILE("c", "strategy", "README.md", c_strategy_readme_md),
    FILE("c", "strategy", "belfry.yaml", c_strategy_belfry_yaml),
    FILE("c", "strategy", "my_plugin.c", c_strategy_my_plugin_c),
    FILE("c", "strategy", "signals.jsonl", c_strategy_signals_jsonl),
    FILE("c", "strategy", "tests/test.c", c_strategy_tests_test_c),
    FILE("c", "filter", ".gitignore", c_filter_gitignore),
    FILE("c", "filter", "README.md", c_filter_readme_md),
    FILE("c", "filter", "belfry.yaml", c_filter_belfry_yaml),
    FILE("c", "filter", "my_plugin.c", c_filter_my_plugin_c),
    FILE("c", "filter", "signals.jsonl", c_filter_signals_jsonl),
    FILE("c", "filter", "tests/test.c", c_filter_tests_test_c),
    FILE("c", "action", ".gitignore", c_action_gitignore),
    FILE("c", "action", "README.md", c_action_readme_md),
    FILE("c", "action", "belfry.yaml", c_action_belfry_yaml),
    FILE("c", "action", "my_plugin.c", c_action_my_plugin_c),
    FILE("c", "action", "signals.jsonl", c_action_signals_jsonl),
    FILE("c", "action", "tests/test.c", c_action_tests_test_c),
    FILE("c", "sink", ".gitignore", c_sink_gitignore),
    FILE("c", "sink", "README.md", c_sink_readme_md),
    FILE("c", "sink", "belfry.yaml", c_sink_belfry_yaml),
    FILE("c", "sink", "my_plugin.c", c_sink_my_plugin_c),
    FILE("c", "sink", "signals.jsonl", c_sink_signals_jsonl),
    FILE("c", "sink", "tests/test.c", c_sink_tests_test_c),
    FILE("rust", NULL, "Cargo.toml", rust_cargo_toml),
    FILE("rust", NULL, "Makefile", rust_makefile),
    FILE("rust", NULL, ".github/workflows/ci.yml", rust_ci_yml),
    FILE("rust", NULL, "src/belfry/action.rs", rust_src_belfry_action_rs),
    FILE("rust", NULL, "src/belfry/candidate.rs", rust_src_belfry_candidate_rs),
    FILE("rust", NULL, "src/belfry/current.rs", rust_src_belfry_current_rs),
    FILE("rust", NULL, "src/belfry/digest.rs", rust_src_belfry_digest_rs),
    FILE("rust", NULL, "src/belfry/filter.rs", rust_src_belfry_filter_rs),
    FILE("rust", NULL, "src/belfry/hooks.rs", rust_src_belfry_hooks_rs),
    FILE("rust", NULL, "src/belfry/host.rs", rust_src_belfry_host_rs),
    FILE("rust", NULL, "src/belfry/mod.rs", rust_src_belfry_mod_rs),
    FILE("rust", NULL, "src/belfry/parameters.rs", rust_src_belfry_parameters_rs),
    FILE("rust", NULL, "src/belfry/plugin.rs", rust_src_belfry_plugin_rs),
    FILE("rust", NULL, "src/belfry/raw.rs", rust_src_belfry_raw_rs),
    FILE("rust", NULL, "src/belfry/raw_host.rs", rust_src_belfry_raw_host_rs),
    FILE("rust", NULL, "src/belfry/receipts.rs", rust_src_belfry_receipts_rs),
    FILE("rust", NULL, "src/belfry/saved.rs", rust_src_belfry_saved_rs),
    FILE("rust", NULL, "src/belfry/sink.rs", rust_src_belfry_sink_rs),
    FILE("rust", NULL, "src/belfry/state.rs", rust_src_belfry_state_rs),
    FILE("rust", NULL, "src/belfry/strategy.rs", rust_src_belfry_strategy_rs),
    FILE("rust", NULL, "src/belfry/time.rs", rust_src_belfry_time_rs),
    FILE("rust", NULL, "src/belfry/value.rs", rust_src_belfry_value_rs),
    FILE("rust", "strategy", "src/belfry_test/asking.rs", rust_src_belfry_test_asking_rs),
    FILE("rust", "filter", "src/belfry_test/asking.rs", rust_src_belfry_test_asking_rs),
    FILE("rust", "sink", "src/belfry_test/asking.rs", rust_src_belfry_test_asking_rs),
    FILE("rust", "strategy", "src/belfry_test/candidate.rs", rust_src_belfry_test_candidate_rs),
    FILE("rust", "filter", "src/belfry_test/candidate.rs", rust_src_belfry_test_candidate_rs),
    FILE("rust", "sink", "src/belfry_test/candidate.rs", rust_src_belfry_test_candidate_rs),
    FILE("rust", "strategy", "src/belfry_test/current.rs", rust_src_belfry_test_current_rs),
    FILE("rust", "filter", "src/belfry_test/current.rs", rust_src_belfry_test_current_rs),
    FILE("rust", "sink", "src/belfry_test/current.rs", rust_src_belfry_test_current_rs),
    FILE("rust", "strategy", "src/belfry_test/digest.rs", rust_src_belfry_test_digest_rs),
    FILE("rust", "filter", "src/belfry_test/digest.rs", rust_src_belfry_test_digest_rs),
    FILE("rust", "sink", "src/belfry_test/digest.rs", rust_src_belfry_test_digest_rs),
    FILE("rust", "strategy", "src/belfry_test/filter.rs", rust_src_belfry_test_filter_rs),
    FILE("rust", "filter", "src/belfry_test/filter.rs", rust_src_belfry_test_filter_rs),
    FILE("rust", "sink", "src/belfry_test/filter.rs", rust_src_belfry_test_filter_rs),
    FILE("rust", "strategy", "src/belfry_test/host.rs", rust_src_belfry_test_host_rs),
    FILE("rust", "filter", "src/belfry_test/host.rs", rust_src_belfry_test_host_rs),
    FILE("rust", "sink", "src/belfry_test/host.rs", rust_src_belfry_test_host_rs),
    FILE("rust", "strategy", "src/belfry_test/mod.rs", rust_src_belfry_test_mod_rs),
    FILE("rust", "filter", "src/belfry_test/mod.rs", rust_src_belfry_test_mod_rs),
    FILE("rust", "sink", "src/belfry_test/mod.rs", rust_src_belfry_test_mod_rs),
    FILE("rust", "strategy", "src/belfry_test/saved.rs", rust_src_belfry_test_saved_rs),
    FILE("rust", "filter", "src/belfry_test/saved.rs", rust_src_belfry_test_saved_rs),
    FILE("rust", "sink", "src/belfry_test/saved.rs", rust_src_belfry_test_saved_rs),
    FILE("rust", "strategy", "src/belfry_test/sink.rs", rust_src_belfry_test_sink_rs),
    FILE("rust", "strategy", "src/belfry_test/state.rs", rust_src_belfry_test_state_rs),
    FILE("rust", "filter", "src/belfry_test/sink.rs", rust_src_belfry_test_sink_rs),
    FILE("rust", "sink", "src/belfry_test/sink.rs", rust_src_belfry_test_sink_rs),
    FILE("rust", "filter", "src/belfry_test/state.rs", rust_src_belfry_test_state_rs),
    FILE("rust", "sink", "src/belfry_test/state.rs", rust_src_belfry_test_state_rs),
    FILE("rust", "strategy", "src/belfry_test/strategy.rs", rust_src_belfry_test_strategy_rs),
    FILE("rust", "filter", "src/belfry_test/strategy.rs", rust_src_belfry_test_strategy_rs),
    FILE("rust", "sink", "src/belfry_test/strategy.rs", rust_src_belfry_test_strategy_rs),
    FILE("rust", "strategy", "src/belfry_test/zones.rs", rust_src_belfry_test_zones_rs),
    FILE("rust", "filter", "src/belfry_test/zones.rs", rust_src_belfry_test_zones_rs),
    FILE("rust", "sink", "src/belfry_test/zones.rs", rust_src_belfry_test_zones_rs),
    FILE("rust", "strategy", ".gitignore", rust_strategy_gitignore),
    FILE("rust", "strategy", "README.md", rust_strategy_readme_md),
    FILE("rust", "strategy", "belfry.yaml", rust_strategy_belfry_yaml),
    FILE("rust", "strategy", "signals.jsonl", rust_strategy_signals_jsonl),
    FILE("rust", "strategy", "src/lib.rs", rust_strategy_src_lib_rs),
    FILE("rust", "filter", ".gitignore", rust_filter_gitignore),
    FILE("rust", "filter", "README.md", rust_filter_readme_md),
    FILE("rust", "filter", "belfry.yaml", rust_filter_belfry_yaml),
    FILE("rust", "filter", "signals.jsonl", rust_filter_signals_jsonl),
    FILE("rust", "filter", "src/lib.rs", rust_filter_src_lib_rs),
    FILE("rust", "action", ".gitignore", rust_action_gitignore),
    FILE("rust", "action", "README.md", rust_action_readme_md),
    FILE("rust", "action", "belfry.yaml", rust_action_belfry_yaml),
    FILE("rust", "action", "signals.jsonl", rust_action_signals_jsonl),
    FILE("rust", "action", "src/lib.rs", rust_action_src_lib_rs),
    FILE("rust", "sink", ".gitignore", rust_sink_gitignore),
    FILE("rust", "sink", "README.md", rust_sink_readme_md),
    FILE("rust", "sink", "belfry.yaml", rust_sink_belfry_yaml),
    FILE("rust", "sink", "signals.jsonl", rust_sink_signals_jsonl),
    FILE("rust", "sink", "src/lib.rs", rust_sink_src_lib_rs),
};
const size_t belfry_template_count = sizeof(templates) / sizeof(*templates);

const belfry_template *belfry_template_first(void) { return templates; }
