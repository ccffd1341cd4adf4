/// The order of the items in each layer, from top to bottom.
struct DiagramOrder {
  private(set) var layers: [[DiagramItem]]
  let layer: [Int: Int]
  /// The lines in each gap between two layers.
  private var links: [[Link]]
  private var position: [DiagramItem: Double] = [:]

  private struct Link {
    let left: DiagramItem
    let leftRow: Double
    let right: DiagramItem
    let rightRow: Double
  }

  init(_ layers: DiagramLayers, _ nets: [DiagramNet]) {
    layer = layers.layer
    self.layers = Array(repeating: [], count: layers.count)
    for table in layers.tables { self.layers[layer[table] ?? 0].append(.table(table)) }
    links = Array(repeating: [], count: layers.count)
    for (index, net) in nets.enumerated() {
      for lane in net.lanes { self.layers[lane].append(.lane(net: index, layer: lane)) }
      for gap in links.indices {
        var (left, right): ([(DiagramItem, Double)], [(DiagramItem, Double)]) = ([], [])
        net.forEachEnd(in: gap, layer, index) { item, row, isLeft in
          // Rows count less than items, but order the lines of one table.
          let end = (item, row.map { Double($0 + 1) / 1000 } ?? 0)
          if isLeft { left.append(end) } else { right.append(end) }
        }
        for (item, row) in left {
          links[gap] += right.map { Link(left: item, leftRow: row, right: $0.0, rightRow: $0.1) }
        }
      }
    }
    for index in self.layers.indices { number(index) }
  }

  /// Reorders the items so that few lines cross.
  mutating func minimizeCrossings() {
    var best = (layers, crossings())
    for sweep in 0..<16 where best.1 > 0 {
      let indexes = Array(layers.indices)
      for index in sweep.isMultiple(of: 2) ? indexes : indexes.reversed() {
        sort(index, byLeft: sweep.isMultiple(of: 2))
      }
      if sweep % 4 == 3 { swapNeighbors() }
      let found = crossings()
      if found < best.1 { best = (layers, found) }
    }
    layers = best.0
    for index in layers.indices { number(index) }
    swapNeighbors()
  }

  private mutating func number(_ index: Int) {
    for (place, item) in layers[index].enumerated() { position[item] = Double(place) }
  }

  private func place(_ item: DiagramItem, _ row: Double) -> Double { (position[item] ?? 0) + row }

  /// Sorts a layer by the mean position of the connected items on one side.
  private mutating func sort(_ index: Int, byLeft: Bool) {
    var sums: [DiagramItem: (Double, Double)] = [:]
    let gap = byLeft ? index - 1 : index
    guard links.indices.contains(gap) else { return }
    for link in links[gap] {
      let (item, other) =
        byLeft
        ? (link.right, place(link.left, link.leftRow) - link.rightRow)
        : (link.left, place(link.right, link.rightRow) - link.leftRow)
      let (sum, count) = sums[item] ?? (0, 0)
      sums[item] = (sum + other, count + 1)
    }
    let keys = layers[index].enumerated().map { place, item in
      (sums[item].map { $0.0 / $0.1 } ?? Double(place), place, item)
    }
    layers[index] = keys.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    number(index)
  }

  /// Swaps neighbors as long as that removes crossings; large layers would take too long.
  private mutating func swapNeighbors() {
    guard layers.reduce(0, { $0 + $1.count }) <= 150 else { return }
    for _ in 0..<8 {
      var isBetter = false
      for index in layers.indices {
        for place in layers[index].indices.dropLast() {
          let before = crossings(around: index)
          layers[index].swapAt(place, place + 1)
          number(index)
          if crossings(around: index) < before {
            isBetter = true
          } else {
            layers[index].swapAt(place, place + 1)
            number(index)
          }
        }
      }
      if !isBetter { return }
    }
  }

  private func crossings() -> Int { links.indices.reduce(0) { $0 + crossings(in: $1) } }

  private func crossings(around index: Int) -> Int {
    (index > 0 ? crossings(in: index - 1) : 0) + crossings(in: index)
  }

  private func crossings(in gap: Int) -> Int {
    let ends = links[gap].map { (place($0.left, $0.leftRow), place($0.right, $0.rightRow)) }
      .sorted { $0 < $1 }
    var (count, sorted): (Int, [Double]) = (0, [])
    for (_, end) in ends {
      // The lines that begin above this one and end below it cross it.
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle] <= end { low = middle + 1 } else { high = middle }
      }
      count += sorted.count - low
      sorted.insert(end, at: low)
    }
    return count
  }
}
