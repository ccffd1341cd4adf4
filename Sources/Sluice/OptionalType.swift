/// A protocol to which only `Optional` conforms, for runtime checks.
package protocol OptionalType {}

extension Optional: OptionalType {}
