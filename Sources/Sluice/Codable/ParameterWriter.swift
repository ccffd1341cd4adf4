import SluiceCore

/// A writer that binds the values of encoders to the parameters of a statement.
final class ParameterWriter {
  let settings: CodingSettings
  /// The statement to which the current value is bound; nil if there is none.
  @exclusivity(unchecked) private var statement: Statement?
  /// A bit mask of the first 64 parameters, with a 1 for each parameter that the current value has bound.
  @exclusivity(unchecked) private var bound: UInt64 = 0
  /// The parameters beyond the first 64 that the current value has bound.
  @exclusivity(unchecked) private var boundBeyond: Set<Int> = []
  /// The encoders of parameters whose values are complete only when the whole value is complete.
  @exclusivity(unchecked) private var open = OpenParts()
  /// The collected values; nil if values are bound to a statement.
  @exclusivity(unchecked) private var collected: CollectedParameters?
  /// The name of the nested value that is being encoded, with a period; empty for the value itself.
  @exclusivity(unchecked) private var prefix = ""
  private let names: StoredNames
  /// Whether parameters are found by the unconverted names of properties.
  private let findsByName: Bool
  /// The places of the columns that are written; nil if parameters are found by their names.
  @exclusivity(unchecked) private var places: ColumnPlaces?
  /// The parameters that the current value has bound by a name with a prefix, such as `:id`.
  @exclusivity(unchecked) private var prefixed: Set<Int> = []
  /// The property that was last bound to each parameter by a converted name.
  @exclusivity(unchecked) private var owners: [Int: String] = [:]
  private let values: ValueEncoding
  /// The conversions of the properties that have representations of their own.
  private let others: [String: ValueEncoding]

  init(_ settings: CodingSettings, columns: WrittenColumns? = nil) {
    self.settings = settings
    names = StoredNames(settings.strategies)
    findsByName = columns == nil && !names.areMade
    values = ValueEncoding(settings)
    others = settings.representations.mapValues(ValueEncoding.init)
    unsafe places = columns.map(ColumnPlaces.init)
  }

  /// Returns the conversions for a value that is bound to a parameter.
  @inline(__always)
  func values(of target: Target) -> ValueEncoding {
    others.isEmpty ? values : otherValues(of: target)
  }

  @inline(never)
  private func otherValues(of target: Target) -> ValueEncoding {
    guard case .property(let property) = target else { return values }
    return others[property] ?? values
  }

  /// Runs `body` while properties are those of a nested value.
  func inside(_ property: String, _ body: () throws -> Void) rethrows {
    let outer = unsafe prefix
    unsafe prefix = "\(property)."
    defer { unsafe prefix = outer }
    try body()
  }

  /// Returns the name of a property, with that of the nested value which contains it.
  @inline(__always)
  func property(_ key: String) -> String {
    unsafe prefix.isEmpty ? key : prefix + key
  }

  /// Returns whether a property is a nested value with columns of its own.
  @inline(__always)
  func isGroup(_ property: String) -> Bool {
    !settings.strategies.groups.isEmpty && settings.strategies.groups[property] != nil
  }

  /// The columns that are written; nil if parameters are found by their names.
  var columns: WrittenColumns? { unsafe places?.columns }

  /// The first column of the last value that does not exist.
  var unknownColumn: String? { unsafe places?.unknown }

  /// The parameter to which a value is bound.
  enum Target {
    case property(String)
    case number(Int)
  }

  var isActive: Bool { unsafe statement != nil }

  /// Collects the values that `body` encodes, instead of binding them to a statement.
  func collect(_ body: () throws -> Void) throws -> CollectedParameters {
    unsafe collected = CollectedParameters()
    defer {
      unsafe collected = nil
      unsafe open = OpenParts()
    }
    try body()
    try closeParts()
    return unsafe collected ?? CollectedParameters()
  }

  private func collect(_ parameter: SQLParameter, _ target: Target) throws {
    guard unsafe collected != nil else { throw Self.kept }
    try unsafe collected?.add(parameter, for: target) { names[$0] }
  }

  /// Calls `body`, which must bind all parameters of the statement; a column to which it binds no value becomes NULL.
  func write(to statement: Statement, _ body: () throws -> Void) throws {
    unsafe self.statement = statement
    unsafe bound = 0
    if unsafe !boundBeyond.isEmpty { unsafe boundBeyond = [] }
    if unsafe !prefixed.isEmpty { unsafe prefixed = [] }
    unsafe places?.begin()
    let count = unsafe places?.columns.names.count ?? statement.parameterCount
    defer {
      unsafe self.statement = nil
      if unsafe !open.all.isEmpty { unsafe open = OpenParts() }
    }
    do {
      // A value that encodes itself could otherwise run the statement with only some of its values, or bind others.
      try statement.reserved {
        try body()
        try closeParts()
        try checkAll(count, of: statement)
      }
    } catch {
      // A statement must not run with only a part of a value. If clearing fails, report the original error.
      try? statement.clearBindings()
      throw error
    }
  }

  func bind(_ parameter: SQLParameter, _ property: String) throws {
    guard let statement = unsafe statement else {
      return try collect(parameter, .property(property))
    }
    guard findsByName else { return try bindConverted(parameter, property, statement) }
    guard let place = try statement.place(ofParameter: property) else {
      return try leaveOut(property, statement)
    }
    try claim(place, by: property, statement)
    try statement.setReserved(parameter, at: place.index)
    mark(place.index)
  }

  /// Binds a property whose name is converted, to its column if columns are written.
  @inline(never)
  private func bindConverted(
    _ parameter: SQLParameter, _ property: String, _ statement: Statement
  ) throws {
    if let columns {
      let column = unsafe places?.column(of: property) ?? 0
      guard column > 0 else { return }
      if isMarked(column) { try refuseTwin(of: property) }
      if columns.writes(column) { try statement.setReserved(parameter, at: column) }
      return mark(column)
    }
    guard let index = try converted(property, statement) else {
      return try leaveOut(property, statement)
    }
    try claim(index, for: property, statement)
    try statement.setReserved(parameter, at: index)
    mark(index)
  }

  func bind(_ parameter: SQLParameter, _ target: Target) throws {
    switch target {
    case .property(let property): try bind(parameter, property)
    case .number(let index):
      guard let statement = unsafe statement else { return try collect(parameter, target) }
      guard unsafe places == nil else {
        throw SQLiteError(.range, "The value has no properties")
      }
      try statement.setReserved(parameter, at: index)
      mark(index)
    }
  }

  /// Returns the encoder of a parameter whose value is complete only when the whole value is complete.
  ///
  /// If the property already has such an encoder, this method returns that encoder.
  func part(_ target: Target, _ key: ColumnKey) -> ColumnEncoding {
    unsafe open.part(target) { ColumnEncoding(writer: self, values(of: target), target, key) }
  }

  private func closeParts() throws {
    guard unsafe !open.all.isEmpty else { return }
    let parts = unsafe open.all
    for part in parts { try part.closePart() }
  }

  /// Returns whether the current value has already bound something to the target.
  func hasBound(_ target: Target) throws -> Bool {
    guard let statement = unsafe statement else {
      return unsafe collected?.has(target) { names[$0] } ?? false
    }
    switch target {
    case .number(let index): return isMarked(index)
    case .property(let property):
      if let columns {
        let column = columns.number(of: columns.name(of: property))
        return column > 0 && isMarked(column)
      }
      let index =
        names.areMade
        ? try converted(property, statement) : try statement.parameter(named: property)
      return index.map(isMarked) ?? false
    }
  }

  /// Throws if another property of the current value was bound to the same column.
  private func refuseTwin(of property: String) throws {
    guard let places = unsafe places, let other = places.otherOwner() else { return }
    throw SQLiteError.twins(other, property, places.columns.name(of: property))
  }

  private func converted(_ property: String, _ statement: Statement) throws -> Int? {
    let converted = names[property]
    return try statement.parameter(named: converted) ?? statement.parameter(named: property)
  }

  /// Throws if another property of the current value was bound to the same parameter.
  private func claim(_ index: Int, for property: String, _ statement: Statement) throws {
    let owner = unsafe owners.updateValue(property, forKey: index)
    guard isMarked(index) else { return }
    let name = Self.name(of: index, statement).map { String($0.dropFirst()) } ?? names[property]
    // A property with exactly the parameter's name may have no owner.
    let other = owner ?? name
    guard !other.utf8.elementsEqual(property.utf8) else { return }
    throw SQLiteError.twins(other, property, name)
  }

  /// Throws if the current value binds a parameter both with and without its prefix, or by names that differ in case.
  @inline(__always)
  private func claim(
    _ place: ParameterPlace, by property: String, _ statement: Statement
  ) throws {
    let (index, isWhole) = (place.index, place.isWhole)
    if unsafe !place.isExact || !owners.isEmpty { try claim(index, for: property, statement) }
    let isMarked = isMarked(index)
    guard isWhole || isMarked else { return }
    if isMarked, unsafe prefixed.contains(index) != isWhole {
      let name = Self.name(of: index, statement) ?? property
      let bare = String(name.dropFirst())
      throw SQLiteError.twins(isWhole ? bare : name, property, bare)
    }
    if isWhole { unsafe prefixed.insert(index) }
  }

  /// Returns the name of a parameter with its prefix; nil if the statement's connection is closed.
  private static func name(of index: Int, _ statement: Statement) -> String? {
    let names = statement.parameterNames
    return names.isEmpty ? nil : names[index - 1]
  }

  private func leaveOut(_ property: String, _ statement: Statement) throws {
    guard settings.strategies.propertiesWithoutParameter == .refused else { return }
    throw SQLiteError(
      .range,
      "The SQL has no parameter for the property \"\(property)\": add one, or set"
        + " propertiesWithoutParameter to .leftOut", sql: statement.sql)
  }

  @inline(__always)
  private func mark(_ index: Int) {
    if index <= 64 {
      unsafe bound |= 1 &<< UInt64(truncatingIfNeeded: index &- 1)
    } else {
      unsafe boundBeyond.insert(index)
    }
  }

  @inline(__always)
  private func isMarked(_ index: Int) -> Bool {
    index <= 64
      ? unsafe bound & 1 &<< UInt64(truncatingIfNeeded: index &- 1) != 0
      : unsafe boundBeyond.contains(index)
  }

  private func checkAll(_ count: Int, of statement: Statement) throws {
    let all: UInt64 = count >= 64 ? .max : 1 << UInt64(count) - 1
    if unsafe bound == all, unsafe boundBeyond.count == max(0, count - 64) { return }
    if unsafe places != nil {
      for index in 0..<count where !isMarked(index + 1) {
        try statement.setReserved(.null, at: index + 1)
      }
      return
    }
    guard settings.strategies.parametersWithoutProperty == .refused else { return }
    let index = (1...count).first { !isMarked($0) } ?? count
    let name = Self.name(of: index, statement).map { " (\($0))" } ?? ""
    throw SQLiteError(
      .range, "Parameter \(index)\(name) has no property", sql: statement.sql)
  }

  private static var kept: SQLiteError {
    SQLiteError(.misuse, "The encoder was used after the value was encoded; do not keep it")
  }
}
