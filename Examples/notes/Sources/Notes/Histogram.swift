/// Durations, counted in buckets that are 12 percent wide, so that memory does not depend on their number.
package struct Histogram: Sendable {
  private var counts = [Int](repeating: 0, count: 320)
  package private(set) var count = 0
  package private(set) var maximum = Duration.zero

  package init() {}

  package mutating func record(_ duration: Duration) {
    counts[Self.bucket(of: duration)] += 1
    count += 1
    maximum = max(maximum, duration)
  }

  package mutating func add(_ other: Histogram) {
    for bucket in counts.indices { counts[bucket] += other.counts[bucket] }
    count += other.count
    maximum = max(maximum, other.maximum)
  }

  /// Returns a duration that this share of the durations does not exceed, such as 0.99 for the 99th percentile.
  package func quantile(_ share: Double) -> Duration {
    var rest = Int((Double(count) * share).rounded(.up))
    for (bucket, number) in counts.enumerated() {
      rest -= number
      if rest <= 0 { return min(Self.upperBound(of: bucket), maximum) }
    }
    return maximum
  }

  /// Each power of two of microseconds has eight buckets.
  private static func bucket(of duration: Duration) -> Int {
    let microseconds = max(0, Int(duration / .microseconds(1)))
    guard microseconds >= 8 else { return microseconds }
    let exponent = Int.bitWidth - 1 - microseconds.leadingZeroBitCount
    return min((exponent - 2) * 8 + (microseconds >> (exponent - 3)) & 7, 319)
  }

  private static func upperBound(of bucket: Int) -> Duration {
    guard bucket >= 8 else { return .microseconds(bucket + 1) }
    let exponent = bucket / 8 + 2
    return .microseconds((8 + bucket % 8 + 1) << (exponent - 3))
  }
}
