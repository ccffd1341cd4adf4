/// The source that a cursor of a program reads: a table, a record or a register.
struct Cursor: Sendable {
  enum Source: Hashable, Sendable {
    case table(DatabaseLayout.Root)
    /// A temporary table that the program creates, identified by the cursor that created it.
    case own(Int)
    /// The record in a register.
    case register(Int)
    case unknown
  }

  var sources: Set<Source> = []
  var records: [DatabaseLayout.Record] = []
  /// Whether the cursor can point to a missing row, whose columns are all NULL.
  var canBeNull = false

  static func all(in program: [Instruction], _ layout: DatabaseLayout) -> [Int: Cursor] {
    var cursors: [Int: Cursor] = [:]
    for instruction in program {
      let source: Source? =
        switch instruction.opcode {
        // In these instructions, a flag means that p2 is a register that contains the page number.
        case "OpenRead", "OpenWrite", "ReopenIdx":
          instruction.p5 & 0x10 != 0
            ? .unknown
            : .table(DatabaseLayout.Root(database: instruction.p3, page: instruction.p2))
        case "OpenEphemeral", "OpenAutoindex", "SorterOpen": .own(instruction.p1)
        case "OpenDup": .own(instruction.p2)
        case "OpenPseudo": .register(instruction.p2)
        case "VOpen": .unknown
        default: nil
        }
      guard let source else { continue }
      cursors[instruction.p1, default: Cursor()].add(source, layout)
    }
    noteDuplicates(program, &cursors)
    noteNullRows(program, &cursors)
    return cursors
  }

  private mutating func add(_ source: Source, _ layout: DatabaseLayout) {
    guard sources.insert(source).inserted, case .table(let root) = source else { return }
    if let record = layout.records[root] {
      records.append(record)
    } else {
      sources.insert(.unknown)
    }
  }

  /// Gives each duplicate cursor the sources of its original, even if the original is itself a duplicate.
  private static func noteDuplicates(_ program: [Instruction], _ cursors: inout [Int: Cursor]) {
    for instruction in program where instruction.opcode == "OpenDup" {
      let sources = cursors[instruction.p2]?.sources ?? [.unknown]
      cursors[instruction.p1]?.sources.formUnion(sources)
    }
  }

  private static func noteNullRows(_ program: [Instruction], _ cursors: inout [Int: Cursor]) {
    for instruction in program where instruction.opcode == "NullRow" {
      cursors[instruction.p1, default: Cursor()].canBeNull = true
    }
    // After a deferred seek, the table's columns may be read from the index, so if a row of the index can be
    // missing, a row of the table can also be missing, unless the table is opened again.
    for instruction in program where instruction.opcode == "DeferredSeek" {
      guard let index = cursors[instruction.p1], index.canBeNull else { continue }
      let isRead = program.indices.contains { address in
        program[address].opcode == "NullRow" && program[address].p1 == instruction.p1
          && !opens(instruction.p3, program[address...])
      }
      if isRead { cursors[instruction.p3]?.canBeNull = true }
    }
  }

  /// Returns whether the first of the instructions is followed by one that opens a table, before any jump.
  private static func opens(_ table: Int, _ instructions: ArraySlice<Instruction>) -> Bool {
    let straight = instructions.prefix {
      ["NullRow", "OpenRead", "Noop", "Explain"].contains($0.opcode)
    }
    return straight.contains { $0.opcode == "OpenRead" && $0.p1 == table }
  }

  /// Whether the cursor reads only from registers; `NullRow` does not change what such a cursor reads.
  var isInRegisters: Bool {
    !sources.isEmpty
      && sources.allSatisfy {
        if case .register = $0 { true } else { false }
      }
  }
}

/// The records that a program has written to one of its temporary tables.
enum Contents: Hashable, Sendable {
  case columns([AbstractValue])
  case unknown

  mutating func join(_ record: [AbstractValue]?) {
    guard case .columns(var columns) = self, let record else {
      self = .unknown
      return
    }
    // Clear `self` first, so that `columns` has a single owner. Otherwise, each parameter of a list such as
    // `IN (?, ?, …)` would copy all parameters before it.
    self = .unknown
    AbstractValue.join(&columns, record)
    self = .columns(columns)
  }
}

extension Interpreter {
  /// Returns the value that a cursor reads from a column.
  func column(_ index: Int, of number: Int, _ registers: Registers) -> AbstractValue {
    guard let cursor = cursors[number] else { return .unknown }
    guard !cursor.sources.isEmpty else { return cursor.canBeNull ? .null : .unknown }
    var value = AbstractValue.nothing
    for record in rows(of: cursor, registers) {
      guard let record else { return .unknown }
      value = value.joined(index < record.count ? record[index] : .unknown)
    }
    return cursor.canBeNull && !cursor.isInRegisters ? value.orNull : value
  }

  /// Returns the record at a cursor; `.nothing` if the cursor can never be at a record.
  func record(of number: Int, _ registers: Registers) -> AbstractValue {
    guard let cursor = cursors[number] else { return .unknown }
    var value = AbstractValue.nothing
    for row in rows(of: cursor, registers) {
      var record = AbstractValue.computed(.blob, mayBeNull: false)
      let canBeNull = cursor.canBeNull && !cursor.isInRegisters
      record.record = row.map { canBeNull ? $0.map(\.orNull) : $0 }
      value = value.joined(record)
    }
    return value
  }

  func rowid(of number: Int) -> AbstractValue {
    guard let cursor = cursors[number] else { return .unknown }
    var value = AbstractValue.nothing
    for record in cursor.records { value = value.joined(record.rowid ?? .unknown) }
    if cursor.records.isEmpty { value = .integer }
    return cursor.canBeNull ? value.orNull : value
  }

  private func rows(of cursor: Cursor, _ registers: Registers) -> [[AbstractValue]?] {
    cursor.records.map(\.columns)
      + cursor.sources.compactMap { source -> [AbstractValue]?? in
        switch source {
        case .table: return nil
        case .unknown: return .some(nil)
        case .register(let register):
          return .some(registers[register].record)
        case .own(let table):
          switch contents[table] {
          case .columns(let columns): return columns
          case .unknown: return .some(nil)
          case nil: return nil
          }
        }
      }
  }

  /// Notes that the program writes a record through a cursor.
  mutating func write(_ record: [AbstractValue]?, to number: Int) {
    guard let cursor = cursors[number] else { return }
    for source in cursor.sources {
      guard case .own(let table) = source else { continue }
      let record = record?.map(\.stripped)
      if contents[table] == nil {
        contents[table] = record.map { .columns($0) } ?? .unknown
      } else {
        contents[table]?.join(record)
      }
    }
    guard let record else { return }
    for row in cursor.records {
      for (value, column) in zip(record, row.columns) { note(value, storedIn: column) }
    }
  }
}

extension AbstractValue {
  /// The value as it is stored in a record, without `constant`, `record` and `aggregate`.
  var stripped: AbstractValue {
    var value = self
    value.constant = nil
    value.record = nil
    value.aggregate = nil
    return value
  }
}
