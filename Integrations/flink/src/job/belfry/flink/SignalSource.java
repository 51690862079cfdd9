package belfry.flink;

import java.io.Serializable;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Where lines come from. {@code --source} names a class of one's own, for a connector that is not here.
 *
 * <p>What one subject sends has to stay in order: a topic is written by key, a file is read by one reader.
 */
public interface SignalSource extends Serializable {
    /** Lines as they came; whose they are is found out later. Operators get a uid, so that savepoints find them. */
    DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings);
}
