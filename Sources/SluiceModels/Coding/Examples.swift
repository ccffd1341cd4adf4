import Foundation
import Sluice

/// Example values of a model type, which reveal the column that stores each property.
///
/// Swift does not reveal the coding key of a property. But if two examples are decoded from rows that differ in
/// only one column, the examples differ only in the property that this column stores.
struct Examples<Value: Sendable>: Sendable {
  /// The strategy that converts coding keys into column names.
  private var keys = KeyStrategy.asWritten
  /// The prefixes of the columns of nested values that have columns of their own, by coding key.
  private var groups: [String: String] = [:]
  /// The first example, whose stored values determine the types of the columns.
  private(set) var first: Value?
  private var probed: [ProbedColumn] = []
  /// For each probed column, an example that differs from the first only in that column; nil if there is none.
  private var others: [Value?] = []
  private var declared: [(property: any PartialKeyPath<Value> & Sendable, name: String)] = []
  private var encoded: [String] = []

  /// An empty instance, for a table that declares all of its columns.
  static var none: Examples { Examples() }

  /// Returns the rules for the columns.
  func rules(_ representations: [String: ColumnRepresentation] = [:]) -> ColumnRules {
    ColumnRules(keys: keys, groups: groups, representations: representations)
  }

  mutating func declare(_ property: any PartialKeyPath<Value> & Sendable, as name: String) {
    declared.append((property, name))
  }

  func columns() throws -> [TableSchema<Value>.Column] {
    let rules = rules()
    return probed.map { column in
      TableSchema<Value>.Column(
        name: rules.name(of: column.key), property: column.key, isMapped: true,
        isNotNull: !column.isOptional)
    }
      + encoded.map { name in
        TableSchema<Value>.Column(name: name, property: name, isMapped: true, isNotNull: false)
      }
  }

  /// Returns the coding key of a column; its name if the key is unknown.
  func key(of column: String) -> String {
    let rules = rules()
    return probed.first { rules.name(of: $0.key) == column }?.key ?? column
  }

  /// Returns the name of the column that stores a property.
  func column(_ property: PartialKeyPath<Value>) throws -> String {
    if let known = declared.first(where: { $0.property == property }) { return known.name }
    guard let first, isStored(property, in: first) else { throw noColumn(property) }
    let value = try stored(property, in: first)
    let type = ObjectIdentifier(type(of: property).valueType)
    for (column, other) in zip(probed, others) where column.types.contains(type) {
      if let other, try stored(property, in: other) != value { return rules().name(of: column.key) }
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
    let rules = rules()
    let known = probed.first { rules.name(of: $0.key) == column }
    return known?.types.contains(ObjectIdentifier(Decimal.self)) ?? false
  }

  private func isStored(_ property: PartialKeyPath<Value>, in example: Value) -> Bool {
    let name = "\(property)"
    // A property of an optional struct has no offset.
    if name.contains("?.") { return isStored(name.split(separator: "."), in: example) }
    guard Value.self is AnyObject.Type else {
      return MemoryLayout<Value>.offset(of: property) != nil
    }
    if isStored(name.split(separator: "."), in: example) { return true }
    // For a class, recognize a stored property by its name or offset in the key path's description. For a
    // computed property, the description contains neither, or a name that matches no stored property.
    var mirror: Mirror? = Mirror(reflecting: example)
    while let known = mirror {
      if known.children.contains(where: { name.hasSuffix(".\($0.label ?? "")") }) { return true }
      mirror = known.superclassMirror
    }
    return name.contains(".<offset")
  }

  /// Returns whether the last names of a key path are those of stored properties, each in the value of the one before.
  ///
  /// The names begin with that of the type, which can itself contain periods.
  private func isStored(_ names: [Substring], in example: Value) -> Bool {
    names.indices.dropFirst().contains { start in
      var value: Any? = example
      for name in names[start...] {
        guard let known = value else { return false }
        var mirror = Mirror(reflecting: known)
        if mirror.displayStyle == .optional, let some = mirror.children.first {
          mirror = Mirror(reflecting: some.value)
        }
        let label = name.hasSuffix("?") ? name.dropLast() : name
        let children = sequence(first: mirror, next: \.superclassMirror).flatMap(\.children)
        value = children.first { $0.label.map { $0 == label } ?? false }?.value
      }
      return value != nil
    }
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
  static func decoding(_ parts: [TablePart<Value>]) throws -> Examples {
    var examples = Examples()
    examples.keys = parts.keys()
    try examples.decode()
    // A struct inside of another one has a key path only after the outer one has its columns.
    var rest = parts.compactMap { part in
      if case .columns(let property, let prefix) = part.content { (property, prefix) } else { nil }
    }
    while !rest.isEmpty {
      let index = rest.firstIndex { (try? examples.column($0.0)) != nil } ?? 0
      let (property, prefix) = rest.remove(at: index)
      // The examples show which key the property has. With its columns, there are others.
      let column = try examples.column(property)
      let key = examples.key(of: column)
      examples.groups[key] = prefix ?? "\(column)_"
      try examples.decode()
      guard examples.probed.contains(where: { $0.key.hasPrefix("\(key).") }) else {
        throw SQLiteError(
          .misuse,
          "The property \"\(key)\" of \(Value.self) has no properties of its own, so it has no columns"
        )
      }
    }
    return examples
  }

  private mutating func decode() throws {
    let groups = Set(groups.keys)
    do {
      let probe = Probe(groups: groups)
      first = try probe.decode(Value.self)
      probed = probe.columns
      // A missing example matters only if the name of this column is requested later.
      others = probed.map { column in
        try? Probe(groups: groups, varying: column.key).decode(Value.self)
      }
      let (rules, strategies) = (rules(), rules().strategies(CodingStrategies()))
      let known = Set(probed.map { rules.name(of: $0.key) })
      encoded =
        try first.map { try StatementEncoder(strategies).parameters(for: $0) }?.keys
        .filter { !known.contains($0) }.sorted() ?? []
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
