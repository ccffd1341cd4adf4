extension SchemaDiagram {
  /// The diagram as an SVG image.
  ///
  /// The image contains neither scripts nor references to other files, and has colors for light and dark
  /// appearance. Each table is to the right of the tables that it references, as far as references form no
  /// cycle. A crow's foot marks the end of a reference where many rows can reference the same row. Pointing at a
  /// line or at a shortened name shows its full text.
  public var svg: String {
    let layout = DiagramLayout(self)
    let places = places()
    // References that share their ends are drawn once, but each has its own title.
    let lines = Dictionary(grouping: layout.lines, by: \.reference).sorted { $0.key < $1.key }
    let references = lines.map { Self.reference(places[$0.key].reference, $0.value.map(\.points)) }
    let boxes = zip(tables, layout.boxes).map(Self.table)
    let width = max(layout.width, 520)
    let height = layout.height + 24
    let count = tables.count.counting("table")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="schema" role="img" \
      width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
      <title>Schema with \(count)</title>
      <style>
      \(Self.style)</style>
      <rect class="paper" width="\(width)" height="\(height)"/>
      \(references.joined())\(boxes.joined())\(Self.legend(at: height - 18))</svg>

      """
  }

  private static let style = """
    .schema { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .schema text { fill: #1f2328; white-space: pre; }
    .schema .paper { fill: #ffffff; }
    .schema .box { fill: #ffffff; stroke: #8c959f; }
    .schema .head { fill: #ddf4ff; stroke: #8c959f; }
    .schema .missing { fill: #fff1e5; stroke: #bc4c00; stroke-dasharray: 4 3; }
    .schema .name { font-weight: bold; }
    .schema .note { fill: #57606a; font-style: italic; }
    .schema .type { fill: #57606a; }
    .schema .mark { fill: #0550ae; }
    .schema .set { fill: #1f2328; stroke: #1f2328; }
    .schema .null { fill: none; stroke: #8c959f; }
    .schema .line { fill: none; stroke: #57606a; stroke-width: 1.2; }
    .schema .arrow { fill: #57606a; }
    .schema g:hover > .line { stroke: #0969da; stroke-width: 2.5; }
    @media (prefers-color-scheme: dark) {
    .schema text { fill: #e6edf3; }
    .schema .paper { fill: #0d1117; }
    .schema .box { fill: #161b22; stroke: #6e7681; }
    .schema .head { fill: #1c2f4a; stroke: #6e7681; }
    .schema .missing { fill: #3d2410; stroke: #db6d28; }
    .schema .note { fill: #9198a1; }
    .schema .type { fill: #9198a1; }
    .schema .mark { fill: #79c0ff; }
    .schema .set { fill: #e6edf3; stroke: #e6edf3; }
    .schema .null { stroke: #6e7681; }
    .schema .line { stroke: #9198a1; }
    .schema .arrow { fill: #9198a1; }
    .schema g:hover > .line { stroke: #58a6ff; }
    }

    """

  private static func table(_ table: Table, _ box: DiagramLayout.Box) -> String {
    let cells = TableCells(table)
    let isMissing = table.kind == .missing
    let frame = "x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\""
    let y = box.y
    var parts = [
      "<rect class=\"\(isMissing ? "box missing" : "box")\" \(frame) height=\"\(box.height)\" rx=\"4\"/>",
      "<path class=\"\(isMissing ? "head missing" : "head")\" d=\"M\(box.x) \(y + 34)v-30a4 4 0 0 1 4 -4"
        + "h\(box.width - 8)a4 4 0 0 1 4 4v30z\"/>",
      text("name", box.x + 12, y + 22, table.name, TableCells.nameLimit),
    ]
    if table.kind != .table {
      let end = TableCells.width(cells: table.kind.words.count)
      parts.append(text("note", box.x + box.width - 12 - end, y + 22, table.kind.words, 24))
    }
    for (index, column) in table.columns.enumerated() {
      let center = y + DiagramLayout.head + index * DiagramLayout.row + DiagramLayout.row / 2
      let marks = column.marks.joined(separator: " ")
      if !marks.isEmpty { parts.append(text("mark", box.x + 12, center + 4, marks, 24)) }
      if let isNotNull = column.isNotNull {
        let name = isNotNull ? "set" : "null"
        parts.append(
          "<circle class=\"\(name)\" cx=\"\(box.x + cells.dots + 2)\" cy=\"\(center)\" r=\"2.5\"/>")
      }
      parts.append(
        text("column", box.x + cells.names, center + 4, column.name, TableCells.nameLimit))
      if let type = column.type {
        parts.append(text("type", box.x + cells.types, center + 4, type, TableCells.typeLimit))
      }
    }
    return "<g class=\"table\">\(parts.joined(separator: "\n"))</g>\n"
  }

  private static func text(
    _ name: String, _ x: Int, _ y: Int, _ content: String, _ limit: Int
  ) -> String {
    let visible = content.visible
    let short = visible.shortened(to: limit)
    let title = short == content ? "" : "<title>\(content.inXML)</title>"
    // The width of other characters depends on the font.
    let width = TableCells.width(cells: short.cells)
    let isPlain = short.utf8.allSatisfy { $0 < 0x80 }
    let length = isPlain ? "" : " textLength=\"\(width)\" lengthAdjust=\"spacingAndGlyphs\""
    return "<text class=\"\(name)\" x=\"\(x)\" y=\"\(y)\"\(length)>\(short.inXML)\(title)</text>"
  }

  private static func reference(
    _ reference: Reference, _ lines: [[DiagramLayout.Point]]
  ) -> String {
    let columns = reference.columns.joined(separator: ", ")
    let referenced = reference.referencedColumns.joined(separator: ", ")
    let title = "\(reference.table)(\(columns)) → \(reference.referencedTable)(\(referenced))"
    let marks = lines.map { points -> (foot: String, arrow: String) in
      guard let first = points.first, let last = points.last, points.count > 1 else {
        return ("", "")
      }
      let out = points[1].x < first.x ? -1 : 1
      let back = points[points.count - 2].x < last.x ? -1 : 1
      let foot =
        reference.isUnique
        ? "M\(first.x + 7 * out) \(first.y - 5)v10"
        : "M\(first.x) \(first.y - 5)L\(first.x + 10 * out) \(first.y)L\(first.x) \(first.y + 5)"
      return (foot, "M\(last.x) \(last.y)l\(8 * back) -4v8z")
    }
    return """
      <g class="reference"><title>\(title.inXML)</title>
      <path class="line" d="\(lines.map(rounded).joined())\(marks.map(\.foot).joined())"/>
      <path class="arrow" d="\(marks.map(\.arrow).joined())"/></g>

      """
  }

  /// Returns the path along the points, with rounded corners.
  private static func rounded(_ points: [DiagramLayout.Point]) -> String {
    guard let first = points.first, let last = points.last else { return "" }
    var path = "M\(first.x) \(first.y)"
    for index in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      let reach = min(before.distance(to: corner), corner.distance(to: after)) / 2
      let radius = min(6, reach)
      let (start, end) = (corner.moved(to: before, radius), corner.moved(to: after, radius))
      path += "L\(start.x) \(start.y)Q\(corner.x) \(corner.y) \(end.x) \(end.y)"
    }
    return path + "L\(last.x) \(last.y)"
  }

  private static func legend(at y: Int) -> String {
    let texts = [
      (20, "PK primary key"), (136, "FK foreign key"), (252, "U unique"),
      (340, "NOT NULL"), (430, "can be NULL"),
    ]
    return texts.map { text("note", $0, y + 4, $1, 40) + "\n" }.joined()
      + "<circle class=\"set\" cx=\"332\" cy=\"\(y)\" r=\"2.5\"/>"
      + "<circle class=\"null\" cx=\"422\" cy=\"\(y)\" r=\"2.5\"/>\n"
  }
}

extension DiagramLayout.Point {
  fileprivate func distance(to other: Self) -> Int { abs(x - other.x) + abs(y - other.y) }

  /// Returns the point that is `distance` closer to `other`, in the same row or column.
  fileprivate func moved(to other: Self, _ distance: Int) -> Self {
    Self(x: x + (other.x - x).signum() * distance, y: y + (other.y - y).signum() * distance)
  }
}
