import SluiceCore
import Testing

@Suite struct ResultCodeTests {
  @Test(
    arguments: [
      (.ok, 0), (.error, 1), (.internal, 2), (.permission, 3), (.abort, 4), (.busy, 5),
      (.locked, 6),
      (.noMemory, 7), (.readOnly, 8), (.interrupt, 9), (.ioError, 10), (.corrupt, 11),
      (.notFound, 12),
      (.full, 13), (.cantOpen, 14), (.protocol, 15), (.empty, 16), (.schema, 17), (.tooBig, 18),
      (.constraint, 19), (.mismatch, 20), (.misuse, 21), (.noLargeFileSupport, 22),
      (.authorization, 23), (.format, 24), (.range, 25), (.notADatabase, 26), (.notice, 27),
      (.warning, 28), (.row, 100), (.done, 101),
    ] as [(ResultCode, Int32)])
  func `primary result codes have SQLite's numbers`(code: ResultCode, number: Int32) {
    #expect(code.rawValue == number)
    #expect(code.primary == code)
  }

  @Test(
    arguments: [
      (.errorMissingCollation, 257), (.errorRetry, 513), (.errorSnapshot, 769), (.ioErrorRead, 266),
      (.ioErrorShortRead, 522), (.ioErrorWrite, 778), (.ioErrorSync, 1034),
      (.ioErrorDirectorySync, 1290), (.ioErrorTruncate, 1546), (.ioErrorStatus, 1802),
      (.ioErrorUnlock, 2058), (.ioErrorReadLock, 2314), (.ioErrorDelete, 2570),
      (.ioErrorBlocked, 2826), (.ioErrorNoMemory, 3082), (.ioErrorAccess, 3338),
      (.ioErrorCheckReservedLock, 3594), (.ioErrorLock, 3850), (.ioErrorClose, 4106),
      (.ioErrorDirectoryClose, 4362), (.ioErrorSharedMemoryOpen, 4618),
      (.ioErrorSharedMemorySize, 4874), (.ioErrorSharedMemoryLock, 5130),
      (.ioErrorSharedMemoryMap, 5386), (.ioErrorSeek, 5642), (.ioErrorDeleteMissing, 5898),
      (.ioErrorMemoryMap, 6154), (.ioErrorTemporaryPath, 6410), (.ioErrorPathConversion, 6666),
      (.ioErrorVnode, 6922), (.ioErrorAuthorization, 7178), (.ioErrorBeginAtomic, 7434),
      (.ioErrorCommitAtomic, 7690), (.ioErrorRollbackAtomic, 7946), (.ioErrorData, 8202),
      (.ioErrorFileSystem, 8458), (.lockedSharedCache, 262), (.lockedVirtualTable, 518),
      (.busyRecovery, 261), (.busySnapshot, 517), (.busyTimeout, 773),
      (.cantOpenNoTemporaryFolder, 270), (.cantOpenFolder, 526), (.cantOpenFullPath, 782),
      (.cantOpenPathConversion, 1038), (.cantOpenDirtyWAL, 1294), (.cantOpenSymbolicLink, 1550),
      (.corruptVirtualTable, 267), (.corruptSequence, 523), (.corruptIndex, 779),
      (.readOnlyRecovery, 264), (.readOnlyCantLock, 520), (.readOnlyRollback, 776),
      (.readOnlyMoved, 1032), (.readOnlyCantInitialize, 1288), (.readOnlyFolder, 1544),
      (.abortRollback, 516), (.constraintCheck, 275), (.constraintCommitHook, 531),
      (.constraintForeignKey, 787), (.constraintFunction, 1043), (.constraintNotNull, 1299),
      (.constraintPrimaryKey, 1555), (.constraintTrigger, 1811), (.constraintUnique, 2067),
      (.constraintVirtualTable, 2323), (.constraintRowid, 2579), (.constraintPinned, 2835),
      (.constraintDataType, 3091), (.noticeRecoverWAL, 283), (.noticeRecoverRollback, 539),
      (.warningAutomaticIndex, 284), (.authorizationUser, 279), (.misuseClosed, 65301),
    ] as [(ResultCode, Int32)])
  func `extended result codes have their numbers and match their primary codes`(
    code: ResultCode, number: Int32
  ) {
    #expect(code.rawValue == number)
    #expect(code.primary.rawValue == number & 0xff)
    #expect(code.primary ~= code)
    #expect(code ~= code)
    #expect(!(code ~= code.primary))
  }

  @Test
  func
    `a switch over a result code selects the first case that matches the code or its primary code`()
  {
    func kind(_ code: ResultCode) -> String {
      switch code {
      case .constraintUnique: "unique"
      case .constraint: "constraint"
      case .busy: "busy"
      default: "other"
      }
    }
    #expect(kind(.constraintUnique) == "unique")
    #expect(kind(.constraintCheck) == "constraint")
    #expect(kind(.busySnapshot) == "busy")
    #expect(kind(.full) == "other")
  }

  @Test(
    arguments: [
      (19, "constraint failed (19)"), (2067, "constraint failed (2067)"),
      (1_000_000, "unknown error (1000000)"), (-1, "unknown error (-1)"),
      (.max, "unknown error (2147483647)"), (.min, "not an error (-2147483648)"),
    ] as [(Int32, String)])
  func `the description of a result code contains its SQLite name, or says that it is unknown`(
    number: Int32, description: String
  ) {
    #expect("\(ResultCode(rawValue: number))" == description)
  }
}
