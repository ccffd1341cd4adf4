/// A protocol to which only `Optional` conforms, for runtime checks.
package protocol OptionalType {
  /// The type of a value that is not nil.
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  package static var wrappedType: Any.Type { Wrapped.self }
}
