import Foundation
import Sluice

/// Example values of a model type, which reveal the column that stores each property.
///
/// Swift does not reveal the coding key of a property. But if two examples are decoded from rows that differ in
/// only one column, the examples differ only in the property that this column stores.
struct Examples<Value: Sendable>: Sendable {
  /// The strategy that converts coding keys into column names.
  private(set) var keys = KeyStrategy.asWritten
  /// The first example, whose stored values determine the types of the columns.
  private(set) var first: Value?
  private var probed: [ProbedColumn] = []
  /// For each probed column, an example that differs from the first only in that column; nil if there is none.
  private var others: [Value?] = []
  private var declared: [(property: any PartialKeyPath<Value> & Sendable, name: String)] = []
  private var encoded: [String] = []

  /// An empty instance, for a table that declares all of its columns.
  static var none: Examples { Examples() }

  mutating func declare(_ property: any PartialKeyPath<Value> & Sendable, as name: String) {
    declared.append((property, name))
  }

  func columns() throws -> [TableSchema<Value>.Column] {
    probed.map { column in
      TableSchema<Value>.Column(
        name: keys.name(of: column.key), property: column.key, isMapped: true,
        isNotNull: !column.isOptional)
    }
      + encoded.map { name in
        TableSchema<Value>.Column(name: name, property: name, isMapped: true, isNotNull: false)
      }
  }

  /// Returns the coding key of a column; its name if the key is unknown.
  func key(of column: String) -> String {
    probed.first { keys.name(of: $0.key) == column }?.key ?? column
  }

  /// Returns the name of the column that stores a property.
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

  /// Returns the name of the column that stores a property; throws if it is not one of these columns.
  func column(
    _ property: PartialKeyPath<Value>, in columns: Set<String>
  ) throws -> String {
    let name = try column(property)
    guard columns.contains(name) else {
      throw SQLiteError(.range, "\(Value.self) has no column named \"\(name)\"")
    }
    return name
  }

  /// Returns whether a column stores a `Decimal` as text, which SQLite does not sort in numeric order.
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
    // For a class, recognize a stored property by its name or offset in the key path's description. For a
    // computed property, the description contains neither, or a name that matches no stored property.
    let name = "\(property)"
    var mirror: Mirror? = Mirror(reflecting: example)
    while let known = mirror {
      if known.children.contains(where: { name.hasSuffix(".\($0.label ?? "")") }) { return true }
      mirror = known.superclassMirror
    }
    return name.contains(".<offset")
  }

  /// Returns the value of a property in a form that supports comparison.
  private func stored(_ property: PartialKeyPath<Value>, in example: Value) throws -> Data {
    guard let value = example[keyPath: property] as? any Encodable else { throw noColumn(property) }
    // A value that SQLite cannot store, such as a large raw value of an enumeration, still differs from others.
    if let value = value as? any SQLValue, let stored = try? value.databaseValue {
      return Data("\(stored)".utf8)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(value)
  }

  private func noColumn(_ property: PartialKeyPath<Value>) -> SQLiteError {
    // The description of a key path to a computed property may contain an address instead of a name.
    let path = "\(property)"
    guard !path.contains("<") else {
      return SQLiteError(
        .range,
        """
        \(Value.self) has no column for a property of the type \(type(of: property).valueType). Computed properties have no \
        columns. A property with observers or a wrapper must be declared: .column("name", \\.name, .text)
        """)
    }
    return SQLiteError(
      .range,
      """
      No column was found for \(path) of \(Value.self). A property with observers or a wrapper, one that is \
      decoded as another type, and one without two different examples must be declared: \
      .column("name", \\.name, .text)
      """)
  }
}

extension Examples where Value: Codable {
  /// Creates one example by decoding, and for each column another example that differs only in that column.
  static func decoding(_ keys: KeyStrategy) throws -> Examples {
    var examples = Examples()
    examples.keys = keys
    do {
      let probe = Probe()
      let first = try probe.decode(Value.self)
      examples.first = first
      examples.probed = probe.columns
      for column in probe.columns {
        let other = Probe(varying: column.key)
        // A missing example matters only if the name of this column is requested later.
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
        Without examples, list the columns: ModelTable(_:key:columns:)
        """)
    } catch let error as EncodingError {
      throw SQLiteError(.misuse, "No example of \(Value.self) can be encoded: \(error.reason)")
    }
  }
}
