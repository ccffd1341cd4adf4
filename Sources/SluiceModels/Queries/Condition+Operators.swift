import Sluice

/// Both conditions.
public func && <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  // Side by side, any number of them go no deeper than one.
  if case .all(let conditions) = first.content { return .all(conditions + [second]) }
  return .all([first, second])
}

/// One of the conditions, or both.
public func || <M>(first: Condition<M>, second: Condition<M>) -> Condition<M> {
  if case .any(let conditions) = first.content { return .any(conditions + [second]) }
  return .any([first, second])
}

/// The opposite of a condition; a comparison with NULL has none.
public prefix func ! <M>(condition: Condition<M>) -> Condition<M> { Condition(.not(condition)) }

/// A property is this value, which is stored alike, or it is NULL and the value is nil.
public func == <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .is, value)
}

/// A property is not this value; if it can be nil, NULL is another value as well.
public func != <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .isNot, value)
}

/// A property is less than a value.
public func < <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .less, value)
}

/// A property is less than a value, or it is the value.
public func <= <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .lessOrEqual, value)
}

/// A property is greater than a value.
public func > <M: Model, Value: Encodable & Sendable>(
  property: KeyPath<M, Value>, value: Value
) -> Condition<M> {
  compare(property, .greater, value)
}

/// A property is greater than a value, or it is the value.
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
