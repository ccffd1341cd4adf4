/// Why bytes cannot be read, or a value cannot be written.
struct Refusal: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
