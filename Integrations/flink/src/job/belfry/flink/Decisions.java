package belfry.flink;

import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;

/** What one signal or timer of a subject came to: lines of decisions, as {@code belfry run} writes them. */
public final class Decisions extends Tuple3<String, byte[], String> {
    public static final TypeInformation<Decisions> TYPE =
            new TupleTypeInfo<>(Decisions.class, Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, Types.STRING);

    public Decisions() {}

    public Decisions(String subject, byte[] lines, String generation) {
        super(subject, lines, generation);
    }

    /** The key under which a sink that keeps an order should write them. */
    public String subject() {
        return f0;
    }

    /** One or more lines, each with its end. */
    public byte[] lines() {
        return f1;
    }

    /** Which configuration and plugins decided: the generation of their bundle. */
    public String generation() {
        return f2;
    }
}
