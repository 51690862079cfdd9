import Testing

/// Plugins are looked at in child processes, also where a process does not let belfry wait for those.
@Suite struct ReapedChildrenTests {
    private static let configuration = """
        app: shop
        chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
        campaigns: [ { id: sale } ]
        """

    private static let program = #"""
        #include "belfry_core.h"
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>

        static void say(void *owner, const char *text, uint64_t length) { (void)owner, printf("%.*s\n", (int)length, text); }
        static void *reap(void *none) {
            for (;;) if (waitpid(-1, NULL, 0) < 0) usleep(100);
            return none;
        }

        int main(int count, char **arguments) {
            pthread_t reaper;
            if (count > 1 && !strcmp(arguments[1], "ignore")) signal(SIGCHLD, SIG_IGN);
            else pthread_create(&reaper, NULL, reap, NULL);
            belfry_core *core = belfry_core_open(&(belfry_core_options){.configuration = "belfry.yaml"}, &(belfry_core_sink){NULL, say});
            return core == NULL;
        }
        """#

    @Test(arguments: ["ignore", "reap"])
    func `a program that ignores the ends of children, or waits for all, opens a core`(how: String) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration, "open.c": Self.program])
        let (status, output) = try place.embed(
            """
            cc -pthread -o open open.c -I "$include" -L "$bin" -lbelfry -Wl,-rpath,"$bin"
            XDG_CACHE_HOME="$PWD/cold" ./open \(how)
            """)
        #expect(status == 0, "\(output)")
    }

    @Test func `a command that inherits ignored ends of children checks a configuration`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let (status, output) = try place.shell(
            """
            export XDG_CACHE_HOME="$PWD/cold"
            python3 -c 'import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp("belfry", ["belfry", "config", "check"])'
            """)
        #expect(status == 0 && output.contains("no errors"), "\(output)")
    }
}
