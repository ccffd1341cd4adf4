import Foundation

/// The properties of an output stream that determine the layout and the colors of its text.
package struct Terminal: Sendable {
  package let isTerminal: Bool
  /// The width of a line: that of the terminal, or 80.
  package let width: Int
  package let isColored: Bool
  /// The width of text to read, between 60 and 100.
  var textWidth: Int { min(max(width, 60), 100) }

  /// Creates the properties of a stream; `columns` is the width of its terminal, if that is known.
  package init(
    isTerminal: Bool = false, columns: Int? = nil, environment: [String: String] = [:]
  ) {
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    self.isTerminal = isTerminal
    let chosen = environment["COLUMNS"].flatMap { Int($0) } ?? (isTerminal ? columns : nil)
    width = chosen.flatMap { $0 > 0 ? $0 : nil } ?? 80
    isColored =
      isSet("FORCE_COLOR") && environment["FORCE_COLOR"] != "0"
      || isTerminal && !isSet("NO_COLOR") && environment["TERM"] != "dumb"
  }

  /// Reads the properties of a file descriptor of the process.
  init(of descriptor: Int32) {
    var size = winsize()
    // Safe: the system writes only to `size`, and only during the call.
    let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    self.init(
      isTerminal: isatty(descriptor) != 0, columns: isKnown ? Int(size.ws_col) : nil,
      environment: ProcessInfo.processInfo.environment)
  }
}
