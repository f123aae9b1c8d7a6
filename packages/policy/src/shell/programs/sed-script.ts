/** `1e command` runs the command; a bare `e` runs each input line. */
const RUNS =
  /(?:^|[;\n{])[^\S\n]*(?:(?:[0-9$,]|\/[^/\n]*\/)+[^\S\n]*)?e(?:[ \t]+([^\n]*))?(?=\n|$)/g
const SUBSTITUTION = /(?<=^|[;{\s\d/])s([^\w\s\\])/g
/** Flags of a substitution that run the resulting line, up to the end of the command. */
const RUN_FLAGS = /[gpiImM0-9]*e[gpiImM0-9]*\s*(?:$|[;}])/y
const WRITES = /(?<=^|[;{\s\d$/])[wW][ \t]+([^\n;}]+)/g
/** `w file` as a flag of a substitution with another delimiter than a slash. */
const WRITE_FLAG = /([^\w\s\\/])[gpiImM0-9]*[wW][ \t]+([^\n;}]+)/g

/** The commands that a sed script runs; an empty one stands for each input line. */
export const findSedRuns = (script: string): string[] =>
  [...script.matchAll(RUNS)].map(([, command = '']) => command)

/** The replacement of the first `s/…/…/e`, which sed runs. */
export const findSedResult = (script: string): string | undefined => {
  for (const line of script.split('\n')) {
    // Later substitutions with the same delimiter cannot end where this one did not.
    const endless = new Set<string>()
    for (const { index, 1: delimiter = '' } of line.matchAll(SUBSTITUTION)) {
      if (endless.has(delimiter)) continue
      const middle = line.indexOf(delimiter, index + 2)
      const end = middle === -1 ? -1 : findRunFlags(line, delimiter, middle + 1)
      if (end !== -1) return line.slice(middle + 1, end)
      endless.add(delimiter)
    }
  }
  return undefined
}

const findRunFlags = (line: string, delimiter: string, from: number): number => {
  for (let at = line.indexOf(delimiter, from); at !== -1; at = line.indexOf(delimiter, at + 1)) {
    RUN_FLAGS.lastIndex = at + 1
    if (RUN_FLAGS.test(line)) return at
  }
  return -1
}

/** The files that a sed script writes. */
export const findSedWrites = (script: string): string[] => [
  ...[...script.matchAll(WRITES)].map(([, path = '']) => path),
  ...script.split('\n').flatMap(findWriteFlags),
]

const findWriteFlags = (line: string): string[] => {
  const middles = new Map<string, number>()
  return [...line.matchAll(WRITE_FLAG)].flatMap(({ index, 1: delimiter = '', 2: path = '' }) => {
    let middle = middles.get(delimiter)
    if (middle === undefined) {
      const start = line.indexOf(`s${delimiter}`)
      middle = start === -1 ? -1 : line.indexOf(delimiter, start + 2)
      middles.set(delimiter, middle)
    }
    return middle !== -1 && middle < index ? [path] : []
  })
}
