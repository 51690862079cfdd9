package belfry.flink;

import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;

/** A line of input: a signal, or what was meant to be one. A tuple, because Flink writes those fastest. */
public final class Line extends Tuple3<String, byte[], Long> {
    public static final TypeInformation<Line> TYPE =
            new TupleTypeInfo<>(Line.class, Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, Types.LONG);

    /** The subject of a line that does not tell its own; the core says what is wrong with it. */
    public static final String NOBODY = "-";

    /** In place of a number: the bytes are a record that another engine has kept. */
    private static final long RECORD = -1;
    /** The same: what is left of a subject whose record is gone. */
    private static final long FORGOTTEN = -2;

    public Line() {}

    static Line record(String subject, byte[] record) {
        Line line = new Line(record, RECORD);
        line.f0 = subject;
        return line;
    }

    /** @param digest of the name, in hexadecimal: any key that spreads them */
    static Line forgotten(String digest, byte[] subject) {
        Line line = new Line(subject, FORGOTTEN);
        line.f0 = digest;
        return line;
    }

    /**
     * @param bytes without the end of the line
     * @param number of the line in its file, from 1: the cause of a signal without id
     */
    public Line(byte[] bytes, long number) {
        super(NOBODY, bytes, number);
    }

    /** Or it is what another engine has kept. */
    boolean isSignal() {
        return f2 != RECORD && f2 != FORGOTTEN;
    }

    boolean isRecord() {
        return f2 == RECORD;
    }

    public String subject() {
        return f0;
    }

    public byte[] bytes() {
        return f1;
    }

    public long number() {
        return f2;
    }
}
