import Testing

/// The tests that write to real nodes while something happens to the nodes.
///
/// They run one after another, because several clusters would not leave each other enough time for their elections.
@Suite(.serialized, .timeLimit(.minutes(isLong ? 30 : 3))) struct `A cluster under load` {}
