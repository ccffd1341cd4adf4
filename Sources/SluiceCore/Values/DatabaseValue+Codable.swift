/// A value is coded together with how it is stored, as in `{"real": 3}` or `{"blob": [0, 255]}`,
/// so that it comes back as it was.
extension DatabaseValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case integer
    case real
    case text
    case blob
    case null
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .real(let value): try container.encode(value, forKey: .real)
    case .text(let value): try container.encode(value, forKey: .text)
    case .blob(let value): try container.encode(value, forKey: .blob)
    case .null: try container.encodeNil(forKey: .null)
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Expected one key: integer, real, text, blob or null"))
    }
    self =
      switch key {
      case .integer: .integer(try container.decode(Int64.self, forKey: key))
      case .real: .real(try container.decode(Double.self, forKey: key))
      case .text: .text(try container.decode(String.self, forKey: key))
      case .blob: .blob(try container.decode([UInt8].self, forKey: key))
      case .null: .null
      }
  }
}
