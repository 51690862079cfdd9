import Foundation
import Testing

/// Several cores in one process, which share the images of plugins.
@Suite struct SeveralCoresTests {
    private static let program = #"""
        #include "belfry_core.h"
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>

        static void say(void *owner, const char *text, uint64_t length) { printf("%s %.*s\n", (char *)owner, (int)length, text); }
        static void forget(void *owner, uint64_t index, const belfry_core_answer *answer) {}
        static void tell(void *owner, uint64_t index, const belfry_core_answer *answer) {
            printf("%d %.*s\n", (int)index, (int)answer->error.length, answer->error.bytes);
        }

        static void *decide(void *core) {
            const char *signal = "{\"type\":\"region.entered\",\"subject\":\"ana\",\"time\":\"2026-03-02T09:00:00Z\",\"data\":{\"region\":\"r\"}}\n";
            const belfry_core_work work = {
                .subject = {"ana", 3}, .signals = {signal, strlen(signal)}, .passed = BELFRY_CORE_NEVER, .until = BELFRY_CORE_NEVER};
            belfry_core_decide(core, &work, 1, NULL, forget);
            return NULL;
        }

        static belfry_core *opened(void *log) {
            belfry_core *core = belfry_core_open(
                &(belfry_core_options){.configuration = "belfry.yaml", .log = {log, say}}, &(belfry_core_sink){"error", say});
            if (!core) exit(1);
            return core;
        }

        int main(void) {
            // What is written to a log behind its core's end is not a word of this program.
            char *name = strdup("a");
            belfry_core *a = opened(name), *b = opened("b");
            pthread_t threads[2];
            pthread_create(&threads[0], NULL, decide, a);
            pthread_create(&threads[1], NULL, decide, b);
            for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
            belfry_core_close(a);
            strcpy(name, "-");
            decide(b);
            // What is called wrongly says so.
            belfry_core_decide(NULL, &(belfry_core_work){0}, 1, NULL, tell);
            belfry_core_decide(b, NULL, 2, NULL, tell);
            belfry_core_close(b);
        }
        """#

    @Test func `a plugin is set up once, says it to an open log, and is called once at a time`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins] }
            regions: [ { id: r, kind: geofence, latitude: 52, longitude: 4, radius: 10 } ]
            campaigns:
              - { id: visit, kind: geotrigger, triggers: [ { on: enter, regions: all } ], onFire: { type: count, value: called } }

            """,
            "cores.c": Self.program,
        ])
        try PluginFiles.compile([PluginFiles.own("counted")], into: place.file("plugins"))
        let (status, output) = try place.embed(
            """
            cc -pthread -o cores cores.c -I "$include" -L "$bin" -lbelfry -Wl,-rpath,"$bin"
            ./cores
            """)
        try #require(status == 0, "\(output)")
        let missing = "'core' or 'work' is missing"
        #expect(
            output.split(separator: "\n").filter { !$0.hasPrefix("  fix:") } == [
                "a setup 1", "a called 1", "a called 1", "b called 1", "0 \(missing)", "0 \(missing)", "1 \(missing)",
            ])
    }
}
