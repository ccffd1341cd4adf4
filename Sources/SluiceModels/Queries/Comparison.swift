/// How a column compares with a value.
///
/// It does what the operator does in SQL: with NULL on either side only ``is`` and ``isNot`` are ever
/// true.
public enum Comparison: String, Hashable, Sendable, CaseIterable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `is` = "IS"
  case isNot = "IS NOT"
  /// By a pattern, in which `%` is any text, and `_` is any character.
  case like = "LIKE"
  case notLike = "NOT LIKE"

  /// Whether it asks which value comes first.
  var isOfOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual, .is, .isNot, .like, .notLike: false
    }
  }
}
