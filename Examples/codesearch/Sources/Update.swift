/// A description of the changes that a run made to the index.
struct Update {
  private let gone: Int
  private let changed: Int
  private var indexed = 0
  private var lines = 0
  private var skipped: [Document.Reason: [String]]

  init(_ changes: Changes, unreadable: [String]) {
    gone = changes.gone.count
    changed = changes.changed.count
    skipped = unreadable.isEmpty ? [:] : [.unreadable: unreadable]
  }

  /// Whether the index has changed.
  var hasNews: Bool { indexed > 0 || gone > 0 }

  /// Adds files that were written to the counts.
  mutating func note(_ documents: [Document]) {
    for document in documents {
      if let reason = document.reason {
        skipped[reason, default: []].append(document.file.path)
      } else {
        indexed += 1
        lines += document.lines.count
      }
    }
  }
}

extension Update: CustomStringConvertible {
  var description: String {
    let news = [
      indexed > 0 ? "\(count(indexed, "file")) indexed, with \(count(lines, "line"))" : nil,
      gone > 0 ? "\(count(gone, "file")) gone" : nil,
    ].compactMap(\.self)
    let summary =
      if news.isEmpty {
        changed == 0 ? "Nothing has changed." : "No text has changed."
      } else {
        news.joined(separator: "; ") + "."
      }
    let skips = Document.Reason.allCases.compactMap { reason in
      skipped[reason].map {
        "Skipped \(count($0.count, "file")) (\(reason.rawValue)): \(names($0))"
      }
    }
    return ([summary] + skips).joined(separator: "\n")
  }

  /// Returns the first names only, because a complete list could be very long.
  private func names(_ paths: [String]) -> String {
    let shown = paths.prefix(3).map(\.printable).joined(separator: ", ")
    return paths.count > 3 ? "\(shown) and \(paths.count - 3) more" : shown
  }
}

/// Returns a number with its noun, such as "1 file" or "2 files".
func count(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}
