/// What a program tells of its results and its parameters, whatever the data is.
struct ProgramFacts: Sendable {
  /// What the columns of the result can be.
  var results: [AbstractValue]
  /// What the parameters are used for, by their index from 1 on.
  var parameters: [Int: ParameterUse] = [:]
}

/// What a parameter is compared with or stored in.
struct ParameterUse: Hashable, Sendable {
  var origins: Set<ColumnReference> = []
  /// What it is meant to be where there is no column.
  var kinds: AbstractValue.Kinds = []
  /// Whether it can be stored as NULL.
  var takesNull = false
}
