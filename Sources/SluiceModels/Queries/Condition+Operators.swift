import Sluice

/// Combines two conditions, both of which rows must meet.
public func && <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  // A flat list of any number of conditions has a depth of only one.
  if case .all(let conditions) = first.content { return .all(conditions + [second]) }
  return .all([first, second])
}

/// Combines two conditions, at least one of which rows must meet.
public func || <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  if case .any(let conditions) = first.content { return .any(conditions + [second]) }
  return .any([first, second])
}

/// Negates a condition; the negation of a comparison with NULL is not true either.
public prefix func ! <M>(condition: Condition<M>) -> Condition<M> { Condition(.not(condition)) }

/// Tests whether a property equals a value as it is stored, or is NULL if the value is nil.
public func == <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .is, value)
}

/// Tests whether a property differs from a value; NULL counts as a value of an optional property.
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
