extension Configuration {
  /// The settings for a file that anybody may have made: an upload, an attachment, a download.
  ///
  /// ```swift
  /// let upload = try Connection(path: path, configuration: .untrusted)
  /// let problems = try upload.integrityProblems(isQuick: true)
  /// ```
  ///
  /// The connection can only read. The schema of the file is not trusted: it calls no function that is not
  /// ``FunctionOptions/innocuous``, which a statement reports as ``ResultCode/authorization``, and makes no virtual
  /// table but those of SQLite that keep to the file: see ``isConfined``. ``limits`` keep what it says short. A program
  /// that writes such files sets ``readOnly`` to false.
  ///
  /// Time is not limited, and a view can be one that never ends: read with a deadline, as a
  /// ``ConnectionReadQueue`` has, or see ``Connection/onProgress(every:_:)``.
  public static var untrusted: Configuration {
    var configuration = Configuration()
    configuration.readOnly = true
    configuration.isConfined = true
    configuration.trustedSchema = false
    configuration.optimizesOnClose = false
    configuration.limits = [
      .length: 100_000_000, .sqlLength: 1_000_000, .expressionDepth: 100, .compoundSelects: 50,
      .operations: 100_000, .attachedDatabases: 0, .likePatternLength: 1000, .triggerDepth: 10,
      .workerThreads: 0,
    ]
    return configuration
  }
}
