/// What a ``VirtualTable`` is made with: `CREATE VIRTUAL TABLE name USING module(arguments)`.
public struct VirtualTableArguments {
  /// The connection that makes it.
  ///
  /// A table that keeps it keeps it open, until ``Connection/close()``: use `unowned` instead.
  public let connection: Connection
  /// The name of the module.
  public let module: String
  /// The name of the database that the table is in, such as `main`.
  public let schema: String
  /// The name of the table.
  public let table: String
  /// What stands in parentheses, as it is written there: with quotes, and without the space around.
  public let values: [String]
  /// Whether the table is created now; it is also made when the database is opened later, and when the
  /// schema is read anew.
  ///
  /// An eponymous one is never created.
  public let isCreating: Bool

  /// The value of `name=value` among the arguments, without its quotes, or nil if there is none.
  ///
  /// The name is compared without regard to case.
  public func value(_ name: String) -> String? {
    for text in values {
      guard let (key, value) = Self.split(text) else { continue }
      if key.lowercased() == name.lowercased() { return Self.unquoted(value) }
    }
    return nil
  }

  /// The names in all arguments of the form `name=value`, in lower case, to look for misspelt ones.
  public var names: [String] { values.compactMap { Self.split($0)?.name.lowercased() } }

  /// Text without the quotes of SQL around it, and with each that is doubled inside as one.
  public static func unquoted(_ text: String) -> String {
    let scalars = Array(trimmed(text).unicodeScalars)
    let closings: [Unicode.Scalar: Unicode.Scalar] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]
    guard scalars.count >= 2, let closing = closings[scalars[0]], scalars.last == closing else {
      return trimmed(text)
    }
    var result = String.UnicodeScalarView()
    var index = 1
    while index < scalars.count - 1 {
      result.append(scalars[index])
      let isDoubled = scalars[index] == closing && scalars[index + 1] == closing
      index += isDoubled && index + 1 < scalars.count - 1 ? 2 : 1
    }
    return String(result)
  }

  private static func split(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.unicodeScalars.firstIndex(of: "=") else { return nil }
    let name = trimmed(String(text[..<sign]))
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, !name.isEmpty else { return nil }
    return (name, String(text[sign...].unicodeScalars.dropFirst()))
  }

  private static func trimmed(_ text: String) -> String {
    var rest = Substring(text)
    while let first = rest.utf8.first, isSpace(first) { rest = Substring(rest.utf8.dropFirst()) }
    while let last = rest.utf8.last, isSpace(last) { rest = Substring(rest.utf8.dropLast()) }
    return String(rest)
  }
}

@available(*, unavailable)
extension VirtualTableArguments: Sendable {}
