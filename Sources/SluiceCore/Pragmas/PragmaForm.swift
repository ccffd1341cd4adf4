/// The name of a pragma, and how its value is read and written in SQL.
struct PragmaForm<Value: Sendable>: Sendable {
  let name: String
  /// What SQLite answers with means, or nil for what is not known here.
  let read: @Sendable (DatabaseValue) -> Value?
  /// The value in SQL; one that cannot be throws.
  let write: @Sendable (Value) throws -> String
  /// The value where SQLite has no answer.
  var missing: Value?
}

extension PragmaForm {
  /// Values that are words, in small letters.
  static func named(_ name: String, _ words: [(Value, String)]) -> Self where Value: Equatable {
    Self(
      name: name,
      read: { value in
        guard case .text(let text) = value else { return nil }
        return words.first { $0.1 == text.lowercased() }?.0
      },
      // In quotes, as one has a hyphen.
      write: { value in "'\(words.first { $0.0 == value }?.1 ?? "")'" })
  }

  /// Values that are numbers from 0 on, in the order of the cases.
  static func numbered(_ name: String) -> Self
  where Value: CaseIterable & Equatable, Value.AllCases == [Value] {
    Self(
      name: name, read: { $0.integer.flatMap { Value.allCases.element(at: $0) } },
      write: { value in String(Value.allCases.firstIndex(of: value) ?? 0) })
  }
}

extension PragmaForm<Bool> {
  static func flag(_ name: String) -> Self {
    Self(name: name, read: { $0.integer.map { $0 != 0 } }, write: { $0 ? "1" : "0" })
  }
}

extension PragmaForm<Int> {
  static func number(_ name: String, in range: ClosedRange<Int64>, missing: Int? = nil) -> Self {
    Self(
      name: name, read: { $0.integer.map { Int(clamping: $0) } },
      write: { String(try checked(Int64($0), range)) }, missing: missing)
  }

  static func checked(_ number: Int64, _ range: ClosedRange<Int64>) throws -> Int64 {
    guard range.contains(number) else {
      throw SQLiteError(.range, "\(number) is not from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension DatabaseValue {
  var integer: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }
}

extension Array {
  func element(at index: Int64) -> Element? {
    indices.contains(Int(clamping: index)) ? self[Int(clamping: index)] : nil
  }
}
