/** How a runner reports a failing test: its title, and below it, within some lines, words and places. */
export interface Report {
  tool: string;
  /** Group 1 is the test's name; a group `file` (and `line`) is its place where none is told below. */
  title: RegExp;
  /** Group 1 is what failed: its first match, or else the first line that says something. */
  said?: RegExp;
  /** Lines that say nothing. */
  mute?: RegExp;
  /** Groups file, line, column. */
  place: RegExp;
  /** Ends the report. */
  end: RegExp;
  /** The line with the place says something, too. */
  placeSays?: boolean;
  /** The test's name stands below the title. */
  nameBelow?: boolean;
  /** How many lines of words join the message. */
  words?: number;
  /** The line below the title, where that makes sure of it. */
  next?: RegExp;
  /** Without words of its own it only lists what was told above. */
  needsSaid?: boolean;
  /** The title alone is no sure sign: without a place it is none. */
  needsPlace?: boolean;
}

/** A frame of a Java stack; its file is told by the class. */
export const java =
  /^\s+at (?:app\/\/|[\w.-]{1,60}(?:@[\w.]{1,40})?\/)?(?<type>[\w$.]{1,300})\.[\w$<>]{1,200}\((?<file>[\w$]{1,200}\.(?:java|kt|scala|groovy)):(?<line>\d{1,9})\)$/;

/** The test runners whose reports are a title, words and places. */
export const reports: readonly Report[] = [
  {
    tool: 'phpunit',
    title: /^\d{1,6}\) ([\w\\]{1,300}::\S.{0,300})$/,
    place: /^(?<file>\S[^:]{0,500}(?::[\\/][^:]{0,500})?\.php):(?<line>\d{1,9})$/,
    end: /^(?:\d{1,6}\) |FAILURES!|ERRORS!|OK, but|Tests: |--$|There (?:was|were) )/,
    words: 1,
  },
  {
    tool: 'pest',
    title: /^\s{2,3}(?:FAILED|• )\s{1,4}(\S.{0,300}?)(?: {2,}\S.{0,100})?$/,
    place: /^\s{2,4}at (?<file>\S[^:]{0,500}\.php):(?<line>\d{1,9})$/,
    end: /^\s{2,3}(?:FAILED|Tests:)/,
    words: 1,
    needsPlace: true,
  },
  {
    tool: 'exunit',
    title: /^ {2}\d{1,6}\) ((?:test|doctest|property) .{1,300})$/,
    mute: /^\s+\S{1,300}\.exs?:\d{1,9}$/,
    place: /^\s{6,}(?:\([^)]{1,100}\) )?(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9}): /,
    end: /^(?: {2}\d{1,6}\) |Finished in |\.+$)/,
    words: 1,
  },
  {
    tool: 'rspec',
    title: /^ {2}\d{1,6}\) (\S.{0,300})$/,
    said: /^ {5}Failure\/Error: (.*)$/,
    place: /^\s{5,}# (?<file>[^\s:]{1,500}\.rb):(?<line>\d{1,9})(?::in .*)?$/,
    end: /^(?: {2}\d{1,6}\) |Finished in |Failed examples:|\d+ examples?, )/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'minitest',
    nameBelow: true,
    title: /^\s{1,4}\d{1,6}\) (?:Failure|Error):\s*$/,
    place: /^(?:\s+|.{1,300}\[)(?<file>[^\s:[\]]{1,500}\.rb):(?<line>\d{1,9})(?:\]:?|:in .*)?$/,
    end: /^(?:\s{1,4}\d{1,6}\) |\d+ runs, )/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'rails',
    nameBelow: true,
    title: /^(?:Failure|Error):$/,
    place: /^(?:\s+|.{1,300}\[)(?<file>[^\s:[\]]{1,500}\.rb):(?<line>\d{1,9})(?:\]:?|:in .*)?$/,
    end: /^(?:Failure|Error):$|^\d+ runs, |^bin\/rails test/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'dotnet',
    title: /^\s{1,4}(?:Failed|X|✗|×) (\S.{0,300}?)(?: \[.{1,30}\])?$/,
    mute: /^\s*(?:Error Message|Stack Trace|Standard Output Messages?):$/,
    place: /^\s{3,}at .{1,500} in (?<file>\S.{0,500}):line (?<line>\d{1,9})$/,
    end: /^(?:\s{1,4}(?:Failed|Passed|Skipped) |Failed! |Total tests)/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'surefire',
    title: /^\[ERROR\] ([\w$.]{1,300}(?:\(.{0,200}\))?) +(?:--|Time elapsed).*<<< (?:FAILURE|ERROR)!$/,
    place: java,
    end: /^\[(?:ERROR|INFO)\] /,
    words: 1,
  },
  {
    tool: 'gradle',
    title: /^(\S.{0,300} > .{1,300}) FAILED$/,
    place: java,
    end: /^\S/,
    words: 1,
  },
  {
    tool: 'googletest',
    title:
      /^(?<file>(?:[A-Za-z]:)?[^:\s(][^:(]{0,500})(?::(?<line>\d{1,9}): Failure|\((?<row>\d{1,9})\): error: .*)$/,
    place: /^(?!)/,
    end: /^(?:\[|\S[^:]{0,500}:\d{1,9}: Failure$)/,
    words: 4,
  },
  {
    tool: 'catch2',
    title: /^(?<file>(?:[A-Za-z]:)?[^:\s][^:]{0,500}):(?<line>\d{1,9}): FAILED:$/,
    place: /^(?!)/,
    end: /^(?:[-=.]{5,}|\S[^:]{0,500}:\d{1,9}: )/,
    words: 4,
  },
  {
    tool: 'busted',
    title: /^(?:Failure|Error) (?:→|->) (?<file>\S{1,500}) @ (?<line>\d{1,9})$/,
    place: /^(?<file>[^\s:]{1,500}\.(?:lua|moon)):(?<line>\d{1,9}): /,
    end: /^(?:Failure|Error) (?:→|->) /,
    words: 2,
  },
  {
    tool: 'testthat',
    title:
      /^(?:──|--) (?:Failure|Error) \('(?<file>[^':]{1,300})(?::(?<line>\d{1,9}))?(?::\d{1,9})?'\)(?::? .*?)?[─-]*$/,
    place: /^(?!)/,
    end: /^(?:──|--|\[ FAIL)/,
    words: 3,
  },
  {
    tool: 'hspec',
    title:
      /^ {2}(?<file>[^\s:]{1,500}\.l?hs):(?<line>\d{1,9}):(?<column>\d{1,9}): $|^ {2}(?<file2>[^\s:]{1,500}\.l?hs):(?<line2>\d{1,9}):(?<column2>\d{1,9}):$/,
    place: /^(?!)/,
    end: /^ {2}To rerun|^ {2}\S{1,500}\.l?hs:\d|^Randomized/,
    words: 4,
  },
  {
    tool: 'scalatest',
    placeSays: true,
    title: /^(?:\[info\] )?\s*- (\S.{0,300}) \*\*\* FAILED \*\*\*(?: \(.{1,40}\))?$/,
    place: /\((?<file>[\w$]{1,200}\.scala):(?<line>\d{1,9})\)$/,
    end: /^(?:\[info\] )?\s*- |^(?:\[info\] )?(?:Run completed|Tests:)/,
    words: 1,
  },
  {
    tool: 'cucumber',
    title: /^(?:\d{1,6}\) )?(Scenario: .{1,300}?) # (?<file>[^\s:]{1,500}\.feature):(?<line>\d{1,9})$/,
    said: /^\s{6,}(\w{0,60}(?:Error|Exception|expected).*)$/,
    place:
      /^\s{3,}[✖x] .{1,300} # (?!)$|^\s{6,}at .{0,200}?\(?(?<file>(?:file:\/\/)?[^\s():]{1,500}):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?\)?$/,
    end: /^(?:\d{1,6}\) Scenario|\d+ scenarios?)/,
    needsPlace: true,
  },
  {
    tool: 'deno',
    title: /^(\S.{0,300}) => (?<file>\S{1,500}?):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    said: /^error: (.*)$/,
    place: /^\s{4,}at .{0,300}?\(?(?<file>file:\/\/\S{1,500}?):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/,
    needsSaid: true,
    end: /^(?:\S.{0,300} => \S{1,500}:\d|\s?FAILURES|FAILED \|)/,
    needsPlace: true,
  },
  {
    tool: 'jasmine',
    title: /^\d{1,6}\) (\S.{0,300})$/,
    next: /^ {2}Message:$/,
    mute: /^ {2}(?:Message|Stack):$/,
    place:
      /^\s{4,}at .{0,200}?\(?(?<file>(?:file:\/\/)?\/?[^\s():]{1,500}):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/,
    end: /^(?:\d{1,6}\) |\d+ specs?, |Incomplete|Finished in )/,
    words: 1,
  },
  {
    tool: 'tap',
    title: /^✖ (\S.{0,300} > .{1,300})$/,
    place: /^ {2}(?!at )\S.{0,200} \((?<file>[^\s():]{1,500}):(?<line>\d{1,9}):(?<column>\d{1,9})\)$/,
    mute: /^ {2}(?:\S{1,300}\.\w{1,5}|\d+ .*|━.*|compare: .*|@@ .*|--- expected|\+\+\+ actual)$/,
    end: /^$/,
    words: 2,
    needsPlace: true,
  },
];
