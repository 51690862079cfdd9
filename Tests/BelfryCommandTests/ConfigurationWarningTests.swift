import Testing

/// What is no error of a configuration, and most likely a mistake: told by `config check`, with status 0.
@Suite struct ConfigurationWarningTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `what no segment has below history is warned about, and so are folders of plugins that are not there`()
        throws
    {
        try place.write(
            """
            app: shop
            plugins: { directories: [bundled, nowhere] }
            chain:
              - { strategy: segmentation, parameters: { history.spring.count: { $lt: 3 }, $or: [ { history.sprnig.count: 0 } ] } }
            campaigns:
              - { id: spring, with: { segmentation: { history.spring.cuont: 0, history.spring.lastAt: null } } }
            experiments:
              - { id: e, seed: s, variants: [ { name: b, with: { segmentation: { history.sale.count: 0 } } } ] }
            """, to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: cannot search plugin folder './nowhere'
                  why: there is no such folder
                  fix: create it, or correct 'plugins: directories' or BELFRY_PLUGIN_PATH
                warning: 'history.sale.count': there is no campaign 'sale'
                warning: 'history.spring.cuont' is nothing that a segment has; it ends with '.count' or '.lastAt' behind a campaign
                warning: 'history.sprnig.count': there is no campaign 'sprnig'; did you mean 'spring'?

                """, "\(result.errors)")
    }

    @Test func `region fields that are not declared are warned about where a condition goes by them`() throws {
        try place.write(
            """
            app: shop
            fields: [shopName]
            chain:
              - { strategy: cooldown, parameters: { period: 1h }, when: { region.fields.shopNmae: Alpha, region.fields.SHOPNAME: Alpha } }
              - { strategy: personalize }
            campaigns:
              - { id: a, with: { personalize: { drop: { $not: { region.fields.floor: 1 } } } } }
            """, to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: 'region.fields.floor': there is no region field 'floor'
                warning: 'region.fields.shopNmae': there is no region field 'shopNmae'; did you mean 'shopName'?

                """, "\(result.errors)")
    }
}
