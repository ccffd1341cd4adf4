/// Records of the ways in which parameters are used.
extension Interpreter {
  /// Records that two values are compared with each other.
  mutating func note(_ first: AbstractValue, comparedWith second: AbstractValue, orNull: Bool) {
    use(first.parameters, like: second, takesNull: orNull && second.mayBeNull)
    use(second.parameters, like: first, takesNull: orNull && first.mayBeNull)
  }

  /// Records that a value is stored in a column.
  mutating func note(_ value: AbstractValue, storedIn column: AbstractValue) {
    // A generated column may get its value from a parameter that is stored in another column. The type of the
    // generated column then implies nothing about the parameter.
    if !column.origins.isEmpty, column.origins.allSatisfy(\.isGenerated) { return }
    use(value.parameters, like: column, takesNull: column.mayBeNull)
  }

  /// Records that a value must have one of these storage classes.
  mutating func note(_ value: AbstractValue, is kinds: AbstractValue.Kinds) {
    for parameter in value.parameters {
      facts.parameters[parameter, default: ParameterUse()].kinds.formUnion(kinds)
    }
  }

  /// Records that a value probably has one of these storage classes, although others are possible.
  mutating func note(_ value: AbstractValue, hintsAt kinds: AbstractValue.Kinds) {
    for parameter in value.parameters {
      facts.parameters[parameter, default: ParameterUse()].hint.formUnion(kinds)
    }
  }

  /// Records that a value is added to or subtracted from a number, and probably has that number's storage class.
  mutating func note(_ value: AbstractValue, isAddedTo number: AbstractValue) {
    guard number.expected == .integer || number.expected == .real else { return }
    note(value, hintsAt: number.expected)
  }

  private mutating func use(_ parameters: Set<Int>, like value: AbstractValue, takesNull: Bool) {
    for parameter in parameters where !value.parameters.contains(parameter) {
      var use = facts.parameters[parameter] ?? ParameterUse()
      if !value.parameters.isEmpty {
        use.peers.formUnion(value.parameters)
        use.origins.formUnion(value.origins)
      } else if value.isComputed || value.origins.isEmpty {
        use.kinds.formUnion(value.expected)
      } else {
        use.origins.formUnion(value.origins)
        if takesNull { use.takesNull = true }
      }
      facts.parameters[parameter] = use
    }
  }
}
