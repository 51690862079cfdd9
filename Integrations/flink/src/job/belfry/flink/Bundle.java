package belfry.flink;

import belfry.core.Core;

/** What decides: a configuration with its plugins. */
final class Bundle {
    private Bundle() {}

    /** @param path of a configuration */
    static Core open(String path) throws Exception {
        return Core.at(path);
    }
}
