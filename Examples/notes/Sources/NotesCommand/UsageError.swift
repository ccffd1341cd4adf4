/// An invalid command line, with a message for the user.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
