import SluiceCore

/// The columns whose values are the first parameters of a statement.
///
/// The converted name of a coding key is the name of the column.
package final class WrittenColumns: Sendable {
  /// The columns, in the order of their parameters.
  package let names: [String]
  /// All columns that a value may have: those of the statement, and after them those that it does not write.
  private let all: [String]
  private let rules: ColumnRules

  package init(_ names: [String], of table: [String], _ rules: ColumnRules) {
    self.names = names
    all = names + table.filter { !names.contains($0) }
    self.rules = rules
  }

  /// Returns `base` with the rules of these columns.
  func settings(_ base: CodingSettings) -> CodingSettings { rules.settings(base) }

  /// Returns the number of a column, which is the number of its parameter if the statement writes the column; 0 if there
  /// is no such column.
  func number(of column: String) -> Int {
    // Swift considers canonically equivalent strings equal, but SQLite does not.
    all.firstIndex { $0.utf8.elementsEqual(column.utf8) }.map { $0 + 1 } ?? 0
  }

  /// Returns whether the statement writes the column with this number.
  @inline(__always)
  func writes(_ number: Int) -> Bool { number <= names.count }

  /// Returns whether a value may have a column with this name.
  package func has(_ column: String) -> Bool { all.contains(column) }

  /// Returns the name of a property's column.
  func name(of property: String) -> String { rules.name(of: property) }
}

/// The columns of the properties of a value, found by the order in which the last value encoded them.
struct ColumnPlaces {
  let columns: WrittenColumns
  private var places: [(property: String, column: Int)] = []
  private var next = 0
  /// The first column of the current value that does not exist.
  private(set) var unknown: String?

  init(_ columns: WrittenColumns) { self.columns = columns }

  /// Begins with the first property of another value.
  mutating func begin() {
    next = 0
    unknown = nil
  }

  /// Returns the number of the next property's column; 0 if it has none.
  @inline(__always)
  mutating func column(of property: String) -> Int {
    let isExpected =
      next < places.count && StringIdentity(places[next].property) == StringIdentity(property)
    if !isExpected { look(for: property) }
    defer { next &+= 1 }
    return places[next].column
  }

  @inline(never)
  private mutating func look(for property: String) {
    let name = columns.name(of: property)
    let column = columns.number(of: name)
    // Values of one type can encode different properties, so the places that follow are dropped.
    places.removeSubrange(next...)
    // A column that does not exist is looked for again, so that each value with such a column throws.
    places.append((column == 0 ? "" : property, column))
    if column == 0, unknown == nil { unknown = name }
  }

  /// Returns another property of the current value with the same column as the last one.
  func otherOwner() -> String? {
    let (property, column) = places[next - 1]
    return places[..<(next - 1)].first {
      $0.column == column && !$0.property.utf8.elementsEqual(property.utf8)
    }?.property
  }
}
