/** A word, a quoted text inside one, an operator, a comment, or the end of a line. */
const TOKEN =
  /\\\n|(?<comment>(?<=^|\s)#[^\n]*)|(?<operator>\|\|?|&&?|;|\n|<<?|>>?)|(?<word>(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\|&;<>])+)/gs

/**
 * The arguments of every `steward` command in a shell text: `npx steward`, `$ steward`, in a pipe,
 * after variables. Substitutions are kept as written.
 */
export const stewardCommandsIn = (shell: string): string[][] => {
  const commands: string[][] = [[]]
  let skipNext = false
  for (const { groups = {} } of shell.matchAll(TOKEN)) {
    const { operator, word } = groups
    if (operator !== undefined) {
      // A redirection is followed by a file, not an argument.
      skipNext = /[<>]/.test(operator)
      if (!skipNext) commands.push([])
    } else if (word !== undefined) {
      if (!skipNext) commands.at(-1)?.push(unquote(word))
      skipNext = false
    }
  }
  return commands.flatMap((words) => {
    const start = words.findIndex((word) => !/^(?:\$|npx|\w+=.*)$/s.test(word))
    const [program = '', ...args] = words.slice(Math.max(start, 0))
    return /^(?:.*\/)?steward$/.test(program) ? [args] : []
  })
}

const unquote = (word: string): string =>
  word.replaceAll(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
  )
