package import SluiceCore

/// Values of many parameters in a blob, which is one argument of a virtual table.
///
/// SQLite compares an argument after the 16th with the column of each row, unlike the ones before, so a row would have to
/// equal its arguments.
package enum ParameterPack {
  /// The number of values in a pack: SQLite passes at most 100 arguments to a function.
  static let size = 64

  /// Adds the local function `sluice_pack`, which returns its arguments as one blob.
  package static func addFunction(to connection: Connection) throws {
    try connection.addFunction("sluice_pack", arity: -1, options: .deterministic) { arguments in
      var bytes: [UInt8] = []
      for index in 0..<arguments.count { append(try arguments[index], to: &bytes) }
      return .blob(bytes)
    }
  }

  /// Returns the SQL of packs that contain these expressions.
  static func calls(_ values: [String]) -> [String] {
    stride(from: 0, to: values.count, by: size).map { start in
      "sluice_pack(\(values[start..<min(start + size, values.count)].joined(separator: ", ")))"
    }
  }

  private static func append(_ value: DatabaseValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(0)
    case .integer(let integer): append(1, UInt64(bitPattern: integer), [], to: &bytes)
    case .real(let real): append(2, real.bitPattern, [], to: &bytes)
    case .text(let text): append(3, UInt64(text.utf8.count), Array(text.utf8), to: &bytes)
    case .blob(let blob): append(4, UInt64(blob.count), blob, to: &bytes)
    }
  }

  private static func append(
    _ type: UInt8, _ word: UInt64, _ content: [UInt8], to bytes: inout [UInt8]
  ) {
    bytes.append(type)
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
    bytes += content
  }

  /// Returns the values in a pack.
  static func values(in pack: [UInt8]) -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    var rest = pack[...]
    while let type = rest.popFirst() {
      guard type != 0 else {
        values.append(.null)
        continue
      }
      let word = rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      switch type {
      case 1: values.append(.integer(Int64(bitPattern: word)))
      case 2: values.append(.real(Double(bitPattern: word)))
      default:
        let content = rest.prefix(Int(word))
        rest = rest.dropFirst(Int(word))
        values.append(
          type == 3 ? .text(String(decoding: content, as: UTF8.self)) : .blob(Array(content)))
      }
    }
    return values
  }
}
