import Sluice

/// The outcome of ``Migrate`` or of its dry run, with the structure of the JSON output.
struct MigrationOutcome: Encodable {
  let database: String
  let isDryRun: Bool
  /// The migrations that were adopted, or would be adopted, from the record of another library.
  let adopted: [Step]
  /// The migrations that were applied, or would be applied.
  let steps: [Step]
  /// The number of migrations that the database has completed; nil if the database's record does not match the files.
  var version: Int?
  /// The total number of migrations.
  let count: Int
  let drift: [Difference]
  /// Whether drift or a different migration history prevented the migration.
  let isRefused: Bool
  /// The reason why the database's record does not match the migration files.
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
    /// The kind of difference: `missing`, `unexpected` or `different`.
    let kind: String
    /// The type of the object: `table`, `view`, `index` or `trigger`.
    let type: String
    let name: String
    /// The SQL that creates the object in the migrations.
    var expected: String?
    /// The SQL that created the object in the database.
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
  var text: String {
    let reason = details.isEmpty ? "" : ": \(details.joined(separator: ", "))"
    var lines = ["drift: \(type) \"\(name.inOneLine)\" is \(kind)\(reason)"]
    if let expected { lines.append("  expected: \(expected.indented)") }
    if let found { lines.append("  found:    \(found.indented)") }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension String {
  /// The SQL with all lines after the first indented, so that they are aligned with the first line.
  fileprivate var indented: String {
    replacing("\n", with: "\n" + String(repeating: " ", count: 12))
  }
}
