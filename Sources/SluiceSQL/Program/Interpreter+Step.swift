/// The effect of each instruction.
extension Interpreter {
  /// Follows the program from a point to the next points where its paths branch or join.
  mutating func step(_ point: Point, _ registers: Registers) throws {
    var point = point
    var registers = registers
    while program.indices.contains(point.address) {
      let instruction = program[point.address]
      if try jump(instruction, point, registers) { return }
      if try follow(instruction, point, registers) { return }
      guard try assign(instruction, &registers) else {
        throw Unsupported(instruction: instruction)
      }
      if let (register, value) = virtualColumns[point.address] {
        registers[register].take(typeOf: value)
      }
      point.address += 1
      // Join states only at addresses that have several predecessors.
      if targets.contains(point.address) { return reach(point.address, registers, point.done) }
    }
  }

  /// Instructions that may jump, and that change no register.
  private static let branches: Set<String> = [
    "Rewind", "Next", "Prev", "Last", "Sort", "SorterSort", "SorterNext", "SorterCompare", "VNext",
    "IfSmaller", "IfSizeBetween", "IfNotOpen", "IfNoHope", "IfEmpty", "ElseEq", "ElseNotEq",
    "FkIfZero", "RowSetTest", "Filter", "SequenceTest",
    "IncrVacuum", "Program", "SeekScan", "Seek", "IsType",
  ]

  /// All instructions that can jump to the address in their second operand.
  static let jumps: Set<String> = branches.union([
    "Init", "Goto", "Once", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "IdxLE", "IdxGT", "IdxLT",
    "IdxGE", "Found", "NotFound", "NoConflict", "SeekRowid", "NotExists", "VFilter", "If", "IfNot",
    "IfPos", "IsNull", "NotNull",
    "IfNullRow", "IfNotZero", "DecrJumpZero", "MustBeInt", "RowSetRead", "Eq", "Ne", "Lt", "Le",
    "Gt", "Ge", "Gosub",
  ])

  /// Instructions that neither jump nor change a relevant register.
  private static let silent: Set<String> = [
    "Noop", "Explain", "Transaction", "TableLock", "SetCookie", "Savepoint", "AutoCommit",
    "OpenRead", "OpenWrite", "ReopenIdx", "OpenDup", "OpenEphemeral", "OpenAutoindex", "SorterOpen",
    "OpenPseudo", "Close", "ColumnsUsed", "SeekHit", "Delete", "ResetCount", "SeekEnd", "NullRow",
    "IdxDelete", "DeferredSeek", "FinishSeek", "Clear", "ResetSorter", "RowSetAdd", "FkCheck",
    "FkCounter", "MemMax", "Expire", "CursorLock", "CursorUnlock", "VBegin", "VOpen", "VRename",
    "FilterAdd", "ReleaseReg", "Abortable", "CursorHint", "Trace", "Permutation",
    "Compare", "ClrSubtype", "SetSubtype", "RowCell", "VCheck", "ReadCookie",
  ]

  /// Follows an instruction that ends the path, jumps, continues or tests a register; otherwise returns false.
  private mutating func jump(
    _ instruction: Instruction, _ point: Point, _ registers: Registers
  ) throws -> Bool {
    let next = point.address + 1
    let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
    let done = point.done
    switch instruction.opcode {
    case "Halt": break
    case "Init", "Goto": reach(p2, registers, done)
    case "Jump": for target in [p1, p2, p3] { reach(target, registers, done) }
    case "ResultRow":
      produce(registers.values(from: p1, count: p2))
      reach(next, registers, done)
    case "Once":
      if done?.contains(point.address) != false { reach(p2, registers, done) }
      if done?.contains(point.address) != true {
        reach(next, registers, done?.union([point.address]))
      }
    case let code where Self.branches.contains(code):
      reach(p2, registers, done)
      reach(next, registers, done)
    case "SeekGE", "SeekGT", "SeekLE", "SeekLT", "IdxLE", "IdxGT", "IdxLT", "IdxGE":
      compareKey(p1, registers, p3, Int(instruction.p4) ?? 1)
      reach(p2, registers, done)
      reach(next, registers, done)
    case "Found", "NotFound", "NoConflict":
      compareKey(p1, registers, p3, Int(instruction.p4) ?? 0)
      reach(p2, registers, done)
      reach(next, registers, done)
    case "SeekRowid", "NotExists":
      note(registers[p3], comparedWith: rowid(of: p1), orNull: false)
      reach(p2, registers, done)
      reach(next, registers, done)
    case "VFilter":
      reach(p2, registers, done)
      reach(next, registers, done)
    case "VUpdate":
      if insertsFullText {
        // The first two values are the rowids before and after the change.
        for register in 0..<p2 {
          note(registers[p3 + register], is: register < 2 ? .integer : .text)
        }
      }
      reach(next, registers, done)
    case "CollSeq":
      // This instruction sets register p1 to 0. If a row is not a new minimum or maximum, the aggregate in the
      // next instruction sets the register to 1. For the first row of a group, the register always stays 0.
      var registers = registers
      let accumulator = registers[program.indices.contains(next) ? program[next].p3 : -1]
      if p1 != 0 { registers[p1] = .integer }
      if p1 != 0, accumulator.isOnlyNull, accumulator.aggregate == nil {
        registers[p1].constant = 0
      }
      reach(next, registers, done)
    case let code where Self.silent.contains(code): reach(next, registers, done)
    default: return try branch(instruction, point, registers)
    }
    return true
  }

  /// Compares registers with the columns of an index, or of a temporary table that the program has created.
  private mutating func compareKey(
    _ cursor: Int, _ registers: Registers, _ first: Int, _ count: Int
  ) {
    guard let columns = record(of: cursor, registers).record else { return }
    if cursors[cursor]?.records.contains(where: { $0.rowid != nil }) == true {
      return note(registers[first], comparedWith: rowid(of: cursor), orNull: false)
    }
    for (index, column) in columns.prefix(max(count, 0)).enumerated() {
      note(registers[first + index], comparedWith: column.stripped, orNull: false)
    }
    if count == 0, let key = registers[first].record {
      for (value, column) in zip(key, columns) {
        note(value, comparedWith: column.stripped, orNull: false)
      }
    }
  }

  /// Follows an instruction that tests a register, and refines that register's value on each path.
  private mutating func branch(
    _ instruction: Instruction, _ point: Point, _ registers: Registers
  ) throws -> Bool {
    let (p1, p2) = (instruction.p1, instruction.p2)
    let next = point.address + 1
    func refined(_ value: AbstractValue, _ register: Int) -> Registers {
      var registers = registers
      registers[register] = value
      return registers
    }
    switch instruction.opcode {
    case "If", "IfNot":
      let value = registers[p1].constant
      let jumpsIfTrue = instruction.opcode == "If"
      if value == nil || (value != 0) == jumpsIfTrue { reach(p2, registers, point.done) }
      if value == nil || (value != 0) != jumpsIfTrue { reach(next, registers, point.done) }
    case "IfPos":
      let value = registers[p1].constant
      var less = registers[p1]
      less.constant = value.map { $0 - instruction.p3 }
      if value ?? 1 > 0 { reach(p2, refined(less, p1), point.done) }
      if value ?? 0 <= 0 { reach(next, registers, point.done) }
    case "IsNull", "NotNull":
      let (null, value) =
        instruction.opcode == "IsNull" ? (p2, next) : (next, p2)
      if registers[p1].mayBeNull {
        var onlyNull = AbstractValue.null
        onlyNull.parameters = registers[p1].parameters
        reach(null, refined(onlyNull, p1), point.done)
      }
      if !registers[p1].isOnlyNull || !registers[p1].parameters.isEmpty {
        reach(value, refined(registers[p1].refinedToValue, p1), point.done)
      }
    case "HaltIfNull":
      reach(next, refined(registers[instruction.p3].refinedToValue, instruction.p3), point.done)
    case "IfNullRow":
      if cursors[p1]?.canBeNull != false { reach(p2, refined(.null, instruction.p3), point.done) }
      reach(next, registers, point.done)
    case "IfNotZero", "DecrJumpZero":
      reach(p2, refined(.integer, p1), point.done)
      reach(next, refined(.integer, p1), point.done)
    case "MustBeInt":
      note(registers[p1], is: .integer)
      var integer = registers[p1].refinedToValue
      integer.possible = .integer
      integer.expected = .integer
      if p2 != 0 { reach(p2, registers, point.done) }
      reach(next, refined(integer, p1), point.done)
    case "RowSetRead":
      reach(p2, registers, point.done)
      reach(next, refined(.integer, instruction.p3), point.done)
    case "Eq", "Ne", "Lt", "Le", "Gt", "Ge":
      // In SQLite before 3.37, the flag 0x20 makes the comparison store its result instead of jumping.
      guard instruction.p5 & 0x20 == 0 else { throw Unsupported(instruction: instruction) }
      note(
        registers[p1], comparedWith: registers[instruction.p3].stripped,
        orNull: instruction.p5 & 0x80 != 0)
      reach(p2, registers, point.done)
      reach(next, registers, point.done)
    default: return false
    }
    return true
  }

  /// Follows an instruction of a subroutine or coroutine, which continues at the address in a register.
  private mutating func follow(
    _ instruction: Instruction, _ point: Point, _ registers: Registers
  ) throws -> Bool {
    let (p1, p2) = (instruction.p1, instruction.p2)
    var registers = registers
    func address(_ number: Int) -> AbstractValue {
      var value = AbstractValue.integer
      value.constant = number
      return value
    }
    func target() throws -> Int {
      guard let target = registers[p1].constant, program.indices.contains(target) else {
        throw Unsupported(instruction: instruction)
      }
      return target
    }
    switch instruction.opcode {
    case "Gosub":
      registers[p1] = address(point.address)
      reach(p2, registers, point.done)
    case "Return":
      if instruction.p3 == 1, registers[p1].isOnlyNull {
        reach(point.address + 1, registers, point.done)
      } else {
        let place = try target() + 1
        // Forget the return address, so that the paths of all callers join. The next call sets the register again.
        registers[p1].constant = nil
        reach(place, registers, point.done)
      }
    case "InitCoroutine":
      registers[p1] = address(instruction.p3 - 1)
      reach(p2 == 0 ? point.address + 1 : p2, registers, point.done)
    case "Yield":
      let place = try target()
      registers[p1] = address(point.address)
      reach(place + 1, registers, point.done)
    case "EndCoroutine":
      let place = program[try target()].p2
      // Since SQLite 3.46, a later `Yield` returns to this instruction.
      registers[p1] = address(point.address - 1)
      reach(place, registers, point.done)
    default: return false
    }
    return true
  }
}
