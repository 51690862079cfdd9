import Foundation
import Testing

/// `Examples/embed-c` and `embed-python` decide what `belfry run` decides, byte by byte, with `libbelfry` that was built.
@Suite struct EmbeddingExampleTests {
    /// What a run over the demo's day decides, and what another program over `libbelfry` does.
    private static func outputs(_ script: String) throws -> (run: String, embedded: String) {
        let place = try Workplace()
        let repository = PluginFiles.repository.path
        let (status, output) = try place.embed(
            """
            cp -r \(repository)/Examples/demo \(repository)/Examples/embed-c \(repository)/Examples/embed-python .
            cat demo/morning.jsonl demo/afternoon.jsonl > day.jsonl
            echo '{"type":"clock.advanced","time":"2030-01-01T00:00:00Z"}' >> day.jsonl
            belfry run --config demo/belfry.yaml --store memory: --signals day.jsonl --output run.jsonl
            \(script)
            """)
        try #require(status == 0, "\(output)")
        return (try place.text(of: "run.jsonl"), try place.text(of: "embedded.jsonl"))
    }

    @Test func `a program in C decides the same`() throws {
        let outputs = try Self.outputs(
            """
            make -s -C embed-c BELFRY="$bin" INCLUDE="$include"
            embed-c/decide demo/belfry.yaml day.jsonl > embedded.jsonl
            """)
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `a program that keeps records in memory decides the same`() throws {
        let outputs = try Self.outputs(
            """
            make -s -C embed-c BELFRY="$bin" INCLUDE="$include"
            embed-c/stream demo/belfry.yaml day.jsonl > embedded.jsonl
            """)
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `a program in Python decides the same`() throws {
        let outputs = try Self.outputs(
            "python3 embed-python/decide.py $bin/libbelfry.so demo/belfry.yaml day.jsonl > embedded.jsonl")
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `after a tick, the clock of a subject that is behind is no trouble`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all, dwell: 10m } ] }, { id: sale } ]
            """,
            "day.jsonl": """
            {"id":"1","type":"clock.advanced","time":"2026-03-02T12:00:00Z"}
            {"id":"2","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"store"}}
            {"id":"3","type":"notification.requested","subject":"ana","time":"2026-03-02T09:05:00Z","data":{"campaign":"sale"}}

            """,
        ])
        let (status, output) = try place.embed(
            """
            belfry run --store memory: --signals day.jsonl --output run.jsonl
            python3 \(PluginFiles.repository.path)/Examples/embed-python/decide.py $bin/libbelfry.so belfry.yaml day.jsonl > embedded.jsonl
            """)
        try #require(status == 0, "\(output)")
        let run = try place.text(of: "run.jsonl")
        // The dwell is over at 09:10, directly after the crossing, so the request is late.
        #expect(run.contains(#""time":"2026-03-02T09:10:00Z","cause":"3""#))
        #expect(try place.text(of: "embedded.jsonl") == run)
    }

    @Test func `the cause of a signal without an id is its line in what is passed, or what a shard is told`() throws {
        let request = { (time: String) in
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T\#(time)Z","data":{"campaign":"sale"}}"#
        }
        let place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: sale } ]\n",
            "day.jsonl": request("09:00:00") + "\n" + request("10:00:00") + "\n",
        ])
        let repository = PluginFiles.repository.path
        let (status, output) = try place.embed(
            """
            cp -r \(repository)/Examples/embed-c .
            make -s -C embed-c BELFRY="$bin" INCLUDE="$include"
            belfry run --store memory: --signals day.jsonl --output run.jsonl
            embed-c/decide belfry.yaml day.jsonl > decided.jsonl
            embed-c/stream belfry.yaml day.jsonl > streamed.jsonl
            """)
        try #require(status == 0, "\(output)")
        let run = try place.text(of: "run.jsonl")
        #expect(run.contains(#""cause":"2""#))
        #expect(try place.text(of: "decided.jsonl") == run.replacing(#""cause":"2""#, with: #""cause":"1""#))
        #expect(try place.text(of: "streamed.jsonl") == run)
    }

    @Test(arguments: [
        "embed-c/decide belfry.yaml day.jsonl", "embed-c/stream belfry.yaml day.jsonl",
        "python3 embed-python/decide.py $bin/libbelfry.so belfry.yaml day.jsonl",
    ])
    func `a signal that is rejected moves no time`(program: String) throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all, dwell: 10m } ] } ]
            """,
            "day.jsonl": """
            {"id":"1","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"store"}}
            {"id":"2","type":"region.entered","subject":"ana","time":"2026-03-02T12:00:00Z","data":{"region":"nowhere"}}

            """,
        ])
        let repository = PluginFiles.repository.path
        let (status, output) = try place.embed(
            """
            cp -r \(repository)/Examples/embed-c \(repository)/Examples/embed-python .
            make -s -C embed-c BELFRY="$bin" INCLUDE="$include"
            # 3: with rejects.
            belfry run --store memory: --signals day.jsonl --output run.jsonl || test $? = 3
            \(program) > embedded.jsonl
            """)
        try #require(status == 0, "\(output)")
        #expect(output.components(separatedBy: #""code":"unknown-region""#).count == 3, "both reject it: \(output)")
        // The dwell would be over at 09:10.
        #expect(try place.text(of: "run.jsonl") == "")
        #expect(try place.text(of: "embedded.jsonl") == "")
    }

    /// Numbers and texts that no caller should pass, from C.
    private static let carelessProgram = #"""
        #include "belfry_core.h"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>

        static void say(void *owner, const char *text, uint64_t length) { printf("%s %.*s\n", (char *)owner, (int)length, text); }
        static belfry_core_bytes text(const char *text) { return (belfry_core_bytes){text, strlen(text)}; }
        static void answer(void *owner, uint64_t index, const belfry_core_answer *answer) {
            printf("long: decisions %d, rejects %d\n", answer->decisions.length > 0, strstr(answer->rejects.bytes, "line-too-long") != NULL);
        }

        struct kept { char bytes[4096]; uint64_t length; };
        static void keep(void *owner, const char *text, uint64_t length) {
            struct kept *kept = owner;
            memcpy(kept->bytes, text, length), kept->bytes[kept->length = length] = 0;
        }

        static void refused(void *owner, uint64_t index, const belfry_core_answer *answer) {
            say(owner, answer->error.bytes, answer->error.length), printf("%d\n", answer->status);
        }

        int main(void) {
            belfry_core *core = belfry_core_open(&(belfry_core_options){.configuration = "belfry.yaml"}, &(belfry_core_sink){"open", say});
            const belfry_core_sink told = {"told", say}, no = {"no", say};
            belfry_core_question question = {.subject = text("ana"), .campaign = text("sale"), .at = 1772442000000};
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            question.at = BELFRY_CORE_NEVER;
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            question.at = INT64_MAX;
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            question.at = 1772442000000, question.region = (belfry_core_bytes){"\xff", 1};
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            question.region.length = 0, question.subject.length = 0;
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            printf("%d\n", belfry_core_explain(NULL, &question, &told, &no));
            const char *signal = "{\"type\":\"notification.requested\",\"subject\":\"ana\",\"time\":\"2026-03-02T09:00:00Z\","
                                 "\"data\":{\"campaign\":\"sale\"}}\n";
            belfry_core_work work = {.subject = text("ana"), .record = {"", 0}, .signals = text(signal), .passed = BELFRY_CORE_NEVER, .until = BELFRY_CORE_NEVER};
            belfry_core_shard *shard = belfry_core_shard_open(core);
            belfry_core_step step = {.status = 55};
            belfry_core_shard_decide(shard, &work, UINT64_MAX, &step);
            printf("%d\n", step.status);
            belfry_core_shard_decide(NULL, &work, 1, &step);
            say("no", step.error.bytes, step.error.length), printf("%d\n", step.status);
            belfry_core_shard_decide(shard, NULL, 1, &step);
            say("no", step.error.bytes, step.error.length), printf("%d\n", step.status);
            printf("%d\n", belfry_core_describe(NULL, text("ana"), text(""), &told, &no));
            const belfry_core_bytes nowhere = {NULL, 500};
            work.record = nowhere;
            belfry_core_decide(core, &work, 1, "no", refused);
            belfry_core_shard_decide(shard, &work, 1, &step);
            say("no", step.error.bytes, step.error.length), printf("%d\n", step.status);
            work.record.length = 0, work.signals = nowhere;
            belfry_core_decide(core, &work, 1, "no", refused);
            question.subject = text("ana"), question.record = nowhere;
            printf("%d\n", belfry_core_explain(core, &question, &told, &no));
            printf("%d\n", belfry_core_describe(core, text("ana"), nowhere, &told, &no));
            printf("%d\n", belfry_core_erase(core, nowhere, text(""), &told, &no));
            printf("%d\n", belfry_core_remains(core, text("ana"), (uint64_t)1 << 62, &told, &no));
            struct kept remains, known;
            printf("%d\n", belfry_core_remains(core, text("ana"), 7, &(belfry_core_sink){&remains, keep}, &no));
            belfry_core_describe(core, text("ana"), (belfry_core_bytes){remains.bytes, remains.length}, &(belfry_core_sink){&known, keep}, &no);
            printf("of seven %d\n", strstr(known.bytes, "\"decisions\":7") != NULL);
            work.signals.length = 0, work.record = text("bad");
            belfry_core_decide(core, &work, 1, "no", refused);
            printf("%d\n", belfry_core_describe(core, text("ana"), text("bad"), &told, &no));
            work.record.length = 0;
            size_t length = strlen(signal) + (1 << 20);
            char *line = malloc(length + 1);
            memset(line, ' ', length), line[length] = 0;
            memcpy(line, signal, strlen(signal) - 2), memcpy(line + length - 2, "}\n", 2);
            work.signals = (belfry_core_bytes){line, length};
            belfry_core_decide(core, &work, 1, NULL, answer);
            const char *tick = "{\"type\":\"clock.advanced\",\"time\":\"2026-03-02T09:00:00Z\"}\n";
            for (length = (1 << 20) + 1; length <= (1 << 20) + 2; length++) {
                memset(line, ' ', length);
                memcpy(line, tick, strlen(tick) - 2), memcpy(line + length - 2, "}\n", 2);
                belfry_core_head head;
                belfry_core_shard_head(shard, (belfry_core_bytes){line, length}, 1, &head);
                printf("tick %u, time %d\n", head.is_tick, head.time != BELFRY_CORE_NEVER);
            }
            belfry_core_head windows;
            memset(line, ' ', length = (1 << 20) + 2);
            memcpy(line, tick, strlen(tick) - 2), memcpy(line + length - 3, "}\r\n", 3);
            belfry_core_shard_head(shard, (belfry_core_bytes){line, length}, 1, &windows);
            printf("tick %u, time %d\n", windows.is_tick, windows.time != BELFRY_CORE_NEVER);
        }
        """#

    @Test func `what a caller in C should not pass is refused, or taken as it is, and crashes nothing`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: sale } ]\n", "careless.c": Self.carelessProgram,
        ])
        let (status, output) = try place.embed(
            """
            cc -o careless careless.c -I "$include" -L "$bin" -lbelfry -Wl,-rpath,"$bin"
            ./careless
            """)
        try #require(status == 0, "\(output)")
        let lines = output.split(separator: "\n").map { $0.hasPrefix("told {") ? "told" : String($0) }
        #expect(
            lines == [
                "told", "0", "no there is no time to ask about", "  why: nothing has happened to this subject yet",
                "  fix: say when: with 'at', or with --at on the command line", "1",
                "no 'at' is no time between the years 0 and 9999", "1",
                "no 'region' is no UTF-8",
                "1", "no 'subject' is missing", "1", "no nothing is explained", "  why: 'core' or 'question' is NULL",
                "  fix: pass both", "1", "0",
                "no 'shard' is missing", "  fix: pass what belfry_core_shard_open gave", "1",
                "no 'work' is missing", "  fix: pass a subject and its signals", "1",
                "no 'core' is missing", "  fix: pass what belfry_core_open gave", "1",
            ]
                + ["record", "record", "signals", "record", "record", "subject"].flatMap {
                    ["no '\($0)' has a length and no address", "  fix: pass its bytes, or none with the length 0", "1"]
                } + [
                    "no 'last_decision' is 2^62 or more", "  fix: pass the number of a decision that was made", "1",
                    "0",
                    "of seven 1",
                    "no cannot read the record of subject 'ana'", "  why: it does not begin like a record of Belfry",
                    "  fix: pass a copy of it from before, or an empty record, with which the subject starts afresh; nothing was changed",
                    "1", "no cannot read the record of subject 'ana'",
                    "  why: it does not begin like a record of Belfry",
                    "  fix: pass a copy of it from before, or an empty record, with which the subject starts afresh; nothing was changed",
                    "1", "long: decisions 0, rejects 1",
                    "tick 1, time 1", "tick 0, time 0", "tick 1, time 1",
                ])
    }

    @Test func `what is wrong with a configuration is told`() throws {
        let place = try Workplace()
        let (status, output) = try place.embed(
            """
            echo 'app: shop\nchain: [ { strategy: cooldwon } ]' > belfry.yaml
            python3 \(PluginFiles.repository.path)/Examples/embed-python/decide.py $bin/libbelfry.so belfry.yaml /dev/null
            """)
        #expect(status == 1 && output.contains("belfry.yaml:2"), "\(output)")
        #expect(output.contains("cooldwon"), "\(output)")
    }
}
