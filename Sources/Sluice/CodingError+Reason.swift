extension DecodingError {
  /// The reason and the coding path, on one line.
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
  /// The reason and the coding path, on one line.
  package var reason: String {
    switch self {
    case .invalidValue(_, let context):
      // The underlying error is more specific than the error that wraps it.
      (context.underlyingError as? EncodingError)?.reason
        ?? context.debugDescription + place(context.codingPath)
    @unknown default: "\(self)"
    }
  }
}

/// Returns a coding path in the form ` (at .pets[0].name)`; empty for an empty path.
private func place(_ path: [any CodingKey]) -> String {
  guard !path.isEmpty else { return "" }
  return " (at \(path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()))"
}
