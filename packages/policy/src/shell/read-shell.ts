import type { ShellReading } from './effects.ts'
import { withoutMarks } from './marks.ts'
import { createState } from './shell-state.ts'
import { createWalker } from './walk/create-walker.ts'

export interface ShellContext {
  /** The initial working directory. */
  cwd: string
  home: string
  environment?: Readonly<Record<string, string | undefined>>
}

/** Neither a person nor an assistant writes longer commands. */
const MAX_CHARS = 200_000

/** Determines the effects of a command line as far as possible without running it. */
export const readShell = (
  text: string,
  { cwd, home, environment = {} }: ShellContext,
): ShellReading => {
  const walker = createWalker({ home, environment })
  if (text.length > MAX_CHARS) {
    const problem = `the command is longer than ${MAX_CHARS} characters`
    const part = text.slice(0, 100)
    return {
      units: [{ texts: [{ text: text.slice(0, MAX_CHARS), inert: [] }], part }],
      effects: [{ kind: 'unresolved', what: problem, part, unit: 0 }],
      problem,
    }
  }
  walker.walkText(withoutMarks(text), '', createState(cwd))
  return walker.log.reading
}
