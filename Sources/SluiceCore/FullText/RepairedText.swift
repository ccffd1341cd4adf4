/// Text with U+FFFD in the place of what is not UTF-8, that knows where each byte of it comes from.
struct RepairedText {
  let text: String
  /// Behind each repair: where it ends in the text, and how far the bytes from there on have moved.
  private var repairs: [(end: Int, shift: Int)] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The only error is that it is not UTF-8.
    if let text = unsafe try? string(bytes.baseAddress, bytes.count) {
      self.text = text
      return
    }
    var scalars = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = unsafe bytes.makeIterator()
    var end = 0
    var shift = 0
    while true {
      switch unsafe parser.parseScalar(from: &rest) {
      case .valid(let character):
        scalars.append(Unicode.UTF8.decode(character))
        end += character.count
      case .error(let length):
        scalars.append("\u{fffd}")
        end += Self.width
        shift += length - Self.width
        repairs.append((end, shift))
      case .emptyInput:
        text = String(scalars)
        return
      }
    }
  }

  /// How many bytes U+FFFD has.
  private static let width = 3

  /// The place in the original bytes of a place in the text.
  func original(_ range: Range<Int>) -> Range<Int> {
    guard !repairs.isEmpty else { return range }
    let start = original(range.lowerBound)
    return start..<max(start, original(range.upperBound))
  }

  private func original(_ offset: Int) -> Int {
    var low = 0
    var high = repairs.count
    while low < high {
      let middle = (low + high) / 2
      if repairs[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    let moved = offset &+ (low == 0 ? 0 : repairs[low - 1].shift)
    // What lies inside of a repair is where that begins.
    guard low < repairs.count, offset > repairs[low].end - Self.width else { return moved }
    return repairs[low].end - Self.width &+ (low == 0 ? 0 : repairs[low - 1].shift)
  }
}
