package belfry.flink;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.exc.MismatchedInputException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A line of the stream of commands, and its answers.
 *
 * <pre>
 * {"id":"1","command":"bundle","bundle":"file:///bundles/shop.tar","from":"2026-03-02T00:00:00Z"}
 * {"id":"2","command":"explain","subject":"ana","campaign":"welcome"}        also region, trigger, channel, at
 * {"id":"3","command":"show","subject":"ana"}                                also export, erase
 * {"id":"4","command":"records"}                                             all of them, to the records
 * </pre>
 */
final class Command {
    /** A second object in a line is refused with it, and so is a second value of a name, or it would be lost without a word. */
    static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    /** What each needs. */
    private static final Map<String, List<String>> REQUIRED = Map.of(
            "bundle", List.of("bundle"), "show", List.of("subject"), "export", List.of("subject"), "erase", List.of("subject"),
            "explain", List.of("subject", "campaign"), "records", List.of());

    /** Times beyond have no RFC 3339. */
    private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    private final ObjectNode json;

    private Command(ObjectNode json) {
        this.json = json;
    }

    /** @throws IllegalArgumentException with a sentence, if it is no command */
    static Command parse(String line) {
        JsonNode node;
        try {
            node = MAPPER.readTree(line);
        } catch (MismatchedInputException e) {
            throw new IllegalArgumentException("something is behind the command; expected one JSON object a line");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the command cannot be read: " + e.getOriginalMessage());
        }
        if (!(node instanceof ObjectNode object) || !REQUIRED.containsKey(object.path("command").asText())) {
            throw new IllegalArgumentException("there is no such command: " + line + "; expected one of " + REQUIRED.keySet());
        }
        for (String name : REQUIRED.get(object.path("command").asText())) {
            if (!object.path(name).isTextual()) {
                throw new IllegalArgumentException("'" + name + "' is missing in " + line);
            }
        }
        Command command = new Command(object);
        command.time("from");
        command.time("at");
        return command;
    }

    String name() {
        return text("command");
    }

    String subject() {
        return text("subject");
    }

    /** Null if it is not there. */
    String text(String name) {
        return json.hasNonNull(name) ? json.get(name).asText() : null;
    }

    /** In ms since 1970; {@link belfry.core.Core#NEVER} if it is not there. */
    long time(String name) {
        String text = text(name);
        if (text == null) {
            return belfry.core.Core.NEVER;
        }
        try {
            Instant time = Instant.parse(text);
            if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
                throw new DateTimeException(text);
            }
            return time.toEpochMilli();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("'" + name + "' is '" + text + "'; expected a date-time like 2026-03-02T09:00:00Z");
        }
    }

    /** The command with one more member. */
    Command with(String name, String value) {
        ObjectNode copy = json.deepCopy();
        copy.put(name, value);
        return new Command(copy);
    }

    @Override
    public String toString() {
        return json.toString();
    }

    // MARK: Answers

    /** @param answer JSON, or a text in quotes */
    byte[] answer(String answer) {
        return line(",\"answer\":" + answer);
    }

    /** @param note what is to be known of the answer */
    byte[] answer(String answer, String note) {
        return line(",\"answer\":" + answer + ",\"note\":" + quoted(note));
    }

    byte[] error(String why) {
        return line(",\"error\":" + quoted(why));
    }

    /** The answer to a line that is no command. */
    static byte[] error(String line, String why) {
        return ("{\"line\":" + quoted(line) + ",\"error\":" + quoted(why) + "}\n").getBytes(StandardCharsets.UTF_8);
    }

    private byte[] line(String end) {
        StringBuilder line = new StringBuilder("{");
        for (String name : List.of("id", "command", "subject")) {
            if (json.hasNonNull(name)) {
                line.append(line.length() == 1 ? "" : ",").append('"').append(name).append("\":").append(json.get(name));
            }
        }
        return line.append(end).append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    static String quoted(String text) {
        return MAPPER.getNodeFactory().textNode(text).toString();
    }
}
