/// The vertical positions of the items of all layers.
struct DiagramRows {
  /// The top of each item: the top of a box, or the line in a lane.
  private(set) var top: [DiagramItem: Int] = [:]

  /// The end of a line at an item, relative to its top.
  private struct End {
    let item: DiagramItem
    let offset: Int
  }

  init(_ order: DiagramOrder, _ nets: [DiagramNet], _ height: (Int) -> Int) {
    var pairs: [DiagramItem: [(offset: Int, other: End)]] = [:]
    for (index, net) in nets.enumerated() {
      for gap in order.layers.indices {
        var (left, right): ([End], [End]) = ([], [])
        net.forEachEnd(in: gap, order.layer, index) { item, row, isLeft in
          let end = End(item: item, offset: Self.offset(item, row))
          if isLeft { left.append(end) } else { right.append(end) }
        }
        for first in left {
          for second in right {
            pairs[first.item, default: []].append((first.offset, second))
            pairs[second.item, default: []].append((second.offset, first))
          }
        }
      }
    }
    let slots = order.layers.map { $0.map { Self.slot($0, height) } }
    for (items, slots) in zip(order.layers, slots) {
      var y = 0
      for (item, slot) in zip(items, slots) {
        top[item] = y
        y += slot
      }
    }
    for sweep in 0..<12 {
      let indexes = Array(order.layers.indices)
      for index in sweep.isMultiple(of: 2) ? indexes : indexes.reversed() {
        let items = order.layers[index]
        let wishes = items.map { item in
          let own = top[item] ?? 0
          guard let found = pairs[item] else { return Double(own) }
          let sum = found.reduce(0) { $0 + (top[$1.other.item] ?? 0) + $1.other.offset - $1.offset }
          return Double(sum) / Double(found.count)
        }
        for (item, y) in zip(items, Self.spread(wishes, slots[index])) {
          top[item] = Int(y.rounded())
        }
      }
    }
    snap(order, slots)
  }

  /// The distance from the top of an item to the center of a row, or of the title.
  static func offset(_ item: DiagramItem, _ row: Int?) -> Int {
    guard case .table = item else { return DiagramLayout.row / 2 }
    return row.map { DiagramLayout.head + $0 * DiagramLayout.row + DiagramLayout.row / 2 }
      ?? DiagramLayout.row / 2
  }

  private static func slot(_ item: DiagramItem, _ height: (Int) -> Int) -> Int {
    guard case .table(let table) = item else { return DiagramLayout.row }
    // Slots are multiples of the height of a row, so that rows of different layers can have the same height.
    return (height(table) + 28 + DiagramLayout.row - 1) / DiagramLayout.row * DiagramLayout.row
  }

  /// Returns the positions that are closest to the wishes, in order and without overlaps.
  ///
  /// Items whose wishes conflict form a block, which takes their mean wish.
  private static func spread(_ wishes: [Double], _ slots: [Int]) -> [Double] {
    var blocks: [(sum: Double, count: Int)] = []
    var offsets: [Double] = []
    var offset = 0.0
    for (wish, slot) in zip(wishes, slots) {
      offsets.append(offset)
      blocks.append((wish - offset, 1))
      offset += Double(slot)
      while blocks.count > 1 {
        let (last, before) = (blocks[blocks.count - 1], blocks[blocks.count - 2])
        guard before.sum / Double(before.count) > last.sum / Double(last.count) else { break }
        blocks.removeLast(2)
        blocks.append((before.sum + last.sum, before.count + last.count))
      }
    }
    let starts = blocks.flatMap { Array(repeating: $0.sum / Double($0.count), count: $0.count) }
    return zip(starts, offsets).map { $0 + $1 }
  }

  /// Moves the items to multiples of the height of a row, the first one to zero.
  private mutating func snap(_ order: DiagramOrder, _ slots: [[Int]]) {
    let row = DiagramLayout.row
    let first = top.values.min() ?? 0
    for (items, slots) in zip(order.layers, slots) {
      var free = 0
      for (item, slot) in zip(items, slots) {
        let wish = ((top[item] ?? 0) - first + row / 2) / row * row
        top[item] = max(wish, free)
        free = max(wish, free) + slot
      }
    }
  }
}
