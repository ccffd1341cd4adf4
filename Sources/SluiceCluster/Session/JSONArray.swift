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

  /// Returns the values as a JSON array; throws ``ResultCode/mismatch`` for blobs.
  private static func text(of values: [DatabaseValue]) throws -> String {
    var json: [UInt8] = []
    for value in values {
      json.append(UInt8(ascii: json.isEmpty ? "[" : ","))
      try append(value, to: &json)
    }
    return String(decoding: values.isEmpty ? Array("[]".utf8) : json + "]".utf8, as: UTF8.self)
  }

  private static func append(_ value: DatabaseValue, to json: inout [UInt8]) throws {
    switch value {
    case .null: json += "null".utf8
    case .integer(let integer): json += "\(integer)".utf8
    case .real(let real): json += real.jsonText.utf8
    case .text(let text): json.append(jsonString: text)
    case .blob:
      throw SQLiteError(
        .mismatch, "An array for a cluster can contain only numbers, text and NULL, but no blobs")
    }
  }
}
