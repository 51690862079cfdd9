package belfry.flink;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.util.ParameterTool;

/** What a job is told on its command line. */
public final class Settings implements Serializable {
    private final ParameterTool parameters;

    public Settings(String[] arguments) {
        parameters = ParameterTool.fromArgs(arguments);
    }

    /** The value of an option; the job ends with a sentence if it is missing. */
    public String required(String option) {
        String value = parameters.get(option);
        if (value == null) {
            throw new IllegalArgumentException("--" + option + " is missing\n  fix: see the options in Integrations/flink/README.md");
        }
        return value;
    }

    /** Null if it is not there. */
    public String optional(String option) {
        return parameters.get(option);
    }

    public String optional(String option, String otherwise) {
        return parameters.get(option, otherwise);
    }

    /** The configuration, or the bundle, that decides until another one comes. */
    public String bundle() {
        return required("bundle");
    }

    /** Whether that goes before the bundle that a savepoint needs. */
    public boolean replacesBundle() {
        return parameters.getBoolean("replace-bundle", false);
    }

    /** In ms; -1: time passes by ticks of the stream alone. */
    public long lateness() {
        String text = parameters.get("lateness");
        return text == null ? -1 : Duration.parse(text).toMillis();
    }

    /** How far ahead of the time of day a signal may move time by {@code lateness}, in ms. */
    public long ahead() {
        return Duration.parse(parameters.get("ahead", "PT1H")).toMillis();
    }

    public boolean hasCommands() {
        return parameters.has("commands") || parameters.has("command-source");
    }

    /** How many records a task keeps in native memory. */
    public long liveRecords() {
        return parameters.getLong("live-records", 200_000);
    }

    /** How often a followed folder is looked at, in ms. */
    public long followMillis() {
        return parameters.getLong("follow", 1000);
    }

    public int readers() {
        return parameters.getInt("readers", 1);
    }

    /** The most tasks there will ever be; state of one number cannot be read with another. */
    public int maxParallelism() {
        return parameters.getInt("max-parallelism", 128);
    }
}
