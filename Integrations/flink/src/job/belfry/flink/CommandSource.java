package belfry.flink;

import java.io.Serializable;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Where commands come from. {@code --command-source} names a class of one's own.
 *
 * <p>Who may write there may have code run by every worker, and erase and read any subject: not those who may send signals.
 */
public interface CommandSource extends Serializable {
    /** Lines of JSON, in an order that stays: from one reader. */
    DataStream<String> open(StreamExecutionEnvironment environment, Settings settings);
}
