/// A type that is an `Optional`.
package protocol OptionalType {}

extension Optional: OptionalType {}
