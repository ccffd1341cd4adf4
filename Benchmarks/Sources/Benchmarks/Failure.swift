/// An error that prevents a measurement, and is reported to the user on one line.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
