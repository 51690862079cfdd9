package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
        Path folder = unpacked(location, read(location));
        JsonNode manifest = new ObjectMapper().readTree(Files.readAllBytes(folder.resolve(MANIFEST)));
        Core core = Core.at(folder.resolve(manifest.path("configuration").asText()).toString());
        String expected = manifest.path("generation").asText();
        if (core.generation().equals(expected)) {
            return core;
        }
        String found = core.generation();
        core.close();
        throw new CoreException("the bundle '" + location + "' decides otherwise here than where it was made\n  found: generation " + found
                + "\n  expected: generation " + expected
                + "\n  fix: have the same release of belfry, with the same bundled plugins, in BELFRY_HOME of every worker, and make the bundle with it");
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

    /** The folder with the files of an archive, all of which are checked; written only where it is not there yet. */
    private static Path unpacked(String location, byte[] archive) throws Exception {
        Map<String, byte[]> files = TarArchive.files(archive);
        check(location, files);
        Path folder = cache().resolve(TarArchive.digest(archive).replace(':', '-'));
        if (!Files.isDirectory(folder)) {
            write(files, folder);
        }
        return folder;
    }

    private static Path cache() throws IOException {
        String named = System.getenv("BELFRY_BUNDLES");
        Path folder = named == null ? Path.of(System.getProperty("java.io.tmpdir"), "belfry-bundles-" + System.getProperty("user.name")) : Path.of(named);
        return Files.createDirectories(folder);
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
