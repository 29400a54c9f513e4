import LayoutApplication
import Testing

@Suite struct PreconditionTests {
    private static func strong(_ tags: String...) -> Precondition.TagList { .tags(tags.map { .init(opaque: $0) }) }
    private static func weak(_ tag: String) -> Precondition.TagList { .tags([.init(isWeak: true, opaque: tag)]) }

    @Test(
        arguments: [
            (nil, nil, nil), (.any, nil, nil), (strong("7"), nil, nil), (strong("6", "7"), nil, nil),
            (strong("6"), nil, .failed), (strong(""), nil, .failed), (weak("7"), nil, .weakValidator),
            (weak("6"), nil, .weakValidator),
            (nil, .any, .exists), (nil, strong("7"), .exists), (nil, weak("7"), .exists), (nil, strong("6"), nil),
            (.any, .any, .exists), (strong("7"), strong("7"), .exists), (strong("6"), .any, .failed),
            (weak("7"), .any, .weakValidator),
        ] as [(Precondition.TagList?, Precondition.TagList?, Precondition.Failure?)])
    func conditionsAreHeldAgainstTheTagInForce(
        match: Precondition.TagList?, noneMatch: Precondition.TagList?, failure: Precondition.Failure?
    ) {
        #expect(Precondition(match: match, noneMatch: noneMatch).failure(on: "7") == failure)
    }

    @Test func aWeakTagBesideTheRightOneDoesNotHarm() {
        let match = Precondition.TagList.tags([.init(isWeak: true, opaque: "7"), .init(opaque: "7")])
        #expect(Precondition(match: match).failure(on: "7") == nil)
    }

    @Test func whatIsRequiredIsAskedForAfterWhatFailed() {
        #expect(Precondition(isRequired: true).failure(on: "7") == .required)
        #expect(Precondition(noneMatch: Self.strong("6"), isRequired: true).failure(on: "7") == .required)
        #expect(Precondition(noneMatch: .any, isRequired: true).failure(on: "7") == .exists)
        #expect(Precondition(match: Self.strong("6"), isRequired: true).failure(on: "7") == .failed)
        #expect(Precondition(match: .any, isRequired: true).failure(on: "7") == nil)
        #expect(Precondition.none.failure(on: "7") == nil)
    }

    @Test func onlyATagNamesAState() {
        #expect(Precondition(match: Self.strong("7")).namesAState)
        #expect(!Precondition(match: .any).namesAState)
        #expect(!Precondition(noneMatch: Self.strong("7")).namesAState)
    }
}
