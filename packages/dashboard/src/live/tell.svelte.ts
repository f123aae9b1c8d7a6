import { type Problem, toProblem } from './problem.ts'

/** A message for the person: a change that was made, or why it failed. */
export interface Word {
  id: number
  tone: 'good' | 'bad'
  text: string
  remedy?: string
}

const SHOWN_MS = 6000

let words = $state.raw<readonly Word[]>([])
let count = 0

export const toldWords = (): readonly Word[] => words

export const dismiss = (id: number): void => {
  words = words.filter((word) => word.id !== id)
}

const show = (tone: Word['tone'], text: string, remedy?: string): void => {
  count += 1
  const id = count
  words = [...words, { id, tone, text, ...(remedy === undefined ? {} : { remedy }) }].slice(-3)
  // A failure stays until it is dismissed.
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS)
}

export const tell = (text: string): void => show('good', text)
/** Reports a failure with its own text. */
export const tellFailure = (text: string): void => show('bad', text)
export const tellProblem = ({ message, remedy }: Problem): void => show('bad', message, remedy)

/**
 * Performs an action of the person and reports success or failure. Returns whether it succeeded.
 */
export const attempt = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
  try {
    await work()
    if (done !== undefined) tell(done)
    return true
  } catch (thrown) {
    tellProblem(toProblem(thrown))
    return false
  }
}
