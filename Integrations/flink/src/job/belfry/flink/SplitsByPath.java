package belfry.flink;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.assigners.FileSplitAssigner;

/** Has files read in the order of their paths, as far as they are known: Flink's own ways take any order. */
final class SplitsByPath implements FileSplitAssigner {
    private final PriorityQueue<FileSourceSplit> waiting =
            new PriorityQueue<>(Comparator.comparing((FileSourceSplit split) -> split.path().toString()).thenComparing(FileSourceSplit::offset));

    SplitsByPath(Collection<FileSourceSplit> splits) {
        waiting.addAll(splits);
    }

    @Override
    public Optional<FileSourceSplit> getNext(String host) {
        return Optional.ofNullable(waiting.poll());
    }

    @Override
    public void addSplits(Collection<FileSourceSplit> splits) {
        waiting.addAll(splits);
    }

    @Override
    public Collection<FileSourceSplit> remainingSplits() {
        return waiting;
    }
}
