import Foundation
import SluiceCore

/// Foundation's coders for nested values.
extension JSONDecoder {
  convenience init(_ settings: CodingSettings) {
    self.init()
    let dates = settings.strategies.dates
    userInfo = settings.userInfo
    guard settings.strategies.nested != .grdb else {
      dateDecodingStrategy = .millisecondsSince1970
      return
    }
    dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      // Try an integer first, and then a real. Any other value must be text, so the last attempt may throw.
      let stored: DatabaseValue =
        if let integer = try? container.decode(Int64.self) {
          .integer(integer)
        } else if let real = try? container.decode(Double.self) {
          .real(real)
        } else { .text(try container.decode(String.self)) }
      do { return try dates.decode(stored) } catch let refusal as Refusal {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "It \(refusal.reason)"))
      }
    }
  }
}

extension PropertyListDecoder {
  convenience init(_ settings: CodingSettings) {
    self.init()
    userInfo = settings.userInfo
  }
}

extension JSONEncoder {
  convenience init(_ settings: CodingSettings) {
    self.init()
    let dates = settings.strategies.dates
    userInfo = settings.userInfo
    guard settings.strategies.nested != .grdb else {
      outputFormatting = .sortedKeys
      dateEncodingStrategy = .millisecondsSince1970
      return
    }
    outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      let reason: String
      do {
        switch try dates.encode(date) {
        case .integer(let value): return try container.encode(value)
        case .real(let value): return try container.encode(value)
        case .text(let value): return try container.encode(value)
        case .null: return try container.encodeNil()
        case .blob: reason = "is a blob, which JSON cannot represent"
        }
      } catch let refusal as Refusal { reason = refusal.reason }
      // The error contains seconds instead of the date, because Foundation cannot print every date.
      throw EncodingError.invalidValue(
        date.timeIntervalSinceReferenceDate,
        .init(codingPath: encoder.codingPath, debugDescription: "It \(reason)"))
    }
  }
}

extension PropertyListEncoder {
  convenience init(_ settings: CodingSettings) {
    self.init()
    userInfo = settings.userInfo
    outputFormat = .binary
  }
}
