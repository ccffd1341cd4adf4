/// The layout of tables that references connect with each other.
struct LayeredGroup {
  private(set) var boxes: [Int: DiagramLayout.Box] = [:]
  private(set) var lines: [DiagramLayout.Line] = []
  private(set) var width = 0
  private(set) var height = 0

  init(
    _ tables: [Int], _ allBoxes: [DiagramLayout.Box], _ allTables: [SchemaDiagram.Table],
    _ places: [(reference: SchemaDiagram.Reference, table: Int, referenced: Int)]
  ) {
    let members = Set(tables)
    let own = places.enumerated().filter { members.contains($0.element.table) }
    let layers = DiagramLayers(
      tables, heights: tables.map { allBoxes[$0].height },
      widths: tables.map { allBoxes[$0].width },
      edges: own.map { ($0.element.table, $0.element.referenced) })
    let nets = DiagramNet.nets(
      own.map { DiagramNet.Place($0.offset, $0.element) }, layers.layer, allTables)
    var order = DiagramOrder(layers, nets)
    order.minimizeCrossings()
    let rows = DiagramRows(order, nets) { allBoxes[$0].height }
    var routing = DiagramRouting(order, nets, rows) { allBoxes[$0].width }
    routing.route()
    for table in tables {
      var box = allBoxes[table]
      box.x = routing.x[layers.layer[table] ?? 0]
      box.y = rows.top[.table(table)] ?? 0
      boxes[table] = box
    }
    lines = routing.lines
    let points = lines.flatMap(\.points)
    width = max(boxes.values.map { $0.x + $0.width }.max() ?? 0, points.map(\.x).max() ?? 0)
    height = max(boxes.values.map { $0.y + $0.height }.max() ?? 0, points.map(\.y).max() ?? 0)
  }
}

/// An item of a layer: a table, or a lane in which the line of a net crosses the layer.
enum DiagramItem: Hashable {
  case table(Int)
  case lane(net: Int, layer: Int)
}

/// All lines that lead to the same columns of a table, from the same side.
///
/// They share their last part, so that a table with many references does not have as many lines.
struct DiagramNet {
  /// A reference and its place in the diagram.
  struct Place {
    let index: Int
    let reference: SchemaDiagram.Reference
    let table: Int
    let referenced: Int

    init(
      _ index: Int, _ place: (reference: SchemaDiagram.Reference, table: Int, referenced: Int)
    ) {
      self.index = index
      (reference, table, referenced) = place
    }
  }

  /// A column at which a line begins or ends; the row is nil for the title of the table.
  struct Port: Hashable {
    let table: Int
    let row: Int?
  }

  /// One line, from a referencing to a referenced column.
  struct Strand {
    let reference: Int
    let source: Port
    let target: Port
  }

  let target: Int
  let targetLayer: Int
  /// Whether the referencing tables are to the right of the referenced one, as usual, and not to the left.
  let isForward: Bool
  private(set) var strands: [Strand] = []
  /// The layers that the net crosses in a lane.
  private(set) var lanes: Range<Int>

  static func nets(
    _ places: [Place], _ layer: [Int: Int], _ tables: [SchemaDiagram.Table]
  ) -> [DiagramNet] {
    struct Key: Hashable {
      let target: Int
      let rows: [Int?]
      let isForward: Bool
    }
    var indexes: [Key: Int] = [:]
    var nets: [DiagramNet] = []
    for place in places {
      let (from, to) = (layer[place.table] ?? 0, layer[place.referenced] ?? 0)
      func row(_ name: String?, _ table: Int) -> Int? {
        tables[table].columns.firstIndex { $0.name == name }
      }
      let strands = place.reference.pairs.map { column, referenced in
        Strand(
          reference: place.index,
          source: Port(table: place.table, row: row(column, place.table)),
          target: Port(table: place.referenced, row: row(referenced, place.referenced)))
      }
      let key = Key(
        target: place.referenced, rows: strands.map(\.target.row), isForward: from >= to)
      let index = indexes[key] ?? nets.count
      if index == nets.count {
        indexes[key] = index
        nets.append(
          DiagramNet(
            target: place.referenced, targetLayer: to, isForward: key.isForward,
            lanes: key.isForward ? to + 1..<to + 1 : to..<to))
      }
      nets[index].strands += strands
      let lanes = nets[index].lanes
      nets[index].lanes =
        key.isForward
        ? lanes.lowerBound..<max(lanes.upperBound, from)
        : min(lanes.lowerBound, from + 1)..<lanes.upperBound
    }
    return nets
  }

  /// Calls `body` with the items of two neighboring layers that the net connects, and the rows of its columns.
  ///
  /// The gap `gap` is to the right of the layer with the same number.
  func forEachEnd(
    in gap: Int, _ layer: [Int: Int], _ index: Int,
    _ body: (_ item: DiagramItem, _ row: Int?, _ isLeft: Bool) -> Void
  ) {
    for side in [gap, gap + 1] where lanes.contains(side) {
      body(.lane(net: index, layer: side), nil, side == gap)
    }
    var seen: Set<Port> = []
    for strand in strands {
      let from = layer[strand.source.table] ?? 0
      let isSelf = strand.source.table == target
      // The target's line leaves on the right in a forward net, and on the left in a backward one.
      let targetGap = isForward ? targetLayer : targetLayer - 1
      if targetGap == gap, seen.insert(strand.target).inserted {
        body(.table(target), strand.target.row, isForward)
      }
      let sourceGap = isForward && !isSelf ? from - 1 : from
      if sourceGap == gap, seen.insert(strand.source).inserted {
        body(.table(strand.source.table), strand.source.row, !isForward || isSelf)
      }
    }
  }
}
