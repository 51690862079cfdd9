import Testing

/// Where a service listens, and what keeps it from that.
@Suite struct ListenTests {
    @Test func `a port that is taken ends the service in words`() async throws {
        let (place, service) = try ServiceTests.started()
        let taken = "127.0.0.1:\(try #require(service.api.split(separator: ":").last))"
        for (option, other) in [("--listen", "--manage"), ("--manage", "--listen")] {
            let result = try place.belfry("serve", option, taken, other, "127.0.0.1:0", "--store", "memory:")
            #expect(result.status == 1)
            #expect(
                result.errors.hasSuffix(
                    """
                    cannot listen at '\(taken)'
                      why: Address already in use
                      fix: end the program that listens there, or name another address with \(option)

                    """), "\(result.errors)")
            #expect(!result.errors.contains("listening at"))
        }
    }

    @Test func `a socket that cannot be made ends the service in words`() throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        for (option, other) in [("--listen", "--manage"), ("--manage", "--listen")] {
            let result = try place.belfry(
                "serve", option, "unix:nowhere/api.sock", other, "127.0.0.1:0", "--store", "memory:")
            #expect(result.status == 1)
            #expect(
                result.errors.hasSuffix(
                    """
                    cannot listen at 'unix:nowhere/api.sock'
                      why: No such file or directory
                      fix: name another address with \(option)

                    """), "\(result.errors)")
        }
    }

    @Test func `an address that others reach needs tokens of its own`() throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let result = try place.belfry("serve", "--listen", "0.0.0.0:0", "--manage", "127.0.0.1:0")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                cannot listen at '0.0.0.0:0' without tokens
                  why: others than this machine get there, and a token that is made for a start is for this machine
                  fix: name a file in the configuration, serve: { tokens: tokens.yaml }, and make tokens: belfry tokens new NAME --role admin

                """)
    }

    @Test func `a socket at which another service listens is left to it`() async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let socket = "unix:api.sock"
        let service = try LiveService(in: place, "--listen", socket)
        let second = try place.belfry("serve", "--listen", socket, "--manage", "127.0.0.1:0", "--store", "memory:")
        #expect(second.status == 1 && second.errors.contains("why: Address already in use\n"), "\(second.errors)")
        #expect(
            second.errors.contains("fix: end the program that listens there, or name another address with --listen"))
        #expect(service.stop() == 0)
        // What a program left that was killed is replaced.
        let killed = try LiveService(in: place, "--listen", socket)
        killed.kill()
        let next = try LiveService(in: place, "--listen", socket)
        #expect(next.stop() == 0)
    }
}
