import SluiceCore

/// Arrays of values as JSON, which the leader reads with `json_each`.
enum JSONArray {
  /// Adds the local function `sluice_json`, which turns the parameter of `array` into the JSON that is sent.
  static func addFunction(to connection: Connection) throws {
    try connection.addFunction("sluice_json", arity: 1, options: .deterministic) { arguments in
      guard try arguments.storageClass(at: 0) == .null else { return try arguments[0] }
      return .text(try text(of: arguments.object([DatabaseValue].self, at: 0)))
    }
  }

  /// Returns the values as a JSON array; throws ``ResultCode/mismatch`` for blobs and infinite numbers.
  private static func text(of values: [DatabaseValue]) throws -> String {
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
