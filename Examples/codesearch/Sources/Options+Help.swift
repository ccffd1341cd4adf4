extension Options {
  /// The text of `codesearch --help`.
  static let help = """
    Searches the text files of a folder for words, the best matches first.

    Usage: codesearch [options] [words…]

    A line matches if it holds all the words. Upper and lower case are the same, and a word
    also matches the beginning of a longer one: "connect" finds "Connection". The parts of
    an identifier are words, too: "http" finds "parseHTTP" and "http_port". Words in one
    argument, as in codesearch "begin transaction", have to follow each other. Characters
    other than letters and digits only separate words, so nothing needs to be escaped; what
    follows -- is never taken for an option.

    The index is kept in a database, and each call first brings it up to date: new and changed
    files are read, and deleted ones are forgotten. A call that is interrupted loses at most
    the batch that was being written; the next one goes on from there. Without words,
    codesearch only does this, and describes what is in the index.

    Options:
      -C, --folder PATH   The folder to search (the current one).
      --database PATH     The database file (.codesearch/index.db in the folder). It holds one
                          folder: if it is used for another, it is filled anew.
      --limit N           How many results to show (20).
      --batch N           How many files to write in one transaction (64).
      --reindex           Forget what is in the index, and read all files again.
      --watch             Go on: follow the files as they change, and show the results anew
                          each time that they are others, until the program is stopped.
      -h, --help          Show this text.

    Not read are: hidden folders and those named node_modules, __pycache__ and DerivedData;
    symbolic links; files above 4 MB; and files that are not UTF-8 text. A file counts as
    changed if its size or the time of its last change differs.

    Results go to the standard output, all else to the standard error.

    Exit status: 0 if something was found, or if nothing was searched for; 1 if nothing was
    found; 64 if the options make no sense; 2 if anything else fails.

    """
}
