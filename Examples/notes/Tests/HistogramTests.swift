import Notes
import Testing

@Suite struct `A histogram` {
  @Test func `its percentiles are at most an eighth too large`() {
    var histogram = Histogram()
    for number in 1...1000 { histogram.record(.microseconds(number * 7)) }
    for (share, exact) in [(0.01, 70.0), (0.5, 3500), (0.99, 6930)] {
      let value = histogram.quantile(share) / .microseconds(1)
      #expect(exact...exact * 1.125 + 1 ~= value)
    }
    #expect(histogram.maximum == .microseconds(7000))
    #expect(histogram.count == 1000)
  }

  @Test func `an empty histogram and any duration are valid`() {
    var histogram = Histogram()
    #expect(histogram.quantile(0.5) == .zero)
    for duration in [Duration.seconds(-1), .zero, .nanoseconds(1), .seconds(1 << 40)] {
      histogram.record(duration)
    }
    #expect(histogram.quantile(0.25) <= .microseconds(1))
    #expect(histogram.quantile(1) > .seconds(3600))
  }
}
