/// The state of a client's transaction, as the beginnings and the ends of its SQL tell.
///
/// The client library of Sluice begins a transaction that writes with `BEGIN IMMEDIATE`, and ends it with `COMMIT` at the end
/// of the SQL, or with `ROLLBACK`.
struct TransactionReader {
  /// Whether a transaction that writes is open.
  private(set) var isOpen = false
  /// The first bytes of the current SQL.
  private var beginning: [UInt8] = []
  /// Its last bytes.
  private var last: ArraySlice<UInt8> = []

  private static let room = "BEGIN IMMEDIATE".utf8.count

  /// Takes the next bytes of the SQL, of which `count` came before.
  mutating func take(_ bytes: UnsafeRawBufferPointer, from count: Int) {
    if count == 0 { (beginning, last) = ([], []) }
    let missing = Self.room - beginning.count
    if missing > 0 { unsafe beginning += bytes.prefix(missing) }
    unsafe last = (last + bytes.suffix(Self.room)).suffix(Self.room)
  }

  /// Ends the SQL.
  mutating func end() {
    if beginning.elementsEqual("BEGIN IMMEDIATE".utf8) {
      isOpen = true
    } else if last.suffix(6).elementsEqual("COMMIT".utf8) || last.elementsEqual("ROLLBACK".utf8) {
      isOpen = false
    }
    (beginning, last) = ([], [])
  }
}
