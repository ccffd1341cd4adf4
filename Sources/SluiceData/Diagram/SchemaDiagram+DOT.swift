extension SchemaDiagram {
  /// The diagram in the DOT language of Graphviz.
  ///
  /// Convert it with `dot -Tsvg`. A solid dot marks a column that never contains NULL. The tail of each edge shows
  /// whether one row or many rows can reference the same row.
  public var dot: String {
    let nodes = tables.enumerated().map { "  t\($0) [label=<\(Self.label($1))>];\n" }
    let edges = places().flatMap { reference, table, referenced in
      // Both ends of a pair of columns are ports of the tables.
      reference.pairs.map { column, referencedColumn in
        let tail = "t\(table)" + tables[table].port(column, "w")
        let head = "t\(referenced)" + tables[referenced].port(referencedColumn, "e")
        let foot = reference.isUnique ? "tee" : "crow"
        return "  \(tail) -> \(head) [dir=both, arrowtail=\(foot), arrowhead=normal];\n"
      }
    }
    return """
      digraph schema {
        graph [rankdir=RL, nodesep=0.4, ranksep=1.2];
        node [shape=plain, fontname="monospace", fontsize=11];
      \(nodes.joined())\(edges.joined())}

      """
  }

  private static func label(_ table: Table) -> String {
    let name = "<b>\(table.name.shortened(to: 40).inXML)</b>"
    let kind = table.kind == .table ? "" : " <i>\(table.kind.words)</i>"
    let border = table.kind == .missing ? " style=\"dashed\"" : ""
    let rows = table.columns.enumerated().map { index, column in
      let marks = column.marks.joined(separator: " ")
      let dot = column.isNotNull.map { $0 ? "● " : "○ " } ?? ""
      return "<tr><td align=\"left\" port=\"c\(index)\">\(marks) \(dot)"
        + "\(column.name.shortened(to: 40).inXML)  "
        + "\((column.type ?? "").shortened(to: 24).inXML)</td></tr>"
    }
    return "<table border=\"1\" cellborder=\"0\" cellspacing=\"0\"\(border)>"
      + "<tr><td port=\"h\">\(name)\(kind)</td></tr>\(rows.joined())</table>"
  }
}

extension SchemaDiagram.Table {
  fileprivate func port(_ column: String?, _ side: String) -> String {
    columns.firstIndex { $0.name == column }.map { ":c\($0):\(side)" } ?? ":h:\(side)"
  }
}

extension SchemaDiagram.Table.Kind {
  /// The words beside the name of the table; empty for an ordinary table.
  var words: String {
    switch self {
    case .table: ""
    case .view: "view"
    case .virtual: "virtual"
    case .missing: "missing"
    }
  }
}

extension SchemaDiagram.Reference {
  /// The pairs of a referencing and a referenced column; the latter is nil if it is unknown.
  var pairs: [(String, String?)] {
    columns.enumerated().map { index, column in
      (column, index < referencedColumns.count ? referencedColumns[index] : nil)
    }
  }
}
