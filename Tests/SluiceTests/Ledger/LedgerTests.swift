import Foundation
import Sluice
import TestSupport
import Testing

/// Each SQLite function has a Swift API and a test, or a reason why Sluice omits the function.
@Suite(.tags(.library, .functions)) struct `the ledger of functions` {
  let ledger: Ledger

  init() throws { ledger = try Ledger() }

  @Test
  func `each function in the header has one row, and each row without an origin is in the header`()
    throws
  {
    let declared = try CFunctions.declared()
    // If the header were parsed wrongly, all checks below would pass.
    #expect(declared.count >= 300)
    let functions = ledger.rows.map(\.function)
    #expect(Set(functions).count == functions.count)
    for function in declared.subtracting(functions).sorted() {
      Issue.record("\(function) is in the header, but not in the ledger")
    }
    for row in ledger.rows where row.origin == nil {
      #expect(declared.contains(row.function), "\(row.function) is not in the header")
    }
  }

  @Test func `the sources call each reached function and no omitted function`() throws {
    let called = try CFunctions.called()
    for row in ledger.rows {
      let other = row.function.replacing("sqlite3", with: "sluice_")
      #expect(
        (called.contains(row.function) || called.contains(other)) == row.isReached,
        "\(row.function)")
    }
  }

  @Test func `each reached function names a public symbol, and each omitted function a reason`()
    throws
  {
    let names = try PublicSymbols.names()
    #expect(names.count > 1000)
    for row in ledger.rows {
      if row.isReached { #expect(!row.symbols.isEmpty, "\(row.function)") }
      #expect((row.test != nil) == row.isReached, "\(row.function)")
      if let origin = row.origin { #expect(origin.wholeMatch(of: /(?:since|in) [\w.]+/) != nil) }
      #expect(row.text.count > 3, "\(row.function) has no reason")
      for symbol in row.symbols {
        #expect(names.contains(symbol), "\(row.function): there is no \(symbol)")
      }
    }
  }

  @Test func `each reached function names a test in a file that uses its Swift API`() throws {
    for row in ledger.rows where row.isReached {
      let test = try #require(row.test, "\(row.function) has no test")
      let file = DocumentationTests.root.appending(path: "Tests/\(test.file).swift")
      let code = try String(contentsOf: file, encoding: .utf8)
      #expect(
        code.contains("func `\(test.name)`("), "\(test.file) has no test `\(test.name)`")
      #expect(
        row.symbols.contains { code.contains(word(of: $0)) },
        "\(row.function): \(test.file) uses none of \(row.symbols)")
    }
    #expect(ledger.rows.count(where: \.isReached) >= 225)
  }

  @Test func `errors name each result code of the header`() throws {
    let header = try String(contentsOf: CFunctions.header(), encoding: .utf8)
    let start = try #require(header.range(of: "CAPI3REF: Result Codes"))
    let end = try #require(header.range(of: "CAPI3REF: Flags For File Open"))
    let definitions = header[start.upperBound..<end.lowerBound]
    var numbers: [String: Int32] = [:]
    for match in definitions.matches(of: #/#define (SQLITE_\w+) +(\d+)\s/#) {
      numbers[String(match.1)] = Int32(match.2)
    }
    let extended = #/#define (SQLITE_\w+) +\((SQLITE_\w+) *\| *\((\d+)<<8\)\)/#
    for match in definitions.matches(of: extended) {
      let kind = try #require(numbers[String(match.2)])
      numbers[String(match.1)] = try kind | #require(Int32(match.3)) << 8
    }
    // If the header were parsed wrongly, all checks below would pass.
    #expect(numbers.count >= 100)
    for (name, number) in numbers where number & 0xff != 0 {
      let error = SQLiteError(ResultCode(rawValue: number), "x")
      #expect(error.description == "x [\(name) (\(number))]")
    }
    #expect("\(SQLiteError(ResultCode(rawValue: 99), "x"))" == "x [unknown code (99)]")
    let later = ResultCode(rawValue: 10 | 200 << 8)
    #expect("\(SQLiteError(later, "x"))" == "x [SQLITE_IOERR (51210)]")
  }

  /// Returns the word by which code refers to a symbol: its name without labels, or the name of its type.
  private func word(of symbol: String) -> String {
    let name = symbol.prefix { $0 != "(" }
    let parts = name.split(separator: ".")
    return String(parts.last { $0 != "init" } ?? "")
  }
}
