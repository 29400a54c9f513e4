import LayoutModel
import LayoutTesting
import Testing

/// Many cases in one test: it counts them, and keeps the first that came out otherwise than expected.
struct Comparison {
    private(set) var cases = 0
    private var mismatches = 0
    private var first: String?

    /// - Parameter wrong: what is wrong with this case; nil where nothing is.
    mutating func note(_ wrong: @autoclosure () -> String?, _ input: @autoclosure () -> String) {
        cases += 1
        guard let wrong = wrong() else { return }
        mismatches += 1
        if first == nil { first = "\(input()): \(wrong)" }
    }

    mutating func equal<Value: Equatable>(
        _ got: Value, _ expected: Value, _ input: @autoclosure () -> String
    ) {
        note(got == expected ? nil : "expected \(expected), got \(got)", input())
    }

    /// - Parameter atLeast: how many cases there are to be, so that a broken loop doesn't pass.
    func finish(atLeast count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(cases >= count, "cases", sourceLocation: sourceLocation)
        if let first {
            Issue.record("\(mismatches) of \(cases) cases differ. \(first)", sourceLocation: sourceLocation)
        }
    }
}

extension Layout {
    /// What comes of a change: the new list, or the refusal, after which the layout must be as it was.
    func trying(_ change: (inout Layout) throws(Refusal) -> Void) -> Result<[FunctionID], Refusal> {
        var layout = self
        do throws(Refusal) {
            try change(&layout)
            return .success(layout.favorites)
        } catch {
            precondition(layout.favorites == favorites, "a refused change changed the layout")
            return .failure(error)
        }
    }

    /// The same for a request of operations.
    func applying(_ operations: [Operation]) -> Result<[FunctionID], Rejection> {
        var layout = self
        do throws(Rejection) {
            _ = try layout.apply(operations)
            return .success(layout.favorites)
        } catch {
            precondition(layout.favorites == favorites, "a refused request changed the layout")
            return .failure(error)
        }
    }

    func applying(_ operation: Operation) -> Result<[FunctionID], Refusal> {
        applying([operation]).mapError { rejection in
            precondition(rejection.operationIndex == 0, "the refused operation is the first")
            return rejection.refusal
        }
    }

    func replacing(with list: String) -> Result<[FunctionID], Refusal> {
        trying { layout throws(Refusal) in try layout.replace(with: ids(list)) }
    }
}

/// What is wrong with a result, measured by the reference; nil where nothing is.
func difference(_ got: Result<[FunctionID], Refusal>, from expected: ReferenceModel.Verdict) -> String? {
    switch (got, expected) {
    case (.success(let got), .list(let expected)) where got == expected: nil
    case (.failure(let got), .refused(let reasons)) where reasons.contains(got): nil
    case (.success(let got), .list(let expected)): "expected [\(text(expected))], got [\(text(got))]"
    case (.success(let got), .refused(let reasons)): "expected a refusal \(reasons), got [\(text(got))]"
    case (.failure(let got), .list(let expected)): "expected [\(text(expected))], got the refusal \(got)"
    case (.failure(let got), .refused(let reasons)): "expected one of \(reasons), got \(got)"
    }
}

extension Operation {
    static func move(_ id: FunctionID, _ destination: Placement.Destination) -> Self {
        .move(.item(id), to: Placement(destination))
    }

    static func move(_ block: [FunctionID], _ destination: Placement.Destination) -> Self {
        .move(.block(block), to: Placement(destination))
    }

    static func move(from slot: Int, _ destination: Placement.Destination) -> Self {
        .move(.slot(slot), to: Placement(destination))
    }

    static func add(_ id: FunctionID, _ destination: Placement.Destination? = nil) -> Self {
        .add(id, at: destination.map { Placement($0) })
    }
}
