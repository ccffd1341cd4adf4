/// The known properties of a register's value, which are true for any data.
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
  /// The storage classes that a value other than NULL can have; the set may contain too many, but never too few.
  var possible: Kinds
  /// The storage classes that the value should have, from declared types and the usual results of functions.
  var expected: Kinds
  /// The columns from which the value may have been read unchanged.
  var origins: Set<ColumnReference> = []
  /// Whether the value may have another source, such as a computation.
  var isComputed = false
  /// The indexes, starting at 1, of the parameters that may have supplied this value.
  var parameters: Set<Int> = []
  /// The number that the value is known to be; tracked only where it determines a jump.
  var constant: Int?
  /// The values of the record, if the value is a record.
  var record: [AbstractValue]?
  /// The arguments of the aggregate, if the value is an aggregate.
  var aggregate: Accumulation?

  /// The arguments of an aggregate so far.
  struct Accumulation: Hashable, Sendable {
    /// Whether the first argument was certainly not NULL in at least one call.
    var hasValue: Bool
    /// The arguments; each describes the values of that argument in all calls.
    var values: [AbstractValue]
  }

  static let null = AbstractValue(mayBeNull: true, possible: [], expected: [])
  /// No value at all; joining it with another value yields that value.
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

  /// Whether the value is certainly NULL.
  var isOnlyNull: Bool { mayBeNull && possible.isEmpty }

  /// The same value without NULL.
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

  /// Takes over the type of the virtual column whose value the program has computed.
  mutating func take(typeOf column: AbstractValue) {
    mayBeNull = column.mayBeNull
    expected = column.expected
    origins = column.origins
    isComputed = false
    parameters = []
    constant = nil
  }

  /// Returns a value that describes every value that either of the two describes.
  func joined(_ other: AbstractValue) -> AbstractValue {
    var value = self
    value.join(other)
    return value
  }

  /// Generalizes this value, so that it describes every value that either of the two describes.
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

  /// Joins two records value by value; a value beyond the end of the shorter record may be anything.
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
