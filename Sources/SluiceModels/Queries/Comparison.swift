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
}
