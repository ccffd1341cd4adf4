extension Options {
  /// The text of `codesearch --help`.
  static let help = """
    Searches the text files in a folder for words, and lists the best matches first.

    Usage: codesearch [options] [words…]

    A line matches if it contains all of the words. Case is ignored, and a word also matches
    the beginning of a longer word: "connect" finds "Connection". The parts of an identifier
    are also words: "http" finds "parseHTTP" and "http_port". Words in one argument, as in
    codesearch "begin transaction", must be adjacent. Characters other than letters and
    digits only separate words, so nothing needs to be escaped. Arguments after -- are never
    treated as options.

    The index is stored in a database, and each run first updates it: new and changed files
    are read, and deleted files are removed. If a run is interrupted, at most the batch that
    was being written is lost, and the next run continues from there. Without words,
    codesearch only updates and describes the index.

    Options:
      -C, --folder PATH   The folder to search (default: the current folder).
      --database PATH     The database file (default: .codesearch/index.db in the folder). It
                          contains the index of one folder; if you use it for another folder,
                          that index is replaced.
      --limit N           The maximum number of results to show (default: 20).
      --batch N           The maximum number of files to write in a transaction (default: 64).
      --reindex           Delete the index, and read all files again.
      --watch             Keep running: watch the files, and show the results again each time
                          they change, until the program is stopped.
      --verbose           Report each batch in a line, with the lines that a reader finds
                          meanwhile.
      -h, --help          Show this text.

    These are skipped: hidden folders, and folders named node_modules, __pycache__ or
    DerivedData; symbolic links; files above 4 MB; and files that are not UTF-8 text. A file
    counts as changed if its size or modification time differs.

    Results go to standard output, everything else to standard error.

    Exit status: 0 if a match was found, or if there was nothing to search for; 1 if no match
    was found; 64 if the options are invalid; 2 if an error occurred.

    """
}
