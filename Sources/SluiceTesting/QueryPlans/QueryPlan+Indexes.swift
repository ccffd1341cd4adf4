import SluiceCore

extension QueryPlan {
  /// Whether any step, also one of a trigger, searches or reads an index of this name.
  ///
  /// It goes by the words of the plan, as there is nothing else to go by.
  public func uses(index: String) -> Bool { nodes.contains { $0.uses(index) } }
}

extension QueryPlan.Node {
  fileprivate func uses(_ index: String) -> Bool {
    let uses = ["USING INDEX ", "USING COVERING INDEX "].contains { words in
      detail.ranges(of: words + index).contains { range in
        // The rest of the line is what is compared, or how tables are joined.
        detail[range.upperBound...].isEmpty || detail[range.upperBound...].hasPrefix(" (")
          || detail[range.upperBound...].hasPrefix(" LEFT-JOIN")
      }
    }
    return uses || children.contains { $0.uses(index) }
  }
}
