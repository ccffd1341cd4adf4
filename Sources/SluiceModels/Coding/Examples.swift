import Foundation
import Sluice

/// Examples of a model, by which a property is known to be a column.
///
/// Nothing in Swift tells under which coding key a property is stored. But in two examples that were
/// decoded alike but for one column, the only property that differs is that of the column.
struct Examples<Value: Sendable>: Sendable {
  /// The strategy that converts coding keys into names of columns.
  private(set) var keys = KeyStrategy.asWritten
  /// The first example, whose columns tell what type of value they store.
  private(set) var first: Value?
  private var probed: [ProbedColumn] = []
  /// One for each column; nil if it takes only one example.
  private var others: [Value?] = []
  private var declared: [(property: any PartialKeyPath<Value> & Sendable, name: String)] = []
  private var encoded: [String] = []

  /// No examples, as all columns are going to be declared.
  static var none: Examples { Examples() }

  mutating func declare(_ property: any PartialKeyPath<Value> & Sendable, as name: String) {
    declared.append((property, name))
  }

  func columns() throws -> [TableSchema<Value>.Column] {
    probed.map { column in
      TableSchema<Value>.Column(
        name: keys.name(of: column.key), isMapped: true, isNotNull: !column.isOptional)
    }
      + encoded.map { name in
        TableSchema<Value>.Column(name: name, isMapped: true, isNotNull: false)
      }
  }

  /// The column that holds a property.
  func column(_ property: PartialKeyPath<Value>) throws -> String {
    if let known = declared.first(where: { $0.property == property }) { return known.name }
    guard let first, isStored(property, in: first) else { throw noColumn(property) }
    let value = try stored(property, in: first)
    let type = ObjectIdentifier(type(of: property).valueType)
    for (column, other) in zip(probed, others) where column.types.contains(type) {
      if let other, try stored(property, in: other) != value { return keys.name(of: column.key) }
    }
    throw noColumn(property)
  }

  /// Whether the property of a column is a number that is stored as text, which has another order.
  func isDecimal(_ column: String) -> Bool {
    if let known = declared.first(where: { $0.name == column }) {
      let type = type(of: known.property).valueType
      return type == Decimal.self || type == Decimal?.self
    }
    let known = probed.first { keys.name(of: $0.key) == column }
    return known?.types.contains(ObjectIdentifier(Decimal.self)) ?? false
  }

  private func isStored(_ property: PartialKeyPath<Value>, in example: Value) -> Bool {
    guard Value.self is AnyObject.Type else {
      return MemoryLayout<Value>.offset(of: property) != nil
    }
    // Of a class, nothing but the name tells: what is computed has none, or one that is not stored.
    let name = "\(property)"
    var mirror: Mirror? = Mirror(reflecting: example)
    while let known = mirror {
      if known.children.contains(where: { name.hasSuffix(".\($0.label ?? "")") }) { return true }
      mirror = known.superclassMirror
    }
    return name.contains(".<offset")
  }

  /// The value of a property in a form in which it can be compared.
  private func stored(_ property: PartialKeyPath<Value>, in example: Value) throws -> Data {
    guard let value = example[keyPath: property] as? any Encodable else { throw noColumn(property) }
    if let value = value as? any SQLValue { return Data("\(try value.databaseValue)".utf8) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(value)
  }

  private func noColumn(_ property: PartialKeyPath<Value>) -> SQLiteError {
    // What Swift tells of a computed property is an address.
    let path = "\(property)"
    let shown =
      path.contains("<") ? "What is computed (\(type(of: property).valueType))" : path
    return SQLiteError(
      .range,
      """
      \(shown) is not a property of \(Value.self) that has a column. One with observers or a wrapper, \
      one that is decoded as another type, and one that takes no two examples are named: \
      .column("name", \\.name, .text)
      """)
  }
}

extension Examples where Value: Codable {
  /// Decodes one example, and for each column another one that differs in it.
  static func decoding(_ keys: KeyStrategy) throws -> Examples {
    var examples = Examples()
    examples.keys = keys
    do {
      var probe = Probe()
      let first = try probe.decode(Value.self)
      examples.first = first
      examples.probed = probe.columns
      for column in probe.columns {
        var other = Probe(varying: column.key)
        // A missing example matters only to a question for the column of its property.
        examples.others.append(try? other.decode(Value.self))
      }
      let known = Set(examples.probed.map { keys.name(of: $0.key) })
      examples.encoded = try StatementEncoder(CodingStrategies(keys: keys))
        .parameters(for: first).keys.filter { !known.contains($0) }.sorted()
      return examples
    } catch let error as DecodingError {
      throw SQLiteError(
        .misuse,
        """
        No example of \(Value.self) can be decoded: \(error.reason). \
        Without examples, its columns are listed: ModelTable(_:key:columns:)
        """)
    } catch let error as EncodingError {
      throw SQLiteError(.misuse, "No example of \(Value.self) can be encoded: \(error.reason)")
    }
  }
}
