import LayoutTesting

typealias Dice = SplitMix64

extension SplitMix64 {
    mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(sides)) }
}
