import BelfryPluginHost
import Glibc
import Testing

/// What a death by a signal is told as.
@Suite struct SignalNameTests {
    @Test(arguments: [
        (SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT"), (SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2"),
        (SIGSEGV, "SIGSEGV"), (SIGABRT, "SIGABRT"), (SIGXFSZ, "SIGXFSZ"), (SIGTRAP, "SIGTRAP"),
    ])
    func `a signal is told by its name`(signal: Int32, name: String) { #expect(signalName(signal) == name) }

    @Test func `one without a name is told by its number`() { #expect(signalName(40) == "40") }
}
