import SluiceSQL

/// An error in the arguments, which is reported to the user with its reason.
package struct UsageError: Error {
  let message: String
  let command: (any Command)?

  init(_ message: String, _ command: (any Command)? = nil) {
    self.message = message
    self.command = command
  }

  /// Returns an error for an unknown word, which suggests the most similar known word.
  static func unknown(
    _ kind: String, _ name: String, _ known: [String], _ command: (any Command)? = nil
  ) -> UsageError {
    let behind =
      kind == "option" && command != nil ? "; put it after -- to pass it as an argument" : ""
    let hint = suggestion(for: name, among: known)
    return UsageError("There is no \(kind) \(name)\(hint.isEmpty ? behind : hint)", command)
  }
}
