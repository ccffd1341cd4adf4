import Foundation

/// The properties of the terminal, if there is one.
enum Terminal {
  /// Returns whether a file descriptor refers to a terminal that supports more than plain lines.
  static func isCapable(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Returns the number of characters that fit on a line.
  static func width(_ descriptor: Int32) -> Int {
    var size = winsize()
    // Safe: the system writes only to `size`, and only during the call.
    let code = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return code == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
