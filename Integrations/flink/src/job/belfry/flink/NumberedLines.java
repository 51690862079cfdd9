package belfry.flink;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.reader.SimpleStreamFormat;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * Lines of a file with their numbers, which rejects and decisions name.
 *
 * <p>A file is read by one reader from its beginning, so the order of its lines stays. After a restart it is read again up to where the
 * checkpoint was.
 */
final class NumberedLines extends SimpleStreamFormat<Line> {
    @Override
    public StreamFormat.Reader<Line> createReader(Configuration configuration, FSDataInputStream stream) {
        return new LineReader(stream);
    }

    @Override
    public TypeInformation<Line> getProducedType() {
        return Line.TYPE;
    }

    private static final class LineReader implements StreamFormat.Reader<Line> {
        private final InputStream stream;
        private byte[] buffer = new byte[1 << 16];
        private int start;
        private int end;
        private long number;

        LineReader(InputStream stream) {
            this.stream = stream;
        }

        @Override
        public Line read() throws IOException {
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

        private Line line(int lineEnd, int next) {
            // "\r\n" is one end.
            boolean hasReturn = next > lineEnd && lineEnd > start && buffer[lineEnd - 1] == '\r';
            Line line = new Line(Arrays.copyOfRange(buffer, start, hasReturn ? lineEnd - 1 : lineEnd), ++number);
            start = next;
            return line;
        }

        /** Moves what is left to the beginning of the buffer, and reads more behind it. */
        private boolean fill() throws IOException {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
            if (end == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * end);
            }
            int count = stream.read(buffer, end, buffer.length - end);
            end += Math.max(count, 0);
            return count > 0;
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
