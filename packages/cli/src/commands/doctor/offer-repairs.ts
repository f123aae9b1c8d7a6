import type { Finding } from '@steward/assistants'
import { reasonOf } from '@steward/contract'
import { isTerminalInput } from '../../input/prompt-hidden.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { askKey } from './ask-key.ts'

/**
 * Offers each repair at a terminal, with what it changes; returns whether one was made. `wasTried`:
 * those that need no consent were made before.
 */
export const offerRepairs = async (
  io: Pick<Io, 'stdin' | 'out' | 'err'>,
  findings: readonly Finding[],
  { wasTried }: { wasTried: boolean },
): Promise<boolean> => {
  if (!io.out.isTerminal || !isTerminalInput(io.stdin)) return false
  let hasChanged = false
  for (const finding of findings) {
    const { check, status, message, change, fix, asksFirst } = finding
    if (status === 'ok' || fix === undefined || (wasTried && !asksFirst)) continue
    const what = change === undefined ? '' : ` ${change}`
    if (!(await askKey(io.stdin, io.err, cleanText(`${check}: ${message}.${what} Repair it?`))))
      continue
    await repair(io, finding)
    hasChanged = true
  }
  return hasChanged
}

/** Makes one repair and says what was done. */
export const repair = async ({ err }: Pick<Io, 'err'>, { check, fix }: Finding): Promise<void> => {
  if (fix === undefined) return
  const done = await fix().catch((thrown: unknown) => `could not repair: ${reasonOf(thrown)}`)
  err.write(`${check}: ${cleanText(done)}\n`)
}
