/// A cache that remembers the last coded type, and whether the type uses a single column or parameter.
///
/// Consecutive values usually have the same type.
struct LatestType {
  private var id: ObjectIdentifier?
  private var isSingle = false

  @inline(__always)
  mutating func isSingle(_ type: Any.Type) -> Bool {
    if id == ObjectIdentifier(type) { return isSingle }
    return look(at: type)
  }

  @inline(never)
  private mutating func look(at type: Any.Type) -> Bool {
    id = ObjectIdentifier(type)
    isSingle = RowReader.reads(type)
    return isSingle
  }
}
