import Foundation
import Testing

/// A schedule that is wrong in a configuration.
@Suite struct ScheduleConfigurationTests {
    @Test func `all that is wrong with a schedule is told at once, each at its place`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain:
              - strategy: schedule
                parameters:
                  periods:
                    - hours: [9:00-17:00]
                      months: [13]
                  exceptions:
                    - disable: { years: [] }

            """
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml:6: chain[0].parameters.periods[0].hours
                  found: periods[0].hours: '9:00-17:00' should be two different times such as 09:00-17:30 or, past midnight, \
                22:00-02:00; 24:00 can be the end only
                  expected: parameters that 'schedule' accepts

                belfry.yaml:7: chain[0].parameters.periods[0].months
                  found: periods[0].months: 13 should be a month: 1 (January) to 12
                  expected: parameters that 'schedule' accepts

                belfry.yaml:9: chain[0].parameters.exceptions[0].disable.years
                  found: exceptions[0].disable.years is empty; list at least one, or leave it out for all
                  expected: parameters that 'schedule' accepts

                """)
    }
}
