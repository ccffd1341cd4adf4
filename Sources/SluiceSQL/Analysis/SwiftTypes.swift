import Sluice

/// The Swift types of columns and values.
struct SwiftTypes {
  enum Answer: Equatable {
    case type(TypeText)
    /// A column and its declared type, from which no Swift type follows.
    case undeclared(ColumnReference, String)
    /// No single type, because the values have different types.
    case mixed
    case unknown
  }

  let layout: DatabaseLayout
  let declarations: Declarations

  /// Returns the Swift type for the values of a column.
  func type(of column: ColumnReference) -> Answer {
    let key = "\(column.table).\(column.column)".lowercased()
    if let type = declarations.columns[key] { return .type(type) }
    // SQLite describes neither the columns of table-valued functions nor most columns of its own tables.
    guard let table = layout.table(column.table, in: column.database) else {
      return .type(TypeText("DatabaseValue"))
    }
    let info = table.columns.first { $0.name.lowercased() == column.column.lowercased() }
    guard let info else {
      // The only column that a table does not list is the rowid.
      return .type(TypeText("Int"))
    }
    if table.isFullText {
      return .type(TypeText(info.name == "rank" && info.kind == .hidden ? "Double" : "String"))
    }
    let declared = DeclaredType(info.declaredType)
    if let type = declarations.types[declared.name] { return .type(type) }
    if declared.name.isEmpty || declared.name == "ANY" { return .type(TypeText("DatabaseValue")) }
    if declared.isBoolean { return .type(TypeText("Bool")) }
    return Self.type(of: declared.kinds).map { .type($0) } ?? .undeclared(column, declared.name)
  }

  /// Returns the type for values with these storage classes; nil if there are several types.
  static func type(of kinds: AbstractValue.Kinds) -> TypeText? {
    switch kinds {
    case .integer: TypeText("Int")
    case .real, .number: TypeText("Double")
    case .text: TypeText("String")
    case .blob: TypeText("[UInt8]")
    default: nil
    }
  }

  /// Returns the common type of the columns.
  func type(of columns: Set<ColumnReference>) -> Answer {
    var common: Answer = .unknown
    for column in columns.sorted(by: { ($0.table, $0.column) < ($1.table, $1.column) }) {
      let answer = type(of: column)
      guard case .type = answer else { return answer }
      if common == .unknown { common = answer }
      guard common == answer else { return .mixed }
    }
    return common
  }

  /// Returns the type of a value, without considering NULL.
  func type(of value: AbstractValue) -> Answer {
    if !value.isComputed, !value.origins.isEmpty {
      let answer = type(of: value.origins)
      if answer != .mixed { return answer }
    }
    guard !value.expected.isEmpty else { return .unknown }
    return Self.type(of: value.expected).map { .type($0) } ?? .mixed
  }
}
