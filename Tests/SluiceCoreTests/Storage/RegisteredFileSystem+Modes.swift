import SluiceCore
import SluiceTesting

extension RegisteredFileSystem {
  /// Returns a configuration with this file system and `mode`, and without a statement cache.
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
