/// An interpreter that runs a program for all possible data at once.
///
/// The interpreter follows each path of the program with the known properties of each register, until there are
/// no new facts. Every fact about a value is true for each run of the program. If the interpreter finds an
/// unknown instruction, it stops and returns no facts.
struct Interpreter {
  /// A point in the program, with all values that determine where the program continues.
  struct Point: Hashable {
    var address: Int
    /// The numbers in the registers that control jumps.
    var control: [Int?]
    /// The run-once instructions that have run; nil if they are no longer tracked.
    ///
    /// If they are not tracked, each of them may have run.
    var done: Set<Int>?
  }

  /// An error for a program that contains an unknown element.
  struct Unsupported: Error {
    let instruction: Instruction?
  }

  /// An error for an instruction that reads a record that no path followed so far has written.
  struct Unreachable: Error {}

  let program: [Instruction]
  let functions: FunctionCatalog
  let controlRegisters: [Int]
  /// The control registers whose numbers may be forgotten, because the interpreter can then follow both paths.
  private let flags: [Int]
  /// The addresses that the program can reach from several other addresses.
  let targets: Set<Int>
  /// Whether the program writes to a full-text table, so that the values it writes to virtual tables are text.
  var insertsFullText = false
  var cursors: [Int: Cursor]
  /// The virtual columns that the program computes, by the address of the last instruction that computes them.
  let virtualColumns: [Int: (register: Int, value: AbstractValue)]
  /// The records that the program has written to its temporary tables.
  var contents: [Int: Contents] = [:]
  var facts: ProgramFacts
  /// The reason for which the interpreter has stopped; nil if the program is too long.
  private(set) var obstacle: String?
  /// The number of visited program points.
  private(set) var steps = 0
  private var states: [Point: Registers] = [:]
  private var waiting: Worklist
  /// The number of states at each address.
  private var counts: [Int]

  init(
    _ program: [Instruction], columnCount: Int, layout: DatabaseLayout, functions: FunctionCatalog
  ) {
    self.program = program
    self.functions = functions
    cursors = Cursor.all(in: program, layout)
    virtualColumns = VirtualColumn.values(in: program, cursors, layout.virtualColumns)
    let addresses = Set(program.flatMap(\.addressRegisters))
    flags = Set(program.flatMap(\.flagRegisters)).subtracting(addresses).sorted()
    controlRegisters = addresses.union(flags).sorted()
    targets = Set(program.flatMap(\.targets))
    waiting = Worklist(size: program.count)
    counts = Array(repeating: 0, count: program.count)
    facts = ProgramFacts(results: Array(repeating: .nothing, count: columnCount))
  }

  /// Returns the facts about the results and parameters, or nil if they cannot be determined.
  ///
  /// In the latter case, ``obstacle`` is the reason.
  mutating func run() -> ProgramFacts? {
    do {
      // A value that is read from a temporary table may have been written later in the program, so repeat until
      // nothing changes.
      var before: [Int: Contents]
      repeat {
        before = contents
        try explore()
      } while contents != before
    } catch {
      let opcode = (error as? Unsupported)?.instruction?.opcode
      obstacle = opcode.map { "the analysis cannot follow the instruction \($0)" }
      return nil
    }
    facts.completeParameters()
    facts.steps = steps
    return facts
  }

  private mutating func explore() throws {
    states = [:]
    facts = ProgramFacts(results: facts.results.map { _ in .nothing })
    waiting = Worklist(size: program.count)
    counts = Array(repeating: 0, count: program.count)
    reach(0, Registers(), [])
    let limit = steps + 100_000
    while let point = waiting.popFirst() {
      steps += 1
      guard steps < limit, states.count < 20_000 else { throw Unsupported(instruction: nil) }
      guard let registers = states[point] else { continue }
      do { try step(point, registers) } catch is Unreachable { continue }
    }
  }

  /// Records that the program can reach an address with these values.
  mutating func reach(_ address: Int, _ registers: Registers, _ done: Set<Int>?) {
    guard program.indices.contains(address) else { return }
    var registers = registers
    var point = point(address, registers, done)
    if states[point] == nil, counts[address] > 12 {
      // Each combination of subqueries that have run is a separate state. There are too many of these states, so
      // forget the flags that track the subqueries.
      for flag in flags where registers[flag].constant != nil { registers[flag].constant = nil }
      point = self.point(address, registers, nil)
    }
    guard states[point] != nil else {
      states[point] = registers
      counts[address] += 1
      return waiting.insert(point)
    }
    if states[point]?.join(registers) == true { waiting.insert(point) }
  }

  private func point(_ address: Int, _ registers: Registers, _ done: Set<Int>?) -> Point {
    Point(address: address, control: controlRegisters.map { registers[$0].constant }, done: done)
  }

  /// Records a row of the result.
  mutating func produce(_ row: [AbstractValue]) {
    facts.results = AbstractValue.joined(facts.results, row)
  }
}

extension Instruction {
  /// The registers whose numbers determine whether the instruction jumps.
  fileprivate var flagRegisters: [Int] { ["If", "IfNot", "IfPos"].contains(opcode) ? [p1] : [] }

  /// The registers whose numbers are addresses.
  fileprivate var addressRegisters: [Int] {
    switch opcode {
    case "Gosub", "Return", "Yield", "InitCoroutine", "EndCoroutine": [p1]
    case "BeginSubrtn": [p2]
    default: []
    }
  }

  /// The addresses to which the instruction can jump.
  fileprivate var targets: [Int] {
    switch opcode {
    case "Jump": [p1, p2, p3]
    case "InitCoroutine": [p2, p3]
    case let code where Interpreter.jumps.contains(code): [p2]
    default: []
    }
  }
}
