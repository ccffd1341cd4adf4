import SluiceCore

/// Arrays of values as JSON, which the leader reads with `json_each`.
enum JSONArray {
  /// Returns the values as a JSON array; throws ``ResultCode/mismatch`` for blobs and infinite numbers.
  static func text(of values: [DatabaseValue]) throws -> String {
    "[" + (try values.map(element).joined(separator: ",")) + "]"
  }

  private static func element(_ value: DatabaseValue) throws -> String {
    switch value {
    case .null: return "null"
    case .integer(let integer): return String(integer)
    case .real(let real):
      guard real.isFinite else { break }
      return "\(real)"
    case .text(let text): return quoted(text)
    case .blob: break
    }
    throw SQLiteError(
      .mismatch, "An array for a cluster can contain only integers, finite numbers, text and NULL")
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
