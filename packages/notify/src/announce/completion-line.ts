/** U+1F5E3, with or without the emoji variation selector. */
const SPEAKING_HEAD = /\u{1F5E3}\uFE0F?/u
const SHORTEST_CHARS = 5

export interface LastMessage {
  text: string
  /** The assistant's name, if its line begins with it. */
  speaker?: string
  /** A subagent's line is read by its assistant, not by a person. */
  isSubagent?: boolean
  /** The person is not at this machine and reads the line elsewhere. */
  isRemote?: boolean
}

export type CompletionLine =
  | { line: string }
  | { skip: 'subagent' | 'remote-channel' | 'no-line' | 'too-short' }

/**
 * The line of an assistant's last message to speak: the marked one, or else the first sentence.
 * Otherwise, why there is none. Spec 2, Announcement rules 7.
 */
export const findCompletionLine = (message: LastMessage): CompletionLine => {
  if (message.isSubagent === true) return { skip: 'subagent' }
  if (message.isRemote === true) return { skip: 'remote-channel' }
  const lines = outsideFences(message.text)
  const marked = lines.findLast((line) => SPEAKING_HEAD.test(line))
  const said = marked?.slice(marked.search(SPEAKING_HEAD)).replace(SPEAKING_HEAD, '')
  const line = said === undefined ? firstSentence(lines) : cleanLine(said, message.speaker)
  if (line === undefined) return { skip: 'no-line' }
  return [...line].length < SHORTEST_CHARS ? { skip: 'too-short' } : { line }
}

/** Headings, tables and rules are not sentences. */
const NO_SENTENCE = /^\s*(?:#{1,6}\s|\||[-*_=]{3,}\s*$|<)/
const LONGEST_CHARS = 200

const firstSentence = (lines: readonly string[]): string | undefined => {
  const prose = lines.find((line) => !NO_SENTENCE.test(line) && /\p{L}/u.test(line))
  if (prose === undefined) return undefined
  const plain = cleanLine(prose.slice(0, 4000).replace(/^\s*(?:[-*+>]|\d{1,3}[.)])\s+/, ''))
  // A period inside a number, a path or an abbreviation is not followed by a blank and a capital.
  const [, sentence] = /^(.{5,}?[.!?…])(?=\s+["'(]?\p{Lu}|\s*$)/u.exec(plain) ?? []
  return [...(sentence ?? plain)].slice(0, LONGEST_CHARS).join('')
}

/** Code blocks are shown, not spoken. */
const outsideFences = (text: string): string[] => {
  let fence: string | undefined
  return text.split(/\r?\n/).filter((line) => {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) {
      fence = mark
      return mark === undefined
    }
    if (mark?.startsWith(fence)) fence = undefined
    return false
  })
}

const cleanLine = (said: string, speaker?: string): string => {
  const plain = said
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[*`]+|__+/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s:|-]+/, '')
    .trim()
  if (speaker === undefined || speaker.trim() === '') return plain
  const name = `${speaker.trim()}:`
  return plain.toLowerCase().startsWith(name.toLowerCase())
    ? plain.slice(name.length).trim()
    : plain
}
