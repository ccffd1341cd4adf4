/// The known properties of the value of a register, whatever the data is.
struct AbstractValue: Hashable, Sendable {
  /// The storage classes that a value other than NULL can have.
  struct Kinds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let integer = Kinds(rawValue: 1)
    static let real = Kinds(rawValue: 2)
    static let text = Kinds(rawValue: 4)
    static let blob = Kinds(rawValue: 8)
    static let any: Kinds = [.integer, .real, .text, .blob]
    static let number: Kinds = [.integer, .real]
  }

  /// Whether it may be NULL.
  var mayBeNull: Bool
  /// The storage classes that it can have beside NULL, never too few.
  var possible: Kinds
  /// The storage classes that it should have, by the declared types of columns and the purpose of functions.
  var expected: Kinds
  /// The columns that it may come from unchanged.
  var origins: Set<ColumnReference> = []
  /// Whether it may come from elsewhere, as what is computed does.
  var isComputed = false
  /// The parameters that it may be, by their index from 1 on.
  var parameters: Set<Int> = []
  /// The number that it is, where the way of the program depends on it.
  var constant: Int?
  /// Its values, if it is a record.
  var record: [AbstractValue]?
  /// The values that went into it, if it is an aggregate.
  var aggregate: Accumulation?

  /// The arguments of an aggregate so far.
  struct Accumulation: Hashable, Sendable {
    /// Whether one of the first arguments was certainly not NULL.
    var hasValue: Bool
    /// All first arguments.
    var values: [AbstractValue]
  }

  static let null = AbstractValue(mayBeNull: true, possible: [], expected: [])
  /// Nothing, until something comes along.
  static let nothing = AbstractValue(mayBeNull: false, possible: [], expected: [])
  static let unknown = AbstractValue(
    mayBeNull: true, possible: .any, expected: [], isComputed: true)

  static func computed(
    _ expected: Kinds, mayBeNull: Bool, possible: Kinds? = nil
  ) -> AbstractValue {
    AbstractValue(
      mayBeNull: mayBeNull, possible: possible ?? expected, expected: expected, isComputed: true)
  }

  static let integer = computed(.integer, mayBeNull: false)

  /// Whether it is NULL and cannot be anything else.
  var isOnlyNull: Bool { mayBeNull && possible.isEmpty }

  /// The same, if it is not NULL.
  var refinedToValue: AbstractValue {
    var value = self
    value.mayBeNull = false
    return value
  }

  var orNull: AbstractValue {
    var value = self
    value.mayBeNull = true
    return value
  }

  /// Notes that it is the value of a column, whatever it was computed from.
  mutating func take(typeOf column: AbstractValue) {
    mayBeNull = column.mayBeNull
    expected = column.expected
    origins = column.origins
    isComputed = false
    parameters = []
    constant = nil
  }

  /// Returns the properties that both have.
  func joined(_ other: AbstractValue) -> AbstractValue {
    var value = self
    value.join(other)
    return value
  }

  /// Keeps what is true of both.
  mutating func join(_ other: AbstractValue) {
    if self == other || other == .nothing { return }
    if self == .nothing {
      self = other
      return
    }
    mayBeNull = mayBeNull || other.mayBeNull
    possible.formUnion(other.possible)
    expected.formUnion(other.expected)
    origins.formUnion(other.origins)
    isComputed = isComputed || other.isComputed
    parameters.formUnion(other.parameters)
    if constant != other.constant { constant = nil }
    record = record.flatMap { first in
      other.record.map { Self.joined(first, $0) }
    }
    aggregate = Self.joined(aggregate, other.aggregate)
  }

  /// Of records of which one is longer, what the other lacks may be anything.
  static func joined(_ first: [AbstractValue], _ second: [AbstractValue]) -> [AbstractValue] {
    var joined = first
    join(&joined, second)
    return joined
  }

  static func join(_ first: inout [AbstractValue], _ second: [AbstractValue]) {
    for index in 0..<max(first.count, second.count) {
      if index >= first.count {
        first.append(second[index].joined(.unknown))
      } else {
        first[index].join(index < second.count ? second[index] : .unknown)
      }
    }
  }

  private static func joined(_ first: Accumulation?, _ second: Accumulation?) -> Accumulation? {
    guard let first, let second else {
      return (first ?? second).map { Accumulation(hasValue: false, values: $0.values) }
    }
    return Accumulation(
      hasValue: first.hasValue && second.hasValue,
      values: joined(first.values, second.values))
  }
}
