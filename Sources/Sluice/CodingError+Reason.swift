extension DecodingError {
  /// The reason and the path, in one line.
  package var reason: String {
    switch self {
    case .keyNotFound(let key, let context):
      "There is no \"\(key.stringValue)\"\(place(context.codingPath))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.debugDescription + place(context.codingPath)
    @unknown default: "\(self)"
    }
  }
}

extension EncodingError {
  /// The reason and the path, in one line.
  package var reason: String {
    switch self {
    case .invalidValue(_, let context):
      // Of two errors, the inner one knows more.
      (context.underlyingError as? EncodingError)?.reason
        ?? context.debugDescription + place(context.codingPath)
    @unknown default: "\(self)"
    }
  }
}

/// The place in a value as Swift would write it, such as ` (at .pets[0].name)`.
private func place(_ path: [any CodingKey]) -> String {
  guard !path.isEmpty else { return "" }
  return " (at \(path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()))"
}
