/// Some of the parameters of a statement, by their numbers from one on.
struct ParameterSet {
  /// One bit for each of the first 64.
  private var first: UInt64 = 0
  private var others: Set<Int> = []

  /// Takes a parameter in, and returns whether it was not there before.
  mutating func insert(_ number: Int) -> Bool {
    guard number <= 64 else { return others.insert(number).inserted }
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: number &- 1)
    defer { first |= bit }
    return first & bit == 0
  }
}
