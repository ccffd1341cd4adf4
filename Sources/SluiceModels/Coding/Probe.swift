import Foundation
import Sluice

/// A column that a type requested while an example was decoded.
struct ProbedColumn: Sendable {
  let key: String
  var isOptional: Bool
  /// The types that were decoded from the column.
  var types: [ObjectIdentifier]
}

/// A probe that decodes an example of a type from generated values, and records the keys that the type requests.
final class Probe {
  private let log: Log

  var columns: [ProbedColumn] { log.columns }

  /// Creates a probe that decodes the properties `groups` from columns of their own.
  init(groups: Set<String>, varying column: String? = nil) {
    log = Log(groups: groups, varied: column)
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try T(from: ProbeDecoder(log: log, seed: 0, codingPath: [], prefix: ""))
  }

  fileprivate final class Log {
    let groups: Set<String>
    let varied: String?
    var columns: [ProbedColumn] = []

    init(groups: Set<String>, varied: String?) {
      self.groups = groups
      self.varied = varied
    }

    func note<T>(_ key: String, _ type: T.Type, isOptional: Bool) {
      let types = [ObjectIdentifier(type), ObjectIdentifier(T?.self)]
      if let index = columns.firstIndex(where: { $0.key == key }) {
        columns[index].types = types
      } else {
        columns.append(ProbedColumn(key: key, isOptional: isOptional, types: types))
      }
    }

    func noteOptional(_ key: String) {
      guard !columns.contains(where: { $0.key == key }) else { return }
      columns.append(ProbedColumn(key: key, isOptional: true, types: []))
    }
  }
}

/// The decoder for an example.
///
/// The keys of the top level are columns. The value of a column can itself contain keys and elements.
private struct ProbeDecoder: Decoder {
  /// The log of the requested columns; nil while a value inside a column is decoded.
  let log: Probe.Log?
  let seed: Int
  let codingPath: [any CodingKey]
  /// The name of the nested value that contains the columns, with a period; empty for the value itself.
  let prefix: String
  /// Whether the nested value that contains the columns is optional.
  var isOptional = false
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ProbeKeys(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard log == nil else { throw refusal("It decodes a list instead of columns") }
    return ProbeList(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard log == nil else { throw refusal("It decodes a single value instead of columns") }
    return ProbeValue(decoder: self)
  }

  func inside(_ key: any CodingKey, seed: Int) -> ProbeDecoder {
    ProbeDecoder(log: nil, seed: seed, codingPath: codingPath + [key], prefix: "")
  }

  /// The numbers of coding keys above a value at which a type that contains itself comes to an end.
  ///
  /// Each way to contain itself ends at its own depth. Optionals end first, because the number of examples grows with each
  /// level of a tree. Dictionaries and arrays follow, which become empty. Any other type has no end, and is refused.
  enum Depth {
    static let ofOptionals = 4
    static let ofDictionaries = 8
    static let ofArrays = 8
    static let ofAll = 16
  }

  func refusal(_ reason: String) -> DecodingError {
    DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }

  /// Returns an example of a type.
  func example<T: Decodable>(_ type: T.Type) throws -> T {
    if let example = simpleExample(type) { return example }
    guard codingPath.count < Depth.ofAll else {
      throw refusal("\(type) contains itself indefinitely")
    }
    do {
      return try T(from: self)
    } catch {
      let reason = (error as? DecodingError)?.reason ?? "\(error)"
      throw refusal(
        "\(type) is neither CaseIterable nor ModelExamples, and no example of it can be decoded (\(reason))"
      )
    }
  }

  private func simpleExample<T>(_ type: T.Type) -> T? {
    let value: Any? =
      switch type {
      case let type as any ModelExamples.Type: example(of: type)
      case let type as any CaseIterable.Type: example(of: type)
      case is Bool.Type: seed != 0
      case let type as any FixedWidthInteger.Type: integer(type)
      case is Double.Type: Double(seed) + 0.5
      case is Float.Type: Float(seed) + 0.5
      case is String.Type: "\(seed)"
      case is Data.Type: Data([UInt8(truncatingIfNeeded: seed)])
      case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.5)
      case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(seed)))
      case is URL.Type: URL(string: "a:\(seed)")
      case is Decimal.Type: Decimal(seed)
      default: nil
      }
    // Casting a nil `Any?` to an optional type succeeds, but nil is not an example of the type.
    guard let value else { return nil }
    return value as? T
  }

  private func integer<T: FixedWidthInteger>(_ type: T.Type) -> T { T(truncatingIfNeeded: seed) }

  private func example<T: ModelExamples>(of type: T.Type) -> T {
    seed == 0 ? T.modelExamples.0 : T.modelExamples.1
  }

  private func example<T: CaseIterable>(of type: T.Type) -> T? {
    if seed == 0 { return T.allCases.first }
    // If the type has a single case, a column of that type has no second example. But a value nested inside a
    // column may be the same in both examples.
    return T.allCases.dropFirst().first ?? (codingPath.count > 1 ? T.allCases.first : nil)
  }
}

private struct ProbeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  /// The keys of a dictionary: none in the first example, otherwise one.
  var allKeys: [Key] {
    decoder.seed == 0 || decoder.codingPath.count >= ProbeDecoder.Depth.ofDictionaries
      ? [] : ["0"].compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool {
    if group(key) == nil { decoder.log?.noteOptional(decoder.prefix + key.stringValue) }
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if let group = group(key) { return try T(from: group) }
    return try decoder(for: key, type).example(type)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    if var group = group(key) {
      group.isOptional = true
      return try T(from: group)
    }
    decoder.log?.noteOptional(decoder.prefix + key.stringValue)
    guard decoder.codingPath.count < ProbeDecoder.Depth.ofOptionals else { return nil }
    // If the type has no example, nil is an example of the optional.
    let inner = try decoder(for: key, type)
    return try? inner.example(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    throw decoder.refusal("A class that decodes its superclass is not supported")
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }

  private func inner(_ key: Key) throws -> ProbeDecoder {
    guard decoder.log == nil else { throw decoder.refusal("A column is decoded piece by piece") }
    return decoder.inside(key, seed: decoder.seed)
  }

  private func decoder<T>(for key: Key, _ type: T.Type) throws -> ProbeDecoder {
    guard let log = decoder.log else { return decoder.inside(key, seed: decoder.seed) }
    let path = decoder.prefix + key.stringValue
    // A period separates the names of a struct and of its property.
    guard log.groups.isEmpty || !key.stringValue.contains(".") else {
      throw decoder.refusal(
        "The coding key \(key.stringValue) contains a period, beside a struct in several columns")
    }
    log.note(path, type, isOptional: decoder.isOptional)
    return decoder.inside(key, seed: log.varied == path ? 1 : 0)
  }

  /// Returns the decoder for a nested value that has columns of its own; nil for another property.
  private func group(_ key: Key) -> ProbeDecoder? {
    let path = decoder.prefix + key.stringValue
    guard let log = decoder.log, log.groups.contains(path) else { return nil }
    return ProbeDecoder(
      log: log, seed: 0, codingPath: decoder.codingPath + [key], prefix: "\(path).",
      isOptional: decoder.isOptional)
  }
}

private struct ProbeList: UnkeyedDecodingContainer {
  let decoder: ProbeDecoder
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  /// The number of elements.
  var count: Int? { decoder.codingPath.count < ProbeDecoder.Depth.ofArrays ? decoder.seed : 0 }
  var isAtEnd: Bool { currentIndex >= (count ?? 0) }

  func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().example(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { next() }

  private mutating func next() -> ProbeDecoder {
    defer { currentIndex += 1 }
    return decoder.inside(IndexKey(intValue: currentIndex), seed: decoder.seed)
  }
}

private struct ProbeValue: SingleValueDecodingContainer {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try decoder.inside(IndexKey(intValue: 0), seed: decoder.seed).example(type)
  }
}

private struct IndexKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }

  init(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { nil }
}
