import Foundation

/// The properties of the terminal, if there is one.
enum Terminal {
  /// Whether a file descriptor leads to a terminal that can do more than print lines.
  static func isCapable(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// How many characters fit into a line.
  static func width(_ descriptor: Int32) -> Int {
    var size = winsize()
    // The system fills in a struct that lives for the time of the call.
    let code = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return code == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
