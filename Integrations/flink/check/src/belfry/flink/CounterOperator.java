package belfry.flink;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Counts the signals of each subject, in the state that Belfry uses, and says so: what a job costs where nothing is decided. */
final class CounterOperator extends AbstractStreamOperator<Decisions> implements TwoInputStreamOperator<Line, String, Decisions> {
    private transient ValueState<byte[]> state;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = context.getKeyedStateStore().getState(new ValueStateDescriptor<>("record", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    @Override
    public void processElement1(StreamRecord<Line> element) throws Exception {
        String subject = element.getValue().subject();
        byte[] record = state.value();
        long count = record == null ? 1 : ByteBuffer.wrap(record).getLong() + 1;
        state.update(ByteBuffer.allocate(8).putLong(count).array());
        String line = "{\"id\":\"" + subject + ":" + count + "\"}\n";
        output.collect(new StreamRecord<>(new Decisions(subject, line.getBytes(StandardCharsets.UTF_8), "counter")));
    }

    @Override
    public void processElement2(StreamRecord<String> element) {}

    @Override
    public void processWatermark2(Watermark mark) {}
}
