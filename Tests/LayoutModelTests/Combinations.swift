/// Every choice of at most `count` elements, each in the order given.
func subsets<Element>(of elements: [Element], upTo count: Int) -> [[Element]] {
    guard let first = elements.first, count > 0 else { return [[]] }
    let rest = Array(elements.dropFirst())
    return subsets(of: rest, upTo: count) + subsets(of: rest, upTo: count - 1).map { [first] + $0 }
}

/// Every list of `count` different elements, in every order.
func tuples<Element: Equatable>(of count: Int, from elements: [Element]) -> [[Element]] {
    if count == 0 { return [[]] }
    return elements.flatMap { first in
        tuples(of: count - 1, from: elements.filter { $0 != first }).map { [first] + $0 }
    }
}
