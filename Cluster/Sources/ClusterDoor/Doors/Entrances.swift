/// The connections that have not sent a valid request yet, of which each address gets a fair part.
struct Entrances {
  private var bySource: [[UInt8]: [Entrance]] = [:]
  private(set) var count = 0

  mutating func insert(_ entrance: Entrance) {
    bySource[entrance.address.bytes, default: []].append(entrance)
    count += 1
  }

  mutating func remove(_ entrance: Entrance) {
    let source = entrance.address.bytes
    guard let index = bySource[source]?.firstIndex(where: { $0 === entrance }) else { return }
    bySource[source]?.remove(at: index)
    if bySource[source]?.isEmpty == true { bySource[source] = nil }
    count -= 1
  }

  /// The oldest connection of the address that has the most.
  var mostDispensable: Entrance? { bySource.values.max { $0.count < $1.count }?.first }
}
