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
 * The line of an assistant's last message to speak, or why there is none. Spec 2, Announcement
 * rules 7.
 */
export const findCompletionLine = (message: LastMessage): CompletionLine => {
  if (message.isSubagent === true) return { skip: 'subagent' }
  if (message.isRemote === true) return { skip: 'remote-channel' }
  const marked = outsideFences(message.text).findLast((line) => SPEAKING_HEAD.test(line))
  if (marked === undefined) return { skip: 'no-line' }
  const line = cleanLine(marked, message.speaker)
  return [...line].length < SHORTEST_CHARS ? { skip: 'too-short' } : { line }
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

const cleanLine = (marked: string, speaker: string | undefined): string => {
  const said = marked.slice(marked.search(SPEAKING_HEAD)).replace(SPEAKING_HEAD, '')
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
