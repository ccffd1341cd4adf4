/// The known properties of the value of a register, which hold for all data.
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

  /// Whether the value may be NULL.
  var mayBeNull: Bool
  /// The storage classes that the value can have besides NULL, never too few.
  var possible: Kinds
  /// The storage classes that the value should have, by declared column types and the purpose of functions.
  var expected: Kinds
  /// The columns that the value may come from unchanged.
  var origins: Set<ColumnReference> = []
  /// Whether the value may come from elsewhere, such as a computation.
  var isComputed = false
  /// The parameters that the value may be, by index starting at 1.
  var parameters: Set<Int> = []
  /// The number that the value is, where the path of the program depends on it.
  var constant: Int?
  /// The values of the record, if the value is a record.
  var record: [AbstractValue]?
  /// The arguments of the aggregate, if the value is an aggregate.
  var aggregate: Accumulation?

  /// The arguments of an aggregate so far.
  struct Accumulation: Hashable, Sendable {
    /// Whether at least one first argument was certainly not NULL.
    var hasValue: Bool
    /// The arguments, each joined over all calls.
    var values: [AbstractValue]
  }

  static let null = AbstractValue(mayBeNull: true, possible: [], expected: [])
  /// The absence of a value; joining another value results in that value.
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

  /// Whether the value can only be NULL.
  var isOnlyNull: Bool { mayBeNull && possible.isEmpty }

  /// The same value, known not to be NULL.
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

  /// Notes that this is the value of a column, regardless of how it was computed.
  mutating func take(typeOf column: AbstractValue) {
    mayBeNull = column.mayBeNull
    expected = column.expected
    origins = column.origins
    isComputed = false
    parameters = []
    constant = nil
  }

  /// Returns the properties that hold for both values.
  func joined(_ other: AbstractValue) -> AbstractValue {
    var value = self
    value.join(other)
    return value
  }

  /// Keeps the properties that hold for both values.
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

  /// Joins two records; a value that the shorter record lacks may be anything.
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
