import Testing

/// The host for tests that comes with a package in C calls a strategy as the real one does.
@Suite struct TestHostTests {
    /// A strategy that counts what it is not told of, and candidates with a trigger.
    private static let program = #"""
        static int triggers;
        #define IN_SHOULD_CREATE triggers += candidate->trigger.bytes != NULL;
        #define IN_DID_CREATE if (!created) { state->count = 99; return BELFRY_TOLD_CHANGED; }
        #include "belfry_test.h"
        #include "hears.c"

        int main(void) {
            struct belfry_test test = belfry_test_strategy("steady", NULL, 0);
            test.now = 60000;
            CHECK(belfry_test_request(&test, "sale"));
            CHECK_EQUAL(triggers, 0);
            CHECK(!belfry_test_request(&test, "sale"));
            CHECK_EQUAL(belfry_test_field(&test, "count").integer, 1);
            belfry_test_receipt(&test, "sale", (belfry_receipt){.outcome = BELFRY_RECEIPT_DELIVERED, .created_at = 60000});
            CHECK_EQUAL(belfry_test_field(&test, "count").integer, 1);
            belfry_test_receipt(&test, "sale", (belfry_receipt){.outcome = BELFRY_RECEIPT_FAILED, .created_at = 60000});
            CHECK_EQUAL(belfry_test_field(&test, "count").integer, 0);
            belfry_test_end(&test);
            return belfry_test_summary();
        }
        """#

    @Test func `a request has no trigger, refusals are told to those that want them, and receipts come`() throws {
        let place = try Workplace(["test.c": Self.program])
        let (status, output) = try place.shell(
            """
            set -e
            here="$PWD"
            cd \(PluginFiles.repository.path)
            folders="-I Sources/CBelfry/include -I Templates/c/common/tests -I Tests/Misbehaving/Hooks"
            cc $folders -o "$here/test" "$here/test.c" Templates/c/common/tests/belfry_test/*.c
            "$here/test"
            """)
        #expect(status == 0 && output.hasSuffix("6 passed, 0 failed\n"), "\(output)")
    }
}
