import BelfryPlugin

struct Shop: ActionProvider {
    static var actions: [Action] {
        [
            Action(
                signature: "viewProduct(sku: string, price: double, quantity: int = 1)", summary: "shows a product",
                handler: viewProduct)
        ]
    }
}

private let viewProduct: @convention(c) (UnsafePointer<CChar>, Double, Int64, ActionResult) -> belfry_status = {
    sku, price, quantity, result in
    perform(result) { () throws(StrategyError) in
        guard quantity > 0 else { throw StrategyError("nobody buys \(quantity)") }
        return ["viewed": .text(String(cString: sku)), "total": .number(price * Double(quantity))]
    }
}
