import Sluice

/// The outcome of ``Migrate`` or of its dry run, in the form of its JSON.
struct MigrationOutcome: Encodable {
  let database: String
  let isDryRun: Bool
  /// The migrations that were taken over from the record of another library, or would be.
  let adopted: [Step]
  /// The steps that were applied, or would be.
  let steps: [Step]
  /// How many migrations the database has behind it now; nil if its record does not fit the files.
  var version: Int?
  /// How many migrations there are.
  let count: Int
  let drift: [Difference]
  /// Whether nothing was applied because of drift or of another past.
  let isRefused: Bool
  /// Why the record does not fit the files.
  var problem: String?

  struct Step: Encodable {
    let number: Int
    let name: String
    let checksum: String?

    init(_ step: MigrationStep) {
      (number, name, checksum) = (step.number, step.name, step.checksum)
    }
  }

  struct Difference: Encodable {
    /// `missing`, `unexpected` or `different`.
    let kind: String
    /// `table`, `view`, `index` or `trigger`.
    let type: String
    let name: String
    /// The SQL that the migrations make it with.
    var expected: String?
    /// The SQL that it was made with.
    var found: String?
    var details: [String] = []

    init(_ difference: SchemaDifference) {
      (type, name) = (difference.object.kind.rawValue, difference.object.name)
      switch difference {
      case .missing(let object): (kind, expected) = ("missing", object.sql)
      case .unexpected(let object): (kind, found) = ("unexpected", object.sql)
      case .different(let expected, let found, let details):
        kind = "different"
        (self.expected, self.found, self.details) = (expected.sql, found.sql, details)
      }
    }
  }
}

extension Console {
  func write(_ outcome: MigrationOutcome, asJSON: Bool) throws {
    guard !asJSON else { return try write(json: outcome) }
    try write(outcome.text)
  }
}

extension MigrationOutcome {
  var text: String {
    guard let version else { return "" }
    let what =
      if isRefused {
        "nothing was applied, because the schema has drifted"
      } else if steps.isEmpty, adopted.isEmpty {
        "nothing to apply"
      } else {
        [
          (adopted, isDryRun ? "would adopt" : "adopted"),
          (steps, isDryRun ? "would apply" : "applied"),
        ].filter { !$0.0.isEmpty }.map { "\($1) \($0.count)" }.joined(separator: ", ")
      }
    return "\(database.inOneLine) is at version \(version) of \(count): \(what)\n"
      + aligned(
        adopted.map { ["\($0.number)", $0.name, "(adopted)"] }
          + steps.map { ["\($0.number)", $0.name] }) + drift.map(\.text).joined()
  }
}

extension MigrationOutcome.Difference {
  fileprivate var text: String {
    let reason = details.isEmpty ? "" : ": \(details.joined(separator: ", "))"
    var lines = ["drift: \(type) \"\(name.inOneLine)\" is \(kind)\(reason)"]
    if let expected { lines.append("  expected: \(expected.indented)") }
    if let found { lines.append("  found:    \(found.indented)") }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension String {
  /// The lines of SQL, all but the first below the place where that begins.
  fileprivate var indented: String {
    replacing("\n", with: "\n" + String(repeating: " ", count: 12))
  }
}
