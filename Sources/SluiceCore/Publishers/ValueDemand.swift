/// How many values a subscriber wants.
///
/// What is asked for adds up, and each value that is delivered takes one off.
public struct ValueDemand: Hashable, Sendable {
  /// How many values; nil for any number.
  public var count: Int? { raw == .max ? nil : raw }

  /// No value for now.
  public static var none: ValueDemand { ValueDemand(raw: 0) }
  /// All values that there will ever be.
  public static var unlimited: ValueDemand { ValueDemand(raw: .max) }
  /// This many values; less than none is none.
  public static func max(_ count: Int) -> ValueDemand { ValueDemand(raw: Swift.max(0, count)) }

  /// Both together.
  public static func + (left: ValueDemand, right: ValueDemand) -> ValueDemand {
    let (sum, isTooMuch) = left.raw.addingReportingOverflow(right.raw)
    return isTooMuch ? .unlimited : ValueDemand(raw: sum)
  }

  /// Both together, in the place of the first.
  public static func += (left: inout ValueDemand, right: ValueDemand) { left = left + right }

  /// What is left when one value has been delivered.
  var afterOne: ValueDemand { raw == .max || raw == 0 ? self : ValueDemand(raw: raw - 1) }

  /// How many values are wanted, where any number is the highest.
  let raw: Int
}
