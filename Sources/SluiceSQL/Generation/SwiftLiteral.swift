/// Functions that write text as Swift literals.
enum SwiftLiteral {
  /// Returns a multiline literal whose lines after the first are indented by `indent`.
  static func block(_ text: String, indent: String) -> [String] {
    var marks = ""
    while needsMark(text, marks) { marks += "#" }
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      line in
      let escaped = line.map { escape($0, marks) }.joined()
      return escaped.isEmpty ? "" : indent + escaped
    }
    return ["\(marks)\"\"\""] + lines + ["\(indent)\"\"\"\(marks)"]
  }

  /// Returns a single-line literal.
  static func line(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      default: escape(scalar, "")
      }
    }
    return "\"\(escaped.joined())\""
  }

  /// Returns whether a part of the text would end the literal or form an escape sequence.
  private static func needsMark(_ text: String, _ marks: String) -> Bool {
    text.contains("\"\"\"\(marks)") || text.contains("\\\(marks)")
      || (marks.isEmpty && text.hasSuffix("\""))
  }

  /// Returns the character, escaped if an editor or the compiler could misinterpret it.
  private static func escape(_ scalar: Unicode.Scalar, _ marks: String) -> String {
    let isOdd =
      switch scalar.properties.generalCategory {
      case .control: scalar != "\t"
      case .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
      default: false
      }
    return isOdd
      ? "\\\(marks)u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
  }
}
