/// Instructions that write to registers, and then continue with the next instruction.
extension Interpreter {
  /// Runs an instruction that writes to registers; returns false if the instruction is unknown.
  mutating func assign(
    _ instruction: Instruction, _ registers: inout Registers
  ) throws -> Bool {
    if assignConstant(instruction, &registers) { return true }
    if computes(instruction, &registers) { return true }
    if try reads(instruction, &registers) { return true }
    return calls(instruction, &registers)
  }

  private func assignConstant(
    _ instruction: Instruction, _ registers: inout Registers
  ) -> Bool {
    let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
    switch instruction.opcode {
    case "Integer":
      registers[p2] = .integer
      registers[p2].constant = p1
    case "Int64": registers[p2] = .integer
    case "Real": registers[p2] = .computed(.real, mayBeNull: false)
    case "String8": registers[p2] = .computed(.text, mayBeNull: false)
    case "String":
      registers[p2] = .computed(.text, mayBeNull: false, possible: [.text, .blob])
    case "Blob": registers[p2] = .computed(.blob, mayBeNull: false)
    case "Null":
      for register in p2...max(p2, p3) { registers[register] = .null }
    case "BeginSubrtn": registers[p2] = .null
    case "SoftNull": registers[p1] = .null
    case "Variable":
      registers[p2] = .unknown
      registers[p2].parameters = [p1]
    case "Move":
      for index in 0..<p3 {
        registers[p2 + index] = registers[p1 + index]
        registers[p1 + index] = .null
      }
    case "Copy":
      for index in 0...p3 { registers[p2 + index] = registers[p1 + index] }
    case "SCopy": registers[p2] = registers[p1]
    case "IntCopy":
      var value = registers[p1].refinedToValue
      value.possible = .integer
      registers[p2] = value
    default: return false
    }
    return true
  }

  private mutating func computes(
    _ instruction: Instruction, _ registers: inout Registers
  ) -> Bool {
    let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
    let eitherIsNull = registers[p1].mayBeNull || registers[p2].mayBeNull
    switch instruction.opcode {
    case "Add", "Subtract", "Multiply", "Divide", "Remainder":
      // Multiplication and division give no hint: their operands may differ in type, such as a price and a factor.
      if ["Add", "Subtract"].contains(instruction.opcode) {
        note(registers[p1], isAddedTo: registers[p2])
        note(registers[p2], isAddedTo: registers[p1])
      }
      registers[p3] = Self.arithmetic(instruction.opcode, registers[p1], registers[p2])
    case "Concat":
      for register in [p1, p2] { note(registers[register], hintsAt: .text) }
      registers[p3] = .computed(.text, mayBeNull: eitherIsNull, possible: [.text, .blob])
    case "BitAnd", "BitOr", "ShiftLeft", "ShiftRight":
      for register in [p1, p2] { note(registers[register], hintsAt: .integer) }
      registers[p3] = .computed(.integer, mayBeNull: eitherIsNull)
    case "And", "Or":
      registers[p3] = .computed(.integer, mayBeNull: eitherIsNull)
    case "Not", "BitNot", "IsTrue":
      registers[p2] = .computed(.integer, mayBeNull: registers[p1].mayBeNull)
    case "ZeroOrNull":
      registers[p2] = .computed(
        .integer, mayBeNull: registers[p1].mayBeNull || registers[p3].mayBeNull)
    case "AddImm": registers[p1] = .integer
    case "RealAffinity":
      if registers[p1].possible.contains(.integer) { registers[p1].possible.insert(.real) }
    case "Cast":
      registers[p1] = cast(registers[p1], Character(Unicode.Scalar(UInt8(truncatingIfNeeded: p2))))
    case "Affinity": registers.convert(from: p1, count: p2, affinities: instruction.p4)
    case "TypeCheck": registers.convert(from: p1, count: p2, affinities: nil)
    case "MakeRecord":
      registers.convert(from: p1, count: p2, affinities: instruction.p4)
      var value = AbstractValue.computed(.blob, mayBeNull: false)
      value.record = registers.values(from: p1, count: p2).map(\.stripped)
      registers[p3] = value
    case "OffsetLimit", "Count", "Sequence", "NewRowid", "Pagecount", "MaxPgcnt", "Destroy",
      "CreateBtree":
      registers[p2] = .integer
    case "GetSubtype": registers[p2] = .computed(.integer, mayBeNull: true)
    case "VInitIn": registers[p2] = .unknown
    default: return false
    }
    return true
  }

  private static func arithmetic(
    _ opcode: String, _ first: AbstractValue, _ second: AbstractValue
  ) -> AbstractValue {
    // Reals can be infinite. The difference of infinite values, zero times an infinite value, and division by
    // zero are NULL.
    let whole = [first, second].count { $0.possible == .integer }
    let hasValue =
      switch opcode {
      case "Add", "Subtract": whole > 0
      case "Multiply": whole == 2
      default: false
      }
    let mayBeNull = first.mayBeNull || second.mayBeNull || !hasValue
    let kinds = first.expected.union(second.expected)
    let expected: AbstractValue.Kinds =
      kinds == .integer
      ? .integer : kinds.isEmpty || !kinds.isSubset(of: .number) ? [] : .real
    return .computed(expected, mayBeNull: mayBeNull, possible: .number)
  }

  private mutating func cast(_ value: AbstractValue, _ affinity: Character) -> AbstractValue {
    let kinds: AbstractValue.Kinds =
      switch affinity {
      case "A": .blob
      case "B": .text
      case "C": .number
      case "D": .integer
      case "E": .real
      default: .any
      }
    note(value, is: kinds)
    return .computed(kinds == .number ? .real : kinds, mayBeNull: value.mayBeNull, possible: kinds)
  }

  private mutating func reads(
    _ instruction: Instruction, _ registers: inout Registers
  ) throws -> Bool {
    let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
    switch instruction.opcode {
    case "Column":
      let value = column(p2, of: p1, registers)
      // No path that was followed so far has written a record that this instruction could read.
      guard value != .nothing else { throw Unreachable() }
      registers[p3] = value
    case "VColumn", "Offset": registers[p3] = .unknown
    case "Rowid": registers[p2] = rowid(of: p1)
    case "IdxRowid":
      let value = record(of: p1, registers).record?.last ?? .integer
      registers[p2] = cursors[p1]?.canBeNull == true ? value.orNull : value
    case "RowData", "SorterData":
      let record = record(of: p1, registers)
      guard record != .nothing else { throw Unreachable() }
      registers[p2] = record
    case "Insert":
      note(registers[p3], storedIn: rowid(of: p1))
      write(registers[p2].record, to: p1)
    case "IdxInsert", "SorterInsert": write(registers[p2].record, to: p1)
    default: return false
    }
    return true
  }

  private mutating func calls(
    _ instruction: Instruction, _ registers: inout Registers
  ) -> Bool {
    let (p2, p3) = (instruction.p2, instruction.p3)
    let call = FunctionCall(instruction.p4)
    switch instruction.opcode {
    case "Function", "PureFunc":
      let arguments = registers.values(from: p2, count: call.count)
      for (index, kinds) in functions.arguments(of: call).enumerated()
      where index < arguments.count {
        note(arguments[index], is: kinds)
      }
      registers[p3] = functions.result(of: call, arguments)
    case "AggStep", "AggStep1":
      let arguments = registers.values(from: p2, count: instruction.p5).map(\.stripped)
      registers[p3].aggregate = registers[p3].aggregate.stepped(arguments)
    case "AggInverse": registers[p3].aggregate?.hasValue = false
    case "AggFinal":
      registers[instruction.p1] = functions.result(
        ofAggregate: call, registers[instruction.p1].aggregate)
    case "AggValue":
      registers[p3] = functions.result(
        ofAggregate: call, registers[instruction.p1].aggregate)
    default: return false
    }
    return true
  }
}

extension AbstractValue.Accumulation? {
  /// Returns the state of the aggregate after another call.
  fileprivate func stepped(_ arguments: [AbstractValue]) -> Self {
    let hasValue = arguments.first?.mayBeNull == false
    guard let self else { return .init(hasValue: hasValue, values: arguments) }
    return .init(
      hasValue: self.hasValue || hasValue,
      values: AbstractValue.joined(self.values, arguments))
  }
}
