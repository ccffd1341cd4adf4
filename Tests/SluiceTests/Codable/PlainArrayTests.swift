import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `JSON arrays of scalars` {
  let db: Connection
  init() throws { db = try Connection() }

  /// Valid and invalid elements, which the random texts combine.
  private static let elements = [
    "0", "-0", "00", "01", "-01", "7", "-7", "+7", "1.0", "-0.0", "1.", ".5", "1e3", "1E-2",
    "1e999",
    "-", "999999999999999999", "-999999999999999999", "9007199254740993", "9007199254740993.0",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808",
    "18446744073709551616", "100000000000000000000000000000000000000000000000000",
    "0.1", "0.30000000000000004", "123456789012345", "1234567890.12345", "1234567890.123456",
    "0.000000000000001", "5e-324", "2.2250738585072011", "0.10000000000000000000000000000000000001",
    "true", "false", "True", "tru", "truer", "null", "nan", "Infinity", "[]", "[1]", "{}",
    #""""#, #""a""#, #""a,b]""#, #""ü""#, #""e\#u{301}""#, #""👩‍👩‍👧""#, #""\n""#, #""\u0041""#,
    #""\ud83d\ude00""#, #""\ud83d""#, #""\u0000""#, #""a"b""#, #""\""#, #""/""#, #""\/""#, "'a'",
    "a",
    "\"\u{feff}\"", "\"\u{0}\"", "\"\n\"", "\"\u{7f}\u{2028}\u{ffff}\"", "", " ",
  ]

  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    let kinds: [ArraySlice<String>] = [elements[...], elements.prefix(30), elements.suffix(24)]
    let kind = kinds.randomElement(using: &random) ?? []
    let separator = [",", ",", ", ", ",  ", " ,", ",\n", ",,"].randomElement(using: &random) ?? ""
    let parts = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      // Most elements are valid; otherwise hardly any array would be valid.
      switch Int.random(in: 0..<6, using: &random) {
      case 0: kind.randomElement(using: &random) ?? ""
      case 1: "\(Int64.random(in: -1000 ... .max, using: &random))"
      case 2: decimal(&random)
      case 3: Bool.random(using: &random) ? "true" : "12"
      case 4: "\"word\""
      default: "\(Int.random(in: -9...99, using: &random))"
      }
    }
    // Half of the arrays repeat one element.
    let same = Bool.random(using: &random) ? parts.first.map { _ in parts } : nil
    let list = (same ?? parts.map { _ in parts[0] }).joined(separator: separator)
    let (begin, end) =
      [
        ("[", "]"), ("[", "]"), (" [", "]"), ("[", "] "), ("[ ", " ]"), ("\u{feff}[", "]"),
        ("[", ""),
      ]
      .randomElement(using: &random) ?? ("[", "]")
    let bytes = Array("\(begin)\(list)\(end)".utf8)
    return Int.random(in: 0..<8, using: &random) == 0 ? Hostile.damaged(bytes, &random) : bytes
  }

  /// Returns a decimal number of up to 44 digits.
  private static func decimal(_ random: inout SeededGenerator) -> String {
    func digits(_ range: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: range, using: &random)).map { _ in
          "0123456789".randomElement(using: &random) ?? "0"
        })
    }
    let sign = Bool.random(using: &random) ? "-" : ""
    return "\(sign)\(Int.random(in: 0...9, using: &random))\(digits(0...3)).\(digits(0...40))"
  }

  private func checkReading<T: Decodable, Shown: Equatable>(
    _ type: T.Type, _ text: [UInt8], _ note: String, _ shown: (T) -> Shown
  ) throws {
    let statement = try db.prepare(sql: "SELECT CAST(? AS TEXT) AS a")
    let found = Result { try statement.bind(.bytes(text)).first([String: [T]].self)?["a"] }
    let expected = Result {
      // Text that is not UTF-8 is not read at all.
      guard let json = String(validating: text, as: UTF8.self) else { throw NotUTF8() }
      return try JSONDecoder().decode([T].self, from: Data(json.utf8))
    }
    guard case .success(let found) = found, case .success(let expected) = expected else {
      if case .failure = found, case .failure = expected { return }
      Issue.record("\(found) is not \(expected): \(note)")
      return
    }
    #expect(found?.map(shown) == expected.map(shown), "\(note)")
  }

  private struct NotUTF8: Error {}

  @Test func `random JSON arrays are read as Foundation reads them`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let text = Self.text(&random)
      let note = "seed \(seed), \(String(decoding: text, as: UTF8.self).debugDescription)"
      try checkReading(Int.self, text, note) { $0 }
      try checkReading(Int64.self, text, note) { $0 }
      try checkReading(Double.self, text, note, \.bitPattern)
      try checkReading(Bool.self, text, note) { $0 }
      // String equality ignores differences in normalization, so compare the bytes.
      try checkReading(String.self, text, note) { Array($0.utf8) }
    }
  }

  @Test func `each array element is read as Foundation reads it`() throws {
    for element in Self.elements {
      for text in ["[\(element)]", "[\(element),\(element)]", "[\(element)]x", "[\(element)"] {
        let bytes = Array(text.utf8)
        try checkReading(Int.self, bytes, text) { $0 }
        try checkReading(Int64.self, bytes, text) { $0 }
        try checkReading(Double.self, bytes, text, \.bitPattern)
        try checkReading(Bool.self, bytes, text) { $0 }
        try checkReading(String.self, bytes, text) { Array($0.utf8) }
      }
    }
  }

  private func checkWriting<T: Encodable>(_ array: [T], _ note: String) throws {
    for strategies in [CodingStrategies(), .grdb] {
      let encoder = JSONEncoder()
      if strategies.nested != .grdb { encoder.outputFormatting = .withoutEscapingSlashes }
      let expected = try? String(decoding: encoder.encode(array), as: UTF8.self)
      let statement = try db.prepare(sql: "SELECT :a")
      statement.codingStrategies = strategies
      let found = try? statement.bind(encoding: ["a": array]).first(.column(.string))
      #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(note), \(array)")
    }
  }

  @Test func `random arrays are written as Foundation writes them`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let characters = Array("ab\"\\/\u{0}\u{1}\u{8}\n\r\t\u{1f}\u{7f}\u{80}äé\u{2028}\u{feff}😀<&'")
    let doubles: [Double] = [
      0, -0.0, 1, 1e15, 1e16, -1e22, 0.1, .leastNonzeroMagnitude, 1e-5, .infinity, .nan,
      .greatestFiniteMagnitude,
    ]
    for _ in 0..<200 {
      let range = 0..<Int.random(in: 0...4, using: &random)
      let note = "seed \(seed)"
      try checkWriting(
        range.map { place in Int.random(in: .min ... .max, using: &random) >> (place * 16) }, note)
      try checkWriting(range.map { _ in Int64.random(in: .min ... .max, using: &random) }, note)
      try checkWriting(
        range.map { _ in
          Bool.random(using: &random)
            ? doubles.randomElement(using: &random) ?? 0
            : Double(bitPattern: random.next())
        }, note)
      try checkWriting(range.map { _ in Bool.random(using: &random) }, note)
      try checkWriting(
        range.map { _ in
          String(
            (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
              characters.randomElement(using: &random)
            })
        }, note)
    }
  }

  @Test func `an array of integers is stored as a property list if the strategy says so`() throws {
    let statement = try db.prepare(sql: "SELECT :a AS a")
    statement.codingStrategies.nested = .propertyList
    let numbers = ["a": [1, 2]]
    let bytes = try statement.bind(encoding: numbers).first(.column(.bytes))
    #expect(bytes?.starts(with: Array("bplist00".utf8)) == true)
    #expect(try statement.first([String: [Int]].self) == numbers)
  }
}
