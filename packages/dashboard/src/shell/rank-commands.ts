interface Named {
  id: string
  title: string
  words?: string
  /** Only pages have some. */
  keys?: string
  /** Of the shown page. */
  isNear?: boolean
  /** The title is a sentence, whose words say less than those of a name. */
  isSentence?: boolean
  /** The daemon found it for the typed text, perhaps in its content. */
  isFound?: boolean
}

/**
 * Commands that fit every typed word, best first: the title before other words, whole words before
 * sentences, results of the daemon, parts of words, and scattered letters of a page's name. Of
 * equals, those of the shown page are first, then the last used.
 */
export const rankCommands = <C extends Named>(
  commands: readonly C[],
  typed: string,
  recent: readonly string[] = [],
): C[] => {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [...commands]
  return commands
    .map((command) => ({ command, score: scoreOf(command, wanted) }))
    .filter(({ score }) => score > 0)
    .map(({ command, score }) => {
      const place = recent.indexOf(command.id)
      const used = place === -1 ? 0 : 0.4 - place / 100
      return { command, score: score + (command.isNear === true ? 0.5 : used) }
    })
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => command)
}

/** The worst of its words counts. */
const scoreOf = (command: Named, wanted: readonly string[]): number => {
  const { title, words = '', keys } = command
  const [name, more] = [title.toLowerCase(), words.toLowerCase()]
  const score = Math.min(
    ...wanted.map((word) => {
      const found = scoreWord(word, name, more)
      return found === 0 && keys !== undefined && hasInOrder(name, word) ? 1 : found
    }),
  )
  if (command.isFound === true) return Math.max(score, FOUND)
  return command.isSentence === true ? Math.min(score, SENTENCE) : score
}

/** Below words of a name and synonyms, above parts of words. */
const SENTENCE = 3.8
const FOUND = 3.5

const scoreWord = (word: string, name: string, more: string): number => {
  if (startsWord(name, word)) return 5
  if (startsWord(more, word)) return 4
  if (name.includes(word)) return 3
  return more.includes(word) ? 2 : 0
}

const startsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1))) return true
  }
  return false
}

const hasInOrder = (text: string, letters: string): boolean => {
  let from = 0
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
