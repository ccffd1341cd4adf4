/// Any type that is optional.
package protocol OptionalType {}

extension Optional: OptionalType {}
