import Sluice

/// Returns a condition that is true if both conditions are true.
public func && <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  // In a flat list, any number of conditions adds only one level of nesting.
  if case .all(let conditions) = first.content { return .all(conditions + [second]) }
  return .all([first, second])
}

/// Returns a condition that is true if at least one of the conditions is true.
public func || <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  if case .any(let conditions) = first.content { return .any(conditions + [second]) }
  return .any([first, second])
}

/// Returns the negation of a condition; a comparison with NULL is not true, and neither is its negation.
public prefix func ! <M>(condition: Condition<M>) -> Condition<M> { Condition(.not(condition)) }

/// Tests whether the stored form of a property equals that of a value; nil equals NULL.
public func == <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .is, value)
}

/// Tests whether the stored form of a property differs from that of a value; nil equals NULL.
public func != <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .isNot, value)
}

/// Tests whether a property is less than a value.
public func < <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .less, value)
}

/// Tests whether a property is less than or equal to a value.
public func <= <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .lessOrEqual, value)
}

/// Tests whether a property is greater than a value.
public func > <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .greater, value)
}

/// Tests whether a property is greater than or equal to a value.
public func >= <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .greaterOrEqual, value)
}

private func compare<M: Model, Value: Encodable & Sendable>(
  _ property: KeyPath<M, Value>, _ comparison: Comparison, _ value: Value
) -> Condition<M> {
  .compare({ try $0.column(property) }, comparison, value)
}
