package belfry.flink;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Function;
import org.apache.flink.api.common.serialization.BulkWriter;

/** Writes lines to a file through a buffer: Flink's own writer of rows makes a system call for each. */
final class LinesWriter<T> implements BulkWriter<T> {
    /** As it is named in a job: it is sent to the tasks. */
    interface Lines<T> extends Function<T, byte[]>, java.io.Serializable {}

    private final OutputStream stream;
    private final Lines<T> lines;

    private LinesWriter(OutputStream stream, Lines<T> lines) {
        this.stream = new BufferedOutputStream(stream, 1 << 16);
        this.lines = lines;
    }

    static <T> BulkWriter.Factory<T> of(Lines<T> lines) {
        return stream -> new LinesWriter<>(stream, lines);
    }

    @Override
    public void addElement(T element) throws IOException {
        stream.write(lines.apply(element));
    }

    @Override
    public void flush() throws IOException {
        stream.flush();
    }

    @Override
    public void finish() throws IOException {
        flush();
    }
}
