import Sluice

/// A type of the program that contains text.
struct Word: Sendable, Hashable, Codable, SQLValue {
  let text: String

  init?(databaseValue: DatabaseValue) {
    guard case .text(let text) = databaseValue else { return nil }
    self.text = text
  }

  var databaseValue: DatabaseValue { .text(text) }
}
