/// An operator that compares a column with a value.
///
/// Each case behaves like the SQL operator. With NULL on either side, only ``is`` and ``isNot`` can be true.
public enum Comparison: String, Hashable, Sendable, CaseIterable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `is` = "IS"
  case isNot = "IS NOT"
  /// A match with a pattern, in which `%` matches any text, and `_` matches any character.
  case like = "LIKE"
  case notLike = "NOT LIKE"

  /// Whether the comparison depends on the sort order of the values.
  var isOfOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual, .is, .isNot, .like, .notLike: false
    }
  }
}
