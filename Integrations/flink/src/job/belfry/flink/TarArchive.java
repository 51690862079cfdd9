package belfry.flink;

import belfry.core.CoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** Reads plain files in the form of POSIX ustar, which is all that a bundle has. */
final class TarArchive {
    private static final int BLOCK = 512;

    private TarArchive() {}

    /** The contents of the files, by their paths. */
    static Map<String, byte[]> files(byte[] bytes) throws CoreException {
        Map<String, byte[]> files = new TreeMap<>();
        int place = 0;
        while (place + BLOCK <= bytes.length && bytes[place] != 0) {
            int count = size(bytes, place);
            int start = place + BLOCK;
            if (count < 0 || start + count > bytes.length) {
                throw damaged("it is cut short");
            }
            files.put(path(bytes, place), Arrays.copyOfRange(bytes, start, start + count));
            place = start + (count + BLOCK - 1) / BLOCK * BLOCK;
        }
        return files;
    }

    private static String path(byte[] bytes, int header) throws CoreException {
        String folder = text(bytes, header + 345, 155);
        String path = (folder.isEmpty() ? "" : folder + "/") + text(bytes, header, 100);
        for (String part : path.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw damaged("the path '" + path + "' leads out of it");
            }
        }
        return path;
    }

    private static int size(byte[] bytes, int header) throws CoreException {
        String text = text(bytes, header + 124, 12).trim();
        if (bytes[header + 156] != '0' || !text.matches("[0-7]{1,11}")) {
            throw damaged("it has something else than plain files");
        }
        long size = Long.parseLong(text, 8);
        return size > Integer.MAX_VALUE ? -1 : (int) size;
    }

    private static String text(byte[] bytes, int start, int length) {
        int end = start;
        while (end < start + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }

    private static CoreException damaged(String why) {
        return new CoreException("the archive of a bundle cannot be read\n  why: " + why + "\n  fix: make it again with 'belfry bundle', or copy it again");
    }

    /** SHA-256, as the lock and the bundle write it. */
    static String digest(byte[] bytes) {
        return "sha256:" + HexFormat.of().formatHex(sha256().digest(bytes));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
