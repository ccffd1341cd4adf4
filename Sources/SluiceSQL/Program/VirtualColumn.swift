/// A generated column that is not stored, with the instructions that compute it.
struct VirtualColumn: Sendable {
  /// An instruction, without its registers, and the columns that it reads.
  struct Step: Hashable, Sendable {
    let opcode: String
    let detail: String
    let columns: Set<ColumnReference>
  }

  /// A part of a program that may compute a virtual column.
  struct Part {
    /// The address of the part's last instruction.
    let end: Int
    /// The register that contains the value after the last instruction.
    let register: Int
    let steps: [Step]
  }

  let declaration: DeclaredType
  let value: AbstractValue
  let steps: [Step]

  /// Creates a virtual column from a program that reads only this column.
  init?(
    _ declaration: DeclaredType, _ value: AbstractValue, _ program: [Instruction],
    _ cursors: [Int: Cursor]
  ) {
    guard !declaration.name.isEmpty, let part = Self.parts(of: program, cursors).first else {
      return nil
    }
    self.declaration = declaration
    self.value = value
    steps = part.steps
  }

  /// Returns the values of the virtual columns that a program computes, by the address of the last instruction
  /// that computes them.
  static func values(
    in program: [Instruction], _ cursors: [Int: Cursor], _ columns: [VirtualColumn]
  ) -> [Int: (register: Int, value: AbstractValue)] {
    var values: [Int: (Int, AbstractValue)] = [:]
    guard !columns.isEmpty else { return values }
    for part in parts(of: program, cursors) {
      let matches = columns.filter { $0.steps == part.steps }
      // If columns differ only in a constant, their computations look the same in a program.
      guard let first = matches.first,
        matches.allSatisfy({ $0.declaration == first.declaration })
      else { continue }
      let value = matches.dropFirst().reduce(first.value) { $0.joined($1.value) }
      values[part.end] = (part.register, value)
    }
    return values
  }

  /// Returns the parts of a program that may compute the value of a virtual column.
  ///
  /// Such a part follows `IfNullRow`, which skips the part if the row is missing. The part must end with a
  /// conversion to the column's type, because nothing else distinguishes it from a subquery. Only a part that
  /// consists of reading a column needs no conversion.
  private static func parts(of program: [Instruction], _ cursors: [Int: Cursor]) -> [Part] {
    program.enumerated().compactMap { address, instruction in
      let (start, end) = (address + 1, instruction.p2 - 1)
      guard instruction.opcode == "IfNullRow", start <= end, program.indices.contains(end) else {
        return nil
      }
      let last = program[end]
      let isConverted = last.opcode == "Affinity" && last.p1 == instruction.p3 && last.p2 == 1
      guard isConverted || (start == end && last.opcode == "Column") else { return nil }
      return Part(
        end: end, register: instruction.p3,
        steps: program[start...end].compactMap { $0.step(cursors) })
    }
  }
}

extension Instruction {
  /// Instructions for constants and copies, which SQLite may move to another place in the program.
  private static let movable: Set<String> = [
    "Integer", "Int64", "Real", "String8", "String", "Null", "Blob", "Copy", "SCopy", "Noop",
    "ReleaseReg",
  ]

  fileprivate func step(_ cursors: [Int: Cursor]) -> VirtualColumn.Step? {
    switch opcode {
    case let code where Self.movable.contains(code): return nil
    case "Column":
      let columns = (cursors[p1]?.records ?? []).flatMap { record in
        record.columns.indices.contains(p2) ? Array(record.columns[p2].origins) : []
      }
      return .init(opcode: opcode, detail: "", columns: Set(columns))
    case "Cast": return .init(opcode: opcode, detail: "\(p2)", columns: [])
    default: return .init(opcode: opcode, detail: p4, columns: [])
    }
  }
}
