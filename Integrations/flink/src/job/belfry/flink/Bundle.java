package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import belfry.core.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What decides: a configuration with its plugins, as {@code belfry bundle} makes it.
 *
 * <p>An archive may lie wherever Flink reads files. It is unpacked once on each machine, into a folder that is named by its digest, and
 * every file is compared with what the bundle says of it. The path of a plain configuration is taken, too, for trying things out.
 */
final class Bundle {
    private static final String MANIFEST = "bundle.json";

    private Bundle() {}

    /** @throws CoreException if it cannot be used, and why */
    static Core open(String location) throws Exception {
        if (!location.endsWith(".tar")) {
            return Core.at(location);
        }
        Unpacked bundle = unpacked(location);
        Core core = Core.at(bundle.configuration());
        try {
            bundle.check(core.generation());
        } catch (CoreException e) {
            core.close();
            throw e;
        }
        return core;
    }

    /**
     * The generation of an archive, which is opened in a process of its own.
     *
     * @throws CoreException if it cannot be used, and why
     */
    static String tried(String location) throws Exception {
        Unpacked bundle = unpacked(location);
        String generation = Trial.generation(bundle.configuration());
        bundle.check(generation);
        return generation;
    }

    /** A bundle in a folder, and the generation that it says it is. */
    private record Unpacked(String location, String configuration, String expected) {
        void check(String found) throws CoreException {
            if (!found.equals(expected)) {
                throw new CoreException("the bundle '" + location + "' decides otherwise here than where it was made\n  found: generation " + found
                        + "\n  expected: generation " + expected
                        + "\n  fix: have the same release of belfry, with the same bundled plugins, in BELFRY_HOME of every worker, and make the"
                        + " bundle with it");
            }
        }
    }

    private static Unpacked unpacked(String location) throws Exception {
        Map<String, byte[]> files = TarArchive.files(read(location));
        check(location, files);
        JsonNode manifest = new ObjectMapper().readTree(files.get(MANIFEST));
        String configuration = folder(files).resolve(manifest.path("configuration").asText()).toString();
        return new Unpacked(location, configuration, manifest.path("generation").asText());
    }

    /** A core that decides nothing: for those who ask whose a line is. */
    static Core none() throws Exception {
        Path file = cache().resolve("none.yaml");
        byte[] text = "app: none\n".getBytes(StandardCharsets.UTF_8);
        if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), text)) {
            Path temporary = Files.createTempFile(file.getParent(), "none", ".yaml");
            Files.write(temporary, text);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        return Core.at(file.toString());
    }

    private static byte[] read(String location) throws CoreException {
        org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(location);
        try (FSDataInputStream stream = FileSystem.get(path.toUri()).open(path)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new CoreException("cannot read the bundle '" + location + "'\n  why: " + e.getMessage()
                    + "\n  fix: put it where every worker can read it");
        }
    }

    /** A folder with these files, which were checked; written only where it is not there yet, or is not what it was. */
    private static Path folder(Map<String, byte[]> files) throws Exception {
        // The manifest has the digests of all others.
        String name = TarArchive.digest(files.get(MANIFEST)).replace(':', '-');
        for (int attempt = 0; ; attempt++) {
            // What was changed may be in use, and stays.
            Path folder = cache().resolve(attempt == 0 ? name : name + "-" + attempt);
            if (!Files.isDirectory(folder)) {
                write(files, folder);
            }
            if (hasFiles(folder, files)) {
                return folder;
            }
        }
    }

    private static boolean hasFiles(Path folder, Map<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            if (!Files.isRegularFile(path) || !Arrays.equals(Files.readAllBytes(path), file.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** A folder of this user's alone: what lies there is code that workers run. */
    private static Path cache() throws IOException {
        String named = System.getenv("BELFRY_BUNDLES");
        if (named != null) {
            return Files.createDirectories(Path.of(named));
        }
        Path folder = Path.of(System.getProperty("java.io.tmpdir"), "belfry-bundles-" + System.getProperty("user.name"));
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // A file that is made here just now belongs to the user that this process runs as.
            Path own = Files.createTempFile("belfry", null);
            boolean isOwn = Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
            Files.delete(own);
            if (!isOwn) {
                throw new IOException("'" + folder + "' is another user's\n  fix: name a folder in BELFRY_BUNDLES");
            }
        }
        return folder;
    }

    private static void check(String location, Map<String, byte[]> files) throws Exception {
        JsonNode listed = files.containsKey(MANIFEST) ? new ObjectMapper().readTree(files.get(MANIFEST)).path("files") : null;
        String wrong = listed == null ? "it has no " + MANIFEST : difference(listed, files);
        if (wrong != null) {
            throw new CoreException("'" + location + "' is no whole bundle\n  why: " + wrong
                    + "\n  fix: make it again with 'belfry bundle', or copy it again");
        }
    }

    /** Null: every file is what the bundle says, and there is no other. */
    private static String difference(JsonNode listed, Map<String, byte[]> files) {
        for (Map.Entry<String, JsonNode> entry : listed.properties()) {
            byte[] contents = files.get(entry.getKey());
            if (contents == null) {
                return "'" + entry.getKey() + "' is missing";
            }
            if (!TarArchive.digest(contents).equals(entry.getValue().asText())) {
                return "'" + entry.getKey() + "' has digest " + TarArchive.digest(contents) + "; the bundle says " + entry.getValue().asText();
            }
        }
        return files.keySet().stream()
                .filter(name -> !name.equals(MANIFEST) && !listed.has(name))
                .findFirst()
                .map(name -> "'" + name + "' does not belong to it")
                .orElse(null);
    }

    /** Another task, or another process, may be writing the same: who is first wins. */
    private static void write(Map<String, byte[]> files, Path folder) throws IOException {
        Path temporary = Files.createTempDirectory(folder.getParent(), "unpacking");
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = temporary.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        try {
            Files.move(temporary, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }
}
