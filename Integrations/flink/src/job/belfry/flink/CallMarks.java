package belfry.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Notes the signal under way in a file, so that one that kills its worker is known to the next one.
 *
 * <p>A file in memory outlives its process. A later worker finds it without an owner, and in a call: once may be chance, such as a
 * kill from outside; a signal that two workers died at is not decided any more. It is an error of a plugin, and costs one signal.
 *
 * <pre>
 * 4 bytes: 1 in a call, else 0 · 32: the digest of the call
 * </pre>
 *
 * <p>The digest is of the line, which has its subject, of its number, and of the generation that decides: deaths are kept, and neither
 * another line of that number nor a plugin that was mended is to pay for them. It has one length, however long the line is.
 */
final class CallMarks implements AutoCloseable {
    private static final int DIGEST = 4;
    private static final int DIGEST_LENGTH = 32;
    private static final int SIZE = DIGEST + DIGEST_LENGTH;
    private static final String DEATHS = "deaths";
    /** One object for all class loaders that have this class. */
    private static final Object TURN =
            System.getProperties().computeIfAbsent("belfry.worker", name -> UUID.randomUUID().toString());
    /** What the names of this worker's files begin with. */
    private static final String WORKER = TURN + ".";

    private final Path file;
    private final FileChannel channel;
    private final MappedByteBuffer mark;
    private final MessageDigest sha = TarArchive.sha256();
    private final Set<String> suspects = new HashSet<>();

    /** @param folder that all workers share; null: nothing is noted */
    static CallMarks in(String folder) throws IOException {
        return folder == null ? null : new CallMarks(Files.createDirectories(Path.of(folder)));
    }

    private CallMarks(Path folder) throws IOException {
        file = folder.resolve(WORKER + UUID.randomUUID() + ".mark");
        // One after the other, in this process and among all: who comes second sees what the first one has counted, and no file without a lock.
        synchronized (TURN) {
            try (FileChannel turn = FileChannel.open(folder.resolve("turn"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                turn.lock();
                channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
                if (channel.tryLock() == null) {
                    throw new IOException("'" + file + "' cannot be locked\n  why: the folder of --marks has no locks\n  fix: name another one");
                }
                mark = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
                countDeaths(folder);
            }
        }
    }

    /** Adds the calls at which workers died since the last look, and takes those that killed two. */
    private void countDeaths(Path folder) throws IOException {
        try (DirectoryStream<Path> marks = Files.newDirectoryStream(folder, "*.mark")) {
            for (Path other : marks) {
                // Closing a file of one's own would let go of its lock (fcntl(2)), and others would take its worker for dead.
                if (!other.getFileName().toString().startsWith(WORKER)) {
                    countDeath(other, folder.resolve(DEATHS));
                }
            }
        }
        Map<String, Integer> deaths = new HashMap<>();
        if (Files.exists(folder.resolve(DEATHS))) {
            for (String call : Files.readAllLines(folder.resolve(DEATHS))) {
                deaths.merge(call, 1, Integer::sum);
            }
        }
        deaths.forEach((call, count) -> {
            if (count > 1) {
                suspects.add(call);
            }
        });
    }

    private static void countDeath(Path mark, Path deaths) throws IOException {
        try (FileChannel channel = FileChannel.open(mark, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                return;
            }
            MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE);
            if (bytes.getInt(0) == 1) {
                byte[] digest = new byte[DIGEST_LENGTH];
                bytes.get(DIGEST, digest);
                Files.writeString(deaths, text(digest) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            Files.delete(mark);
        } catch (NoSuchFileException e) {
            // Another worker has counted it.
        }
    }

    private static String text(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    private byte[] digest(String generation, byte[] line, long number) {
        sha.update(generation.getBytes(StandardCharsets.UTF_8));
        sha.update(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
        return sha.digest(line);
    }

    boolean hasKilled(String generation, byte[] line, long number) {
        return !suspects.isEmpty() && suspects.contains(text(digest(generation, line, number)));
    }

    /** @param line empty at a timer, which is noted and never left out */
    void begin(String generation, byte[] line, long number) {
        mark.put(DIGEST, digest(generation, line, number)).putInt(0, 1);
    }

    void end() {
        mark.putInt(0, 0);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(file);
    }
}
