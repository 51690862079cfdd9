package belfry.core;

import java.nio.charset.StandardCharsets;

/** What a configuration, a plugin or a record has wrong: what happened, why, and what to do. */
public final class CoreException extends Exception {
    public CoreException(String message) {
        super(message);
    }

    /** As libbelfry says it: in UTF-8. */
    CoreException(byte[] message) {
        this(new String(message, StandardCharsets.UTF_8));
    }
}
