import SluiceCore
import SluiceTesting

extension RegisteredFileSystem {
  /// What connections that use it are opened with, which prepare each statement anew.
  func configuration(_ mode: Configuration.JournalMode?) -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = mode
    configuration.statementCacheSize = 0
    return self.configuration(configuration)
  }

  func connection(_ path: String, _ mode: Configuration.JournalMode?) throws -> Connection {
    try Connection(path: path, configuration: configuration(mode))
  }
}
