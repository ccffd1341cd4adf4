import SluiceCore

extension QueryPlan {
  /// Returns whether any step searches or reads the index with this name, including the steps of triggers.
  ///
  /// This method searches the text of the plan, because SQLite describes the steps only as text.
  public func uses(index: String) -> Bool { nodes.contains { $0.uses(index) } }
}

extension QueryPlan.Node {
  fileprivate func uses(_ index: String) -> Bool {
    let uses = ["USING INDEX ", "USING COVERING INDEX "].contains { words in
      detail.ranges(of: words + index).contains { range in
        // In the plan, a comparison or the kind of join follows the name of the index.
        detail[range.upperBound...].isEmpty || detail[range.upperBound...].hasPrefix(" (")
          || detail[range.upperBound...].hasPrefix(" LEFT-JOIN")
      }
    }
    return uses || children.contains { $0.uses(index) }
  }
}
