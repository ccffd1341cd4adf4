/// The lines between the boxes.
struct DiagramRouting {
  /// The left side of each layer.
  private(set) var x: [Int] = []
  private(set) var lines: [DiagramLayout.Line] = []
  private let order: DiagramOrder
  private let nets: [DiagramNet]
  private let rows: DiagramRows
  private let width: (Int) -> Int
  /// The height at which each net leaves an item on one of its sides.
  private var heights: [End: Int] = [:]
  /// The positions of the vertical lines.
  private var tracks: [Place: Int] = [:]

  private struct End: Hashable {
    let net: Int
    let item: DiagramItem
    let row: Int?
    let isLeft: Bool
  }

  private struct Place: Hashable {
    let net: Int
    let gap: Int
  }

  init(
    _ order: DiagramOrder, _ nets: [DiagramNet], _ rows: DiagramRows,
    _ width: @escaping (Int) -> Int
  ) {
    self.order = order
    self.nets = nets
    self.rows = rows
    self.width = width
  }

  mutating func route() {
    var start = 0
    for (gap, items) in order.layers.enumerated() {
      x.append(start)
      let widths = items.map { item in
        if case .table(let table) = item { width(table) } else { 0 }
      }
      let wires = choose(gap)
      let used = addTracks(wires, gap, from: start + (widths.max() ?? 0) + 24)
      start += (widths.max() ?? 0) + 48 + used * Self.distance
    }
    for (index, net) in nets.enumerated() {
      lines += net.strands.map { line(of: $0, net, index) }
    }
  }

  /// The distance between two vertical lines.
  private static let distance = 10

  /// A net in a gap: the heights at which it meets the gap's left and right side.
  private struct Wire {
    let net: Int
    var left: [Int] = []
    var right: [Int] = []

    /// The heights between which the net has a vertical line, or nil if it crosses the gap horizontally.
    var range: ClosedRange<Int>? {
      guard let low = (left + right).min(), let high = (left + right).max(), low < high else {
        return nil
      }
      return low...high
    }
  }
}

extension DiagramRouting {
  /// Chooses the heights of all lines in a gap, so that no two lines from opposite sides have the same height.
  private mutating func choose(_ gap: Int) -> [Wire] {
    var wires: [Wire] = []
    var (left, right): ([End], [End]) = ([], [])
    for (index, net) in nets.enumerated() {
      let before = left.count + right.count
      net.forEachEnd(in: gap, order.layer, index) { item, row, isLeft in
        let end = End(net: index, item: item, row: row, isLeft: isLeft)
        if isLeft { left.append(end) } else { right.append(end) }
      }
      if left.count + right.count > before { wires.append(Wire(net: index)) }
    }
    let places = Dictionary(uniqueKeysWithValues: wires.enumerated().map { ($1.net, $0) })
    var taken: [Int: Int] = [:]
    for ends in Dictionary(grouping: left, by: { base($0) }).sorted(by: { $0.key < $1.key }) {
      for (number, end) in ends.value.enumerated() {
        let height = heights[end] ?? ends.key + Self.shift(number, of: ends.value.count)
        heights[end] = height
        taken[height] = end.net
        wires[places[end.net] ?? 0].left.append(height)
      }
    }
    var own: Set<Int> = []
    for end in right.sorted(by: { base($0) < base($1) }) {
      let height = base(end) + shift(of: end, taken, own)
      heights[end] = height
      own.insert(height)
      // The line leaves the lane at the height at which it enters it.
      if case .lane = end.item {
        heights[End(net: end.net, item: end.item, row: nil, isLeft: true)] = height
      }
      wires[places[end.net] ?? 0].right.append(height)
    }
    return wires
  }

  /// Returns the distance of a line from the center of its row, such that no other line is near.
  private func shift(of end: End, _ taken: [Int: Int], _ own: Set<Int>) -> Int {
    for distance in [2, 1, 0] {
      for shift in Self.shifts {
        let near = base(end) + shift - distance...base(end) + shift + distance
        if near.allSatisfy({ !own.contains($0) && (taken[$0] ?? end.net) == end.net }) {
          return shift
        }
      }
    }
    return 0
  }

  /// The distances from the center of a row, in the order in which they are tried.
  private static let shifts = [0, -5, 5] + (1...9).flatMap { [-$0, $0] }

  private static func shift(_ number: Int, of count: Int) -> Int {
    count < 2 ? 0 : number * 12 / (count - 1) - 6
  }

  private func base(_ end: End) -> Int {
    (rows.top[end.item] ?? 0) + DiagramRows.offset(end.item, end.row)
  }

  /// Places the vertical lines of a gap, and returns the number of tracks.
  private mutating func addTracks(_ wires: [Wire], _ gap: Int, from start: Int) -> Int {
    var vertical = wires.filter { $0.range != nil }
      .sorted { ($0.range?.lowerBound ?? 0, $0.net) < ($1.range?.lowerBound ?? 0, $1.net) }
    // Swapping neighbors removes most crossings of horizontal with vertical lines.
    for _ in 0..<vertical.count {
      var isBetter = false
      for index in vertical.indices.dropLast()
      where Self.crossings(vertical[index + 1], vertical[index])
        < Self.crossings(vertical[index], vertical[index + 1])
      {
        vertical.swapAt(index, index + 1)
        isBetter = true
      }
      if !isBetter { break }
    }
    var used: [[ClosedRange<Int>]] = []
    for wire in vertical {
      guard let range = wire.range else { continue }
      let wide = range.lowerBound - 8...range.upperBound + 8
      // Two lines can share a track if they are not beside each other.
      let track = (used.lastIndex { $0.contains { $0.overlaps(wide) } } ?? -1) + 1
      if track == used.count { used.append([]) }
      used[track].append(wide)
      tracks[Place(net: wire.net, gap: gap)] = start + track * Self.distance
    }
    return used.count
  }

  /// Returns the number of crossings if the vertical line of `first` is to the left of that of `second`.
  private static func crossings(_ first: Wire, _ second: Wire) -> Int {
    guard let range = first.range, let other = second.range else { return 0 }
    return first.right.count { other.contains($0) } + second.left.count { range.contains($0) }
  }

  /// Returns the line from the referencing column to the referenced one.
  private func line(
    of strand: DiagramNet.Strand, _ net: DiagramNet, _ index: Int
  ) -> DiagramLayout.Line {
    let isSelf = strand.source.table == strand.target.table
    let from = order.layer[strand.source.table] ?? 0
    var points: [DiagramLayout.Point] = []
    func end(_ port: DiagramNet.Port, isLeft: Bool) -> DiagramLayout.Point {
      let item = DiagramItem.table(port.table)
      let side = x[order.layer[port.table] ?? 0] + (isLeft ? width(port.table) : 0)
      let key = End(net: index, item: item, row: port.row, isLeft: isLeft)
      return DiagramLayout.Point(x: side, y: heights[key] ?? 0)
    }
    func turn(at gap: Int, to y: Int) {
      guard let last = points.last, let track = tracks[Place(net: index, gap: gap)] else { return }
      points.append(DiagramLayout.Point(x: track, y: last.y))
      points.append(DiagramLayout.Point(x: track, y: y))
    }
    let target = end(strand.target, isLeft: net.isForward)
    points.append(end(strand.source, isLeft: isSelf || !net.isForward))
    let gaps =
      isSelf
      ? [from] : net.isForward ? (net.targetLayer..<from).reversed() : Array(from..<net.targetLayer)
    for gap in gaps {
      let next = net.isForward ? gap : gap + 1
      let lane = End(
        net: index, item: .lane(net: index, layer: next), row: nil, isLeft: true)
      turn(at: gap, to: next == net.targetLayer || isSelf ? target.y : heights[lane] ?? target.y)
    }
    points.append(target)
    return DiagramLayout.Line(reference: strand.reference, points: points)
  }
}
