import Sluice

/// An instruction of the program into which SQLite compiles a statement.
struct Instruction: Hashable, Sendable {
  let opcode: String
  let p1: Int
  let p2: Int
  let p3: Int
  let p4: String
  let p5: Int
}

extension Connection {
  /// Returns the program of a statement, without the programs of triggers that it fires.
  ///
  /// All parameters are NULL, because the program does not depend on their values.
  ///
  /// The corresponding SQL is `EXPLAIN`.
  func program(of sql: String, parameterCount: Int) throws -> [Instruction] {
    let row = RowConverter { row in
      try (
        row.get(.int, at: 0),
        Instruction(
          opcode: row.text(at: 1), p1: row.get(.int, at: 2), p2: row.get(.int, at: 3),
          p3: row.get(.int, at: 4),
          // The text may have been truncated in the middle of a character.
          p4: row.optional(.bytes, at: 5).map { String(decoding: $0, as: UTF8.self) } ?? "",
          p5: row.get(.int, at: 6))
      )
    }
    let listing = try prepare(sql: "EXPLAIN \(sql)")
      .bind(SQLParameters(repeatElement(.null, count: parameterCount))).query(row)
    // The addresses restart at 0 for each trigger, so stop at the first unexpected address.
    return listing.enumerated().prefix { $0.offset == $0.element.0 }.map(\.element.1)
  }
}
