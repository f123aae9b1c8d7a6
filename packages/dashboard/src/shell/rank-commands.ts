interface Named {
  title: string
  words?: string
}

/**
 * Commands whose letters appear in order, best first: whole words, then prefixes, then scattered
 * letters.
 */
export const rankCommands = <C extends Named>(commands: readonly C[], typed: string): C[] => {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return [...commands]
  return commands
    .map((command) => ({ command, score: scoreOf(command, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => command)
}

const scoreOf = ({ title, words = '' }: Named, wanted: string): number => {
  const text = `${title} ${words}`.toLowerCase()
  const at = text.indexOf(wanted)
  if (at !== -1) return text.charAt(at - 1) === ' ' || at === 0 ? 3 : 2
  return hasInOrder(text, wanted) ? 1 : 0
}

const hasInOrder = (text: string, letters: string): boolean => {
  let from = 0
  for (const letter of letters) {
    from = text.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}
