package belfry.core;

/** What a configuration, a plugin or a record has wrong: what happened, why, and what to do. */
public final class CoreException extends Exception {
    public CoreException(String message) {
        super(message);
    }
}
