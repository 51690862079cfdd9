package belfry.flink;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;

/**
 * What is left of subjects whose records were gone before they came into the job: the SHA-256 of the name, and the number of the last
 * decision, so that no id is given twice.
 *
 * <p>State is keyed by names, and a digest does not tell whose key it is. So each task knows all of them, from the savepoint on that the job
 * which took them ended with: state that every task gets as a whole. The first task writes what it was restored with, and each what it took.
 *
 * <pre>
 * 32 bytes: the digest · 8: the number, as Java writes a long
 * </pre>
 */
final class ForgottenSubjects {
    private static final ListStateDescriptor<byte[]> STATE =
            new ListStateDescriptor<>("forgotten", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private static final int DIGEST_LENGTH = 32;
    private static final int SIZE = DIGEST_LENGTH + Long.BYTES;

    private final ListState<byte[]> state;
    private final boolean isFirstTask;
    private final MessageDigest sha = TarArchive.sha256();
    private final Map<ByteBuffer, Long> restored = new HashMap<>();
    private final Map<ByteBuffer, Long> taken = new HashMap<>();

    ForgottenSubjects(OperatorStateStore store, boolean isFirstTask) throws Exception {
        state = store.getUnionListState(STATE);
        this.isFirstTask = isFirstTask;
        for (byte[] subjects : state.get()) {
            for (int place = 0; place < subjects.length; place += SIZE) {
                add(subjects, place, restored);
            }
        }
    }

    /** What is left of one subject, as bytes. */
    static byte[] bytes(byte[] digest, long lastDecision) {
        return ByteBuffer.allocate(SIZE).put(digest).putLong(lastDecision).array();
    }

    private static void add(byte[] subjects, int place, Map<ByteBuffer, Long> numbers) {
        ByteBuffer digest = ByteBuffer.wrap(Arrays.copyOfRange(subjects, place, place + DIGEST_LENGTH));
        numbers.merge(digest, ByteBuffer.wrap(subjects).getLong(place + DIGEST_LENGTH), Math::max);
    }

    void take(byte[] subject) {
        add(subject, 0, taken);
    }

    /** The number of the last decision about a subject; 0: nothing is known of it. */
    long lastDecision(String subject) {
        if (restored.isEmpty() && taken.isEmpty()) {
            return 0;
        }
        ByteBuffer digest = ByteBuffer.wrap(sha.digest(subject.getBytes(StandardCharsets.UTF_8)));
        return Math.max(restored.getOrDefault(digest, 0L), taken.getOrDefault(digest, 0L));
    }

    /** Those that no other task writes. */
    private Map<ByteBuffer, Long> own() {
        Map<ByteBuffer, Long> own = new HashMap<>(isFirstTask ? restored : Map.of());
        taken.forEach((digest, number) -> own.merge(digest, number, Math::max));
        return own;
    }

    /** Gets a digest, and the number of the last decision. */
    interface Body {
        void accept(byte[] digest, long lastDecision);
    }

    /** Shows each subject to one of the tasks. */
    void forEach(Body body) {
        own().forEach((digest, number) -> body.accept(digest.array(), number));
    }

    /** One piece of state: Flink notes the place of each. */
    void store() throws Exception {
        Map<ByteBuffer, Long> own = own();
        ByteBuffer subjects = ByteBuffer.allocate(Math.multiplyExact(own.size(), SIZE));
        own.forEach((digest, number) -> subjects.put(digest.array()).putLong(number));
        state.clear();
        if (!own.isEmpty()) {
            state.add(subjects.array());
        }
    }
}
