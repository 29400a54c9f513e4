/// What is wrong with a file of keys or tokens: a clause for the operator, behind the file's name and a colon. Never
/// holds anything secret.
package struct CredentialFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
