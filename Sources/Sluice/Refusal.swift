/// The reason why bytes cannot be read, or why a value cannot be written.
package struct Refusal: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
