/** A word, a quoted text inside of one, an operator, a comment, or an end of line. */
const TOKEN =
  /\\\n|(?<comment>(?<=^|\s)#[^\n]*)|(?<operator>\|\|?|&&?|;|\n|<<?|>>?)|(?<word>(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\|&;<>])+)/gs

/**
 * The arguments of every `steward` command in a piece of shell: `npx steward`, `$ steward`, in a
 * pipe, behind variables. Substitutions stay as they are written.
 */
export const stewardCommandsIn = (shell: string): string[][] => {
  const commands: string[][] = [[]]
  let skipNext = false
  for (const { groups = {} } of shell.matchAll(TOKEN)) {
    const { operator, word } = groups
    if (operator !== undefined) {
      // What follows a redirection is a file, and no argument.
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
