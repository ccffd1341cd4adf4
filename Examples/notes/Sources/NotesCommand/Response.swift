import Foundation
import Notes

/// A line of output, such as `{"answer":{…},"id":1,"status":200}`.
struct Response<Answer: Encodable>: Encodable {
  /// The number of the request; nil if the input contained none.
  let id: Int?
  let status: Int
  var answer: Answer?
  var error: String?
  /// The seconds after which the client should try again.
  var retryAfter: Int?

  /// The response as one line of JSON.
  var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    } catch {
      return #"{"error":"The answer is not JSON","status":500}"#
    }
  }
}

extension Response<Bool> {
  /// Creates the response to a request that has failed.
  init(id: Int?, _ error: NotesError) {
    self.init(id: id, status: error.status, error: "\(error)")
    if case .unavailable(_, let delay) = error { retryAfter = Int(delay.components.seconds) }
  }
}
