import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation)) struct `row publishers of a connection` {
  private func numbers(_ count: Int) throws -> Connection {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    for number in 0..<count {
      try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(number))
    }
    return connection
  }

  @Test func `the sink of a row publisher receives a value for each row and then the completion`()
    throws
  {
    let connection = try numbers(5)
    var log: [String] = []
    connection.rowPublisher(sql: "SELECT a FROM t WHERE a >= ?1") {
      try $0.bind(.int(2), toParameter: 1)
    }.mapRows(.column(.int)).map { "\($0)" }.sink { completion in
      if case .finished = completion { log.append("end") }
    } receiveValue: {
      log.append($0)
    }
    #expect(log == ["2", "3", "4", "end"])
  }

  @Test func `a row publisher accepts SQL with interpolated values`() throws {
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    let one = 1
    connection.rowPublisher("SELECT a FROM t WHERE a > \(one)").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [2])
  }

  @Test func `map, compactMap and removeDuplicates transform the values of a row publisher`() throws
  {
    let connection = try Connection()
    let numbers = connection.rowPublisher(sql: "VALUES (1), (1), (2), (3), (3), (13), (4)")
      .mapRows(.column(.int))
    let recorder = Recorder<String>(.unlimited)
    numbers.removeDuplicates().removeDuplicates { $0 % 10 == $1 % 10 }
      .compactMap { $0 == 3 ? nil : $0 * 10 }.map { "\($0)" }.subscribe(recorder)
    #expect(recorder.values == ["10", "20", "40"])
    #expect(recorder.ends == 1)
  }

  @Test func `an operator that throws ends a subscription to rows with its error`() throws {
    struct Refused: Error {}
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int)).compactMap { value in
      if value == 1 { throw Refused() }
      return value
    }.subscribe(recorder)
    #expect(recorder.values == [0])
    #expect(recorder.error is Refused)
    #expect(recorder.ends == 1)
    try connection.execute(sql: "DROP TABLE t")
  }

  @Test func `a row publisher reads only as many rows as demanded`() throws {
    let connection = try numbers(5)
    let calls = SharedLog<Int>()
    try connection.addFunction("noted") { (number: Int) in
      calls.append(number)
      return number
    }
    let recorder = Recorder<Int>(.max(2))
    let feed = connection.rowPublisher(sql: "SELECT noted(a) FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [0, 1])
    #expect(calls.entries == [0, 1])
    recorder.subscription?.request(.max(1))
    recorder.subscription?.request(.max(1))
    #expect(recorder.values == [0, 1])
    feed.resume()
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.ends == 0)
    recorder.subscription?.request(.max(9))
    feed.resume()
    #expect(recorder.values == [0, 1, 2, 3, 4])
    #expect(recorder.ends == 1)
    recorder.subscription?.request(.max(9))
    feed.resume()
    #expect(recorder.log.entries.count == 7)
  }

  @Test func `a request for more values inside a delivery does not re-enter the subscriber`() throws
  {
    let connection = try numbers(4)
    let depth = SharedLog<String>()
    let recorder = Recorder<Int>(.max(1)) { me, value in
      depth.append("in \(value)")
      me.subscription?.request(.max(1))
      depth.append("out \(value)")
      return .none
    }
    connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int)).subscribe(recorder)
    #expect(
      depth.entries == ["in 0", "out 0", "in 1", "out 1", "in 2", "out 2", "in 3", "out 3"])
    #expect(recorder.ends == 1)
  }

  @Test func `cancelling inside a delivery ends the row publisher and releases its statement`()
    throws
  {
    let connection = try numbers(4)
    let recorder = Recorder<Int>(.unlimited) { me, value in
      if value == 1 { me.subscription?.cancel() }
      return .unlimited
    }
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [0, 1])
    #expect(recorder.ends == 0)
    try connection.execute(sql: "DROP TABLE t")
    feed.resume()
    #expect(recorder.values == [0, 1])
  }

  @Test func `cancelling a subscription to rows releases the statement`() throws {
    let connection = try numbers(4)
    let recorder = Recorder<Int>(.max(1))
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    feed.cancel()
    try connection.execute(sql: "DROP TABLE t")
    feed.resume()
    #expect(recorder.values == [0])
    #expect(recorder.ends == 0)
  }

  @Test(arguments: ["SELECT b FROM t", "SELECT 'x' FROM t", "SELECT ?1 FROM t"])
  func `a row publisher reports an error once`(sql: String) throws {
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    let feed = connection.rowPublisher(sql: sql).mapRows(.column(.int)).subscribe(recorder)
    feed.resume()
    recorder.subscription?.request(.unlimited)
    feed.resume()
    #expect(recorder.error is SQLiteError)
    #expect(recorder.log.entries.count == 2)
  }

  @Test func `each subscription to a row publisher runs the query again`() throws {
    let connection = try numbers(2)
    let publisher = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
    for _ in 0..<2 {
      let recorder = Recorder<Int>(.unlimited)
      publisher.subscribe(recorder)
      #expect(recorder.values == [0, 1])
    }
  }

  @Test func `closing the connection ends a subscription to rows with misuse`() throws {
    let connection = try numbers(2)
    let recorder = Recorder<Int>(.max(1))
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    try connection.close()
    recorder.subscription?.request(.max(1))
    feed.resume()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
  }
}
