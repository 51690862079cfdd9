package belfry.flink;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.connector.file.src.util.IteratorResultIterator;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of a file with their numbers, which rejects and decisions name.
 *
 * <p>A file is read by one reader from its beginning, so the order of its lines stays, up to where it ended when it was found: what comes
 * behind that is not there after a restart either. After one, it is read again up to where the checkpoint was. Whatever its name is, its bytes
 * are taken as they are: Flink's own format of lines unpacks by the name, and fails where a file has grown.
 */
final class FileLines<T> implements BulkFormat<T, FileSourceSplit> {
    private static final Logger LOG = LoggerFactory.getLogger(FileLines.class);
    /** Of the lines that are handed on together. */
    private static final int BATCH_BYTES = 1 << 18;

    /** Makes something of a line, which is without its end. */
    interface Parser<T> extends Serializable {
        T parse(byte[] line, long number, Path file) throws IOException;
    }

    private final Parser<T> parser;
    private final TypeInformation<T> type;
    private final boolean isNeeded;

    /** @param isNeeded whether a file that is gone, or was cut, ends the job; else it is noted in the log, and the job goes on */
    FileLines(Parser<T> parser, TypeInformation<T> type, boolean isNeeded) {
        this.parser = parser;
        this.type = type;
        this.isNeeded = isNeeded;
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return type;
    }

    @Override
    public boolean isSplittable() {
        return false;
    }

    @Override
    public BulkFormat.Reader<T> createReader(Configuration configuration, FileSourceSplit split) throws IOException {
        return new LineReader(split);
    }

    @Override
    public BulkFormat.Reader<T> restoreReader(Configuration configuration, FileSourceSplit split) throws IOException {
        LineReader reader = new LineReader(split);
        long done = split.getReaderPosition().map(CheckpointedPosition::getRecordsAfterOffset).orElse(0L);
        try {
            while (reader.number < done && reader.readLine() != null) {}
        } catch (IOException e) {
            reader.close();
            throw e;
        }
        return reader;
    }

    private InputStream open(Path path) throws IOException {
        try {
            return path.getFileSystem().open(path);
        } catch (FileNotFoundException e) {
            if (isNeeded) {
                throw e;
            }
            // Its length says what is missing.
            return InputStream.nullInputStream();
        }
    }

    private final class LineReader implements BulkFormat.Reader<T> {
        private final Path path;
        private final InputStream stream;
        /** So many bytes are not read yet. */
        private long left;
        private byte[] buffer = new byte[1 << 16];
        private int start;
        private int end;
        private long number;

        LineReader(FileSourceSplit split) throws IOException {
            path = split.path();
            left = split.length();
            stream = open(path);
        }

        @Override
        public BulkFormat.RecordIterator<T> readBatch() throws IOException {
            long before = number;
            List<T> lines = new ArrayList<>();
            byte[] line;
            for (int size = 0; size < BATCH_BYTES && (line = readLine()) != null; size += line.length + 1) {
                lines.add(parser.parse(line, number, path));
            }
            return lines.isEmpty() ? null : new IteratorResultIterator<>(lines.iterator(), CheckpointedPosition.NO_OFFSET, before);
        }

        /** Null: there are no more. */
        private byte[] readLine() throws IOException {
            int searched = start;
            while (true) {
                for (int place = searched; place < end; place++) {
                    if (buffer[place] == '\n') {
                        return line(place, place + 1);
                    }
                }
                searched = end - start;
                if (!fill()) {
                    return start < end ? line(end, end) : null;
                }
            }
        }

        private byte[] line(int lineEnd, int next) {
            // "\r\n" is one end.
            boolean hasReturn = next > lineEnd && lineEnd > start && buffer[lineEnd - 1] == '\r';
            byte[] line = Arrays.copyOfRange(buffer, start, hasReturn ? lineEnd - 1 : lineEnd);
            start = next;
            number++;
            return line;
        }

        /** Moves what is left to the beginning of the buffer, and reads more behind it. */
        private boolean fill() throws IOException {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
            if (left == 0) {
                return false;
            }
            if (end == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * end);
            }
            int count = stream.read(buffer, end, (int) Math.min(left, buffer.length - end));
            if (count < 0) {
                noteMissing();
                return false;
            }
            end += count;
            left -= count;
            return true;
        }

        private void noteMissing() throws IOException {
            String what = "'" + path + "' is gone, or has " + left + " bytes less than when it was found";
            if (isNeeded) {
                throw new IOException(what + "\n  why: it was cut, or written anew, while a job reads it\n  fix: put it back as it was");
            }
            LOG.warn(what);
            left = 0;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
