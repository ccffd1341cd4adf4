import Sluice
import TestSupport
import Testing

/// An impossible index or size throws, however large it is.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `impossible numbers` {
  @Test(arguments: NumberMatrix.numbers)
  func `a member of a connection throws the expected error for each impossible number`(
    _ number: Int
  ) throws {
    for entry in NumberMatrix.connection + NumberMatrix.tables + NumberMatrix.copies
      + NumberMatrix.files + NumberMatrix.above + NumberMatrix.cluster
    {
      let stage = try MisuseFixture()
      let error = try stage.refusal(.fresh) { try entry(number).use(stage.connection) }
      #expect(error?.code == entry.refusal(number), "\(entry.symbol)")
      try stage.expectUsable()
    }
  }

  @Test(arguments: NumberMatrix.numbers)
  func `a member of a statement throws the expected error for each impossible number`(_ number: Int)
    throws
  {
    for entry in NumberMatrix.statement {
      let stage = try MisuseFixture()
      let error = try stage.refusal(.fresh) { try entry(number).use(stage.statement) }
      #expect(error?.code == entry.refusal(number), "\(entry.symbol)")
      try stage.expectUsable()
    }
  }

  @Test(arguments: NumberMatrix.numbers)
  func `a member of a row throws the expected error for each impossible number`(_ number: Int)
    throws
  {
    for entry in NumberMatrix.row {
      for mode in MisuseFixture.modes {
        let stage = try MisuseFixture(mode)
        let error = try stage.refusal(.fresh, entry(number))
        #expect(error?.code == entry.refusal(number), "\(entry.symbol) \(mode)")
        try stage.expectUsable()
      }
    }
  }

  @Test(arguments: NumberMatrix.numbers)
  func `a member of function arguments throws the expected error for each impossible number`(
    _ number: Int
  ) throws {
    for entry in NumberMatrix.arguments {
      let stage = try MisuseFixture()
      let error = try stage.refusal(.inFunction, entry(number))
      #expect(error?.code == entry.refusal(number), "\(entry.symbol)")
      try stage.expectUsable()
    }
  }

  @Test func `each public member with a numeric parameter has an entry`() throws {
    let members = Set(try PublicSymbols.members().filter(\.takesNumber).map(\.name))
    #expect(members.count > 30)
    let entries = Set(NumberMatrix.symbols)
    for name in members.subtracting(entries).sorted() {
      Issue.record("The list of numbers has no entry of \(name)")
    }
    for name in entries.subtracting(members).sorted() {
      Issue.record("The list of numbers has an entry of \(name), which takes none")
    }
  }
}

extension PublicSymbols.Symbol {
  /// Whether the member has a numeric parameter, or is a settable numeric property.
  fileprivate var takesNumber: Bool {
    let number = /: (U?Int(8|16|32|64)?|Double|Float|Duration)\b/
    guard isProperty else {
      let parameters = declaration.split(separator: " -> ", maxSplits: 1).first ?? ""
      return parameters.contains(number)
    }
    let isConstant = declaration.contains("let ") || declaration.contains("{ get")
    return (!isConstant || declaration.contains("set }")) && declaration.contains(number)
  }
}
