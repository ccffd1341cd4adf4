public import Foundation
public import SluiceCore

extension SQLParameter {
  /// A UUID as its 36 characters in capitals.
  public static func uuidString(_ uuid: UUID) -> SQLParameter {
    SQLParameter(.text(uuid.uuidString))
  }

  /// A UUID as its 16 bytes.
  public static func uuidBytes(_ uuid: UUID) -> SQLParameter {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
    return SQLParameter(.blob([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]))
  }
}

extension ColumnValueConverter where Value == UUID {
  /// A UUID from its 36 characters, in capitals or not.
  public static var uuidString: Self {
    Self { row, index in
      let text = try row.get(.string, at: index)
      // Foundation takes a NUL for the end of the text.
      guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
        throw row.mismatch(at: index, "is not a UUID")
      }
      return uuid
    }
  }

  /// A UUID from its 16 bytes.
  public static var uuidBytes: Self {
    Self { row, index in
      guard let uuid = UUID(bytes: try row.get(.bytes, at: index)) else {
        throw row.mismatch(at: index, "is not the 16 bytes of a UUID")
      }
      return uuid
    }
  }
}

extension UUID {
  init?(bytes b: [UInt8]) {
    guard b.count == 16 else { return nil }
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}
