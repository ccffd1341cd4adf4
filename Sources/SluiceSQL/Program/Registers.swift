/// The known values of all registers at one point of a program.
struct Registers: Sendable {
  /// A value that several points share, because most instructions change at most one register.
  private final class Shared: Sendable {
    let value: AbstractValue

    init(_ value: AbstractValue) { self.value = value }

    static let null = Shared(.null)
  }

  private var values: [Shared] = []

  /// The value of a register; NULL at the beginning.
  subscript(register: Int) -> AbstractValue {
    get { values.indices.contains(register) ? values[register].value : .null }
    set {
      // Ignore a register outside the range that programs use. A read from such a register yields NULL.
      guard (0..<65_536).contains(register) else { return }
      if register >= values.count {
        values += Array(repeating: .null, count: register + 1 - values.count)
      }
      values[register] = Shared(newValue)
    }
  }

  func values(from first: Int, count: Int) -> [AbstractValue] {
    (0..<max(count, 0)).map { self[first + $0] }
  }

  /// Generalizes these values, so that they also describe those of `other`; returns whether any value changed.
  mutating func join(_ other: Registers) -> Bool {
    var isLess = false
    for register in 0..<max(values.count, other.values.count) {
      let known = register < values.count ? values[register] : .null
      let added = register < other.values.count ? other.values[register] : .null
      guard known !== added, known.value != added.value else { continue }
      let value = known.value.joined(added.value)
      guard value != known.value else { continue }
      self[register] = value
      isLess = true
    }
    return isLess
  }

  /// Records that SQLite may convert values to the affinities of columns.
  ///
  /// `affinities` has one letter for each column; if it is nil, any conversion is possible.
  mutating func convert(from first: Int, count: Int, affinities: String?) {
    let letters = affinities.map { Array($0.utf8) }
    for index in 0..<max(count, 0) where !self[first + index].possible.isEmpty {
      if let letters {
        guard index < letters.count, letters[index] != UInt8(ascii: "@") else { continue }
        // The affinities A, C and D do not change integers.
        let keepsIntegers = "ACD".utf8.contains(letters[index])
        if keepsIntegers, self[first + index].possible == .integer { continue }
      }
      self[first + index].possible = .any
    }
  }
}
