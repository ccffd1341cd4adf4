/// Runs a program for all data at once: it follows each way that the program can take, with what is
/// known of each register, until nothing new is learnt.
///
/// What it says of a value is true for each run of the program. An instruction that it does not know
/// ends the attempt, so that nothing is said at all.
struct Interpreter {
  /// A place in the program, with all that decides where it goes from there.
  struct Point: Hashable {
    var address: Int
    /// The numbers in the registers that instructions jump by.
    var control: [Int?]
    /// The instructions that run once and have, or nil if that is no longer followed: each may have or not.
    var done: Set<Int>?
  }

  /// The program holds something that is not known.
  struct Unsupported: Error {
    let instruction: Instruction?
  }

  /// The program reads a register that was not written on any known way.
  struct Unreachable: Error {}

  let program: [Instruction]
  let functions: FunctionCatalog
  let controlRegisters: [Int]
  /// Those of them without whose number it can go on, in all ways.
  private let flags: [Int]
  /// The addresses to which the program can come from several places.
  let targets: Set<Int>
  /// Whether what is given to virtual tables is text.
  var insertsFullText = false
  var cursors: [Int: Cursor]
  /// The virtual columns that it computes, by the address where that is done.
  let virtualColumns: [Int: (register: Int, value: AbstractValue)]
  /// The records that were written into the tables that the program makes for itself.
  var contents: [Int: Contents] = [:]
  var facts: ProgramFacts
  /// How many places of the program were looked at.
  private(set) var steps = 0
  private var states: [Point: Registers] = [:]
  private var waiting: Worklist
  /// How many states there are of each address.
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

  /// Returns the facts about the results and parameters, or nil if they cannot be found out.
  mutating func run() -> ProgramFacts? {
    do {
      // What is read from a table that the program makes depends on what is written later.
      var before: [Int: Contents]
      repeat {
        before = contents
        try explore()
      } while contents != before
    } catch { return nil }
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

  /// Notes that the program can come to an address with such values.
  mutating func reach(_ address: Int, _ registers: Registers, _ done: Set<Int>?) {
    guard program.indices.contains(address) else { return }
    var registers = registers
    var point = point(address, registers, done)
    if states[point] == nil, counts[address] > 12 {
      // Subqueries that run on some ways only have run or not in more combinations than can be followed, as has
      // what each of them has found.
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

  /// Notes a row of the result.
  mutating func produce(_ row: [AbstractValue]) {
    facts.results = AbstractValue.joined(facts.results, row)
  }
}

extension Instruction {
  /// The registers whose numbers decide whether it goes elsewhere.
  fileprivate var flagRegisters: [Int] { ["If", "IfNot", "IfPos"].contains(opcode) ? [p1] : [] }

  /// The registers whose numbers are addresses.
  fileprivate var addressRegisters: [Int] {
    switch opcode {
    case "Gosub", "Return", "Yield", "InitCoroutine", "EndCoroutine": [p1]
    case "BeginSubrtn": [p2]
    default: []
    }
  }

  /// The addresses in it to which it can go.
  fileprivate var targets: [Int] {
    switch opcode {
    case "Jump": [p1, p2, p3]
    case "InitCoroutine": [p2, p3]
    case let code where Interpreter.jumps.contains(code): [p2]
    default: []
    }
  }
}
