import CSluice

/// The parameters of a statement, with their names and a record of which ones have a value.
final class Parameters {
  let count: Int
  private var names: [String?]?
  /// The most recent request by name for each parameter, indexed by number; empty before the first request.
  @exclusivity(unchecked) private var guesses: [Guess] = []
  /// The parameter that was last found by name.
  @exclusivity(unchecked) private var latest = 0
  /// The parameter that the next lookup by name probably requests: the one that followed `latest` before.
  @exclusivity(unchecked) private var expected = 0
  /// A bit set of the parameters among the first 64 that have no value.
  private var unbound: UInt64 = 0
  /// The parameters beyond the first 64 that have no value.
  private var unboundBeyond: Set<Int> = []
  /// The parameters that can be bound to an object; nil until an object is first bound.
  private var objectPlaces: ObjectPlaces?

  init(of statement: OpaquePointer) {
    count = Int(unsafe sqlite3_bind_parameter_count(statement))
    clear()
  }

  /// Whether every parameter has a value.
  @inline(__always)
  var isComplete: Bool { unbound == 0 && (count <= 64 || unboundBeyond.isEmpty) }

  /// The number of the first parameter without a value, counted from one; nil if all have values.
  var firstUnbound: Int? {
    if unbound != 0 { return unbound.trailingZeroBitCount + 1 }
    return unboundBeyond.isEmpty ? nil : unboundBeyond.min()
  }

  @inline(__always)
  func markBound(_ index: Int) {
    guard index <= 64 else { return markBoundBeyond(index) }
    unbound &= ~(1 &<< UInt64(truncatingIfNeeded: index &- 1))
  }

  @inline(never)
  private func markBoundBeyond(_ index: Int) { unboundBeyond.remove(index) }

  func markUnbound(_ index: Int) {
    if index <= 64 { unbound |= 1 << UInt64(index - 1) } else { unboundBeyond.insert(index) }
  }

  /// Allows the statement to run with unbound parameters, which SQLite treats as NULL.
  func allowUnbound() {
    unbound = 0
    unboundBeyond = []
  }

  func clear() {
    unbound = count >= 64 ? .max : 1 << UInt64(count) - 1
    if count > 64 { unboundBeyond = Set(65...count) }
  }

  /// Returns the names in order, with their prefix; nil for a parameter without a name.
  func names(of statement: OpaquePointer?) -> [String?] {
    if let names { return names }
    guard let statement = unsafe statement else { return [] }
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      unsafe sqlite3_bind_parameter_name(statement, index + 1).map { unsafe String(cString: $0) }
    }
    names = read
    return read
  }

  /// Returns whether a parameter of `sql` is a function argument, and so can be bound to an object.
  func takesObject(_ index: Int, _ sql: String, _ statement: OpaquePointer) -> Bool {
    let places = unsafe objectPlaces ?? ObjectPlaces(in: sql, names: names(of: statement))
    objectPlaces = places
    return places.contains(index)
  }

  /// Returns the expected parameter if `name` has the same representation in memory as the string that last
  /// requested it; otherwise nil.
  @inline(__always)
  func guess(_ name: String) -> Int? {
    let index = unsafe expected
    guard unsafe index < guesses.count, unsafe guesses[index].isNamed(by: name) else { return nil }
    unsafe latest = index
    unsafe expected = guesses[index].next
    return index
  }

  /// Returns the parameter with this number, and how the name that last requested it matches.
  @inline(__always)
  func place(_ index: Int) -> ParameterPlace {
    ParameterPlace(
      index: index, isWhole: unsafe guesses[index].isWhole, isExact: unsafe guesses[index].isExact)
  }

  private static func isPrefix(_ byte: UInt8) -> Bool {
    [UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$")].contains(byte)
  }

  /// Records that `name` requested a parameter, and that this parameter followed the latest one.
  func note(_ name: String, _ index: Int) {
    if unsafe guesses.isEmpty { unsafe guesses = Array(repeating: Guess(), count: count + 1) }
    unsafe guesses[latest].next = index
    unsafe guesses[index].name = name
    unsafe guesses[index].isWhole = name.utf8.first.map(Self.isPrefix) ?? false
    unsafe guesses[index].isExact =
      names?[index - 1]?.utf8.suffix(name.utf8.count).elementsEqual(name.utf8) ?? false
    unsafe latest = index
    unsafe expected = guesses[index].next
  }

  /// Returns the numbers of the parameters that `name` refers to.
  ///
  /// The result contains the parameter with exactly this name or, if there is none, all parameters whose names
  /// match without their prefix. If there are none either, the case of ASCII letters is ignored.
  func indexes(named name: String, of statement: OpaquePointer?) -> [Int] {
    let names = unsafe names(of: statement)
    if let index = names.firstIndex(where: { $0?.isIdentical(to: name) == true }) {
      return [index + 1]
    }
    func indexes(where isMatch: (String.UTF8View) -> Bool) -> [Int] {
      names.indices.filter { index in
        guard let full = names[index]?.utf8, full.first != UInt8(ascii: "?") else { return false }
        return isMatch(full)
      }.map { $0 + 1 }
    }
    let exact = indexes { $0.dropFirst().elementsEqual(name.utf8) }
    if !exact.isEmpty { return exact }
    let whole = indexes { $0.isSameName(as: name.utf8) }
    return whole.isEmpty ? indexes { $0.dropFirst().isSameName(as: name.utf8) } : whole
  }
}

/// A parameter that was found by its name.
package struct ParameterPlace {
  /// The number of the parameter, counted from one.
  package let index: Int
  /// Whether the name includes the prefix, as in `:id`.
  package let isWhole: Bool
  /// Whether the name does not differ in case from that of the parameter.
  package let isExact: Bool
}

/// A set of parameter numbers, which start at one.
struct ParameterSet {
  /// A bit set of the members up to 64.
  private var first: UInt64 = 0
  private var others: Set<Int> = []

  /// Inserts a parameter, and returns whether it is new.
  mutating func insert(_ number: Int) -> Bool {
    guard number <= 64 else { return others.insert(number).inserted }
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: number &- 1)
    defer { first |= bit }
    return first & bit == 0
  }
}
