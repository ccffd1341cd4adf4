/// A validator for the bytes of recorded changes, which SQLite would trust.
///
/// SQLite reads beyond the end of truncated bytes. It assumes that every key has a value, and that a table keeps
/// its columns. Only bytes that SQLite has written itself bypass this validation.
struct ChangesCheck {
  enum Format { case changeset, patchset, rebase }

  /// The name and columns of a table, as the recorded changes describe them.
  struct Table: Hashable {
    /// The name with ASCII letters in lower case, as SQLite compares names.
    var name: [UInt8] = []
    /// For each column, whether it belongs to the primary key.
    var keys: [Bool] = []
  }

  /// Whether the bytes so far contain a change.
  private(set) var hasChanges = false
  /// The tables so far; empty unless tables are collected.
  private(set) var tables: [[UInt8]: Table] = [:]
  /// The bytes of the latest chunk, with the defaults of `added`; collected only if `isRewriting` is true.
  private(set) var kept: [UInt8] = []

  private let format: Format
  private let collectsTables: Bool
  /// Whether the changes must have inverses that restore the rows.
  ///
  /// A key that changes to an equal value, such as from 'a' to 'A' with NOCASE, is recorded as an insertion of 'A' and as an
  /// update with a new key. The inverse of the insertion deletes the row.
  private let isInvertible: Bool
  /// The columns whose recorded NULLs are replaced in `kept`.
  private var added: AddedColumns?
  /// Whether `kept` contains the bytes that replace those of the latest chunk.
  var isRewriting: Bool { added != nil }
  /// The bytes that take the place of the value that begins with the current byte.
  private var replacement: [UInt8]?
  /// Tables that are already known, and whose columns must match.
  private let known: [[UInt8]: Table]
  private var step = Step.start
  private var table = Table()
  /// The table of the last change; if the next change has the same table name, SQLite assumes the same columns.
  private var changed: Table?
  private var operation = Operation.insert
  private var isSecondRecord = false
  private var column = 0
  private var number = 0
  private var digits = 0
  /// The number of bytes of the current table or change so far.
  private var size = 0
  private var offset = 0

  private enum Step {
    case start, columnCount
    case keys(Int)
    case name, indirect, value, length
    case body(Int)
  }

  private enum Operation: UInt8 {
    case delete = 9
    case insert = 18
    case update = 23
  }

  init(
    _ format: Format, known: [[UInt8]: Table] = [:], collectsTables: Bool = false,
    isInvertible: Bool = false, added: AddedColumns? = nil
  ) {
    self.format = format
    self.known = known
    self.collectsTables = collectsTables
    self.isInvertible = isInvertible
    self.added = added
  }

  /// Validates the next bytes, or, if `upToFirstChange` is true, only those up to the first change.
  mutating func feed(_ bytes: [UInt8], upToFirstChange: Bool = false) throws {
    kept = []
    try unsafe bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if case .body(let left) = step {
          let count = min(left, bytes.count - index)
          if isRewriting { unsafe kept += bytes[index..<index + count] }
          index += count
          try move(by: count)
          if count < left { step = .body(left - count) } else { nextValue() }
          continue
        }
        let byte = unsafe bytes[index]
        index += 1
        try move(by: 1)
        try read(byte)
        if isRewriting {
          if let bytes = replacement.take() { kept += bytes } else { kept.append(byte) }
        }
        if upToFirstChange && hasChanges { return }
      }
    }
  }

  /// Throws if the changes are incomplete.
  func finish() throws {
    guard case .start = step else { throw corrupt("the end is missing") }
  }

  /// Counts bytes, and throws if a change is too large for SQLite's 32-bit counts.
  private mutating func move(by count: Int) throws {
    size += count
    offset += count
    guard size <= 2_000_000_000 else {
      throw SQLiteError(.tooBig, "A single change exceeds SQLite's size limit")
    }
  }

  private func corrupt(_ reason: String) -> SQLiteError {
    SQLiteError(.corrupt, "The bytes are not a \(format): \(reason) at byte \(offset)")
  }
}

extension ChangesCheck {
  private mutating func read(_ byte: UInt8) throws {
    switch step {
    case .start: try begin(byte)
    case .columnCount:
      guard try endsNumber(byte) else { return }
      guard 1...65_536 ~= number else { throw corrupt("a table has \(number) columns") }
      table.keys.reserveCapacity(number)
      step = .keys(number)
    case .keys(let left):
      table.keys.append(byte != 0)
      if left > 1 { step = .keys(left - 1) } else { step = .name }
    case .name:
      guard byte == 0 else {
        table.name.append(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte)
        return
      }
      try endTable()
    case .indirect:
      step = .value
      column = -1
      nextValue()
    case .value: try beginValue(byte)
    case .length:
      guard try endsNumber(byte) else { return }
      if number > 0 { step = .body(number) } else { nextValue() }
    case .body: break
    }
  }

  /// Processes the first byte of a table or of a change.
  private mutating func begin(_ byte: UInt8) throws {
    size = 1
    switch byte {
    case UInt8(ascii: "T"), UInt8(ascii: "P"):
      guard (byte == UInt8(ascii: "P")) == (format == .patchset) else {
        let other = format == .patchset ? Format.changeset : .patchset
        throw SQLiteError(.mismatch, "The bytes are a \(other), not a \(format)")
      }
      table = Table()
      beginNumber(.columnCount)
    default:
      guard let operation = Operation(rawValue: byte), !table.keys.isEmpty,
        format != .rebase || operation != .update
      else { throw corrupt("\(byte) is not a kind of change") }
      // SQLite assumes that consecutive tables with the same name have the same columns.
      if let changed, changed.name == table.name, changed.keys != table.keys {
        throw corrupt("the columns of a table differ from before")
      }
      if !hasChanges || changed != table { changed = table }
      hasChanges = true
      self.operation = operation
      isSecondRecord = false
      step = .indirect
    }
  }

  private mutating func endTable() throws {
    guard !table.name.isEmpty else { throw corrupt("a table has no name") }
    guard table.keys.contains(true) else { throw corrupt("a table has no primary key") }
    if let other = known[table.name], other.keys != table.keys {
      throw SQLiteError(
        .schema,
        "The table \(String(decoding: table.name, as: UTF8.self)) has different columns in the changeset that it is rebased on"
      )
    }
    if collectsTables { tables[table.name] = table }
    step = .start
  }

  private mutating func beginValue(_ type: UInt8) throws {
    let isKey = table.keys[column]
    if isInvertible, isKey, isSecondRecord, type != 0 {
      throw SQLiteError(
        .constraintPrimaryKey,
        "The changes cannot be inverted: the key of a row of \(String(decoding: table.name, as: UTF8.self)) became a value that SQLite considers equal, and the inverse would delete the row"
      )
    }
    switch type {
    case 0:
      let isOptional =
        switch format {
        case .changeset: operation == .update && (isSecondRecord || !isKey)
        case .patchset: operation == .update && !isKey
        case .rebase: operation == .insert && !isKey
        }
      guard isOptional else { throw corrupt("a value is missing") }
      nextValue()
    case 1, 2: step = .body(8)
    case 3, 4: beginNumber(.length)
    case 5:
      guard !isKey else { throw corrupt("a key is NULL") }
      if operation != .insert, !isSecondRecord {
        replacement = try added?.value(of: column, in: table)
      }
      nextValue()
    default: throw corrupt("\(type) is not a type of value")
    }
  }

  /// Advances to the next value, or past the end of the change.
  private mutating func nextValue() {
    let hasKeysOnly = format == .patchset && operation == .delete
    repeat { column += 1 } while hasKeysOnly && column < table.keys.count && !table.keys[column]
    step = .value
    guard column == table.keys.count else { return }
    if format == .changeset, operation == .update, !isSecondRecord {
      isSecondRecord = true
      column = 0
    } else {
      step = .start
    }
  }

  private mutating func beginNumber(_ next: Step) {
    step = next
    number = 0
    digits = 0
  }

  /// Appends seven bits to the current number, and returns whether the number is then complete.
  private mutating func endsNumber(_ byte: UInt8) throws -> Bool {
    number = number << 7 | Int(byte & 0x7f)
    digits += 1
    guard byte & 0x80 != 0 else {
      guard number <= 2_000_000_000 else { throw corrupt("a length is invalid (\(number))") }
      return true
    }
    guard digits < 5 else { throw corrupt("an integer is not terminated") }
    return false
  }
}
