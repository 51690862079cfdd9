package belfry.flink;

import java.io.Serializable;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Where decisions go, and what else comes out. {@code --sink} names a class of one's own. */
public interface DecisionSink extends Serializable {
    void write(DataStream<Decisions> decisions, Settings settings);

    /**
     * Lines besides the decisions.
     *
     * @param name {@code rejects}, {@code faults}, {@code answers} or {@code records}
     */
    void write(DataStream<byte[]> lines, String name, Settings settings);
}
