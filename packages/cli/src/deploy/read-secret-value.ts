import { StewardError } from '@steward/contract'
import { readStdin } from '../input/read-stdin.ts'
import type { Io } from '../io.ts'
import { isTerminalInput, promptHidden } from './prompt-hidden.ts'

/** A secret's value from standard input or a hidden prompt; never from the command line, which others can see. */
export const readSecretValue = async (io: Io, name: string): Promise<string> => {
  const { stdin } = io
  const value = isTerminalInput(stdin)
    ? await promptHidden(stdin, io.err, `${name} (not shown): `)
    : ((await readStdin(io, 'wait')) ?? '').replace(/\r?\n$/, '')
  if (value !== '') return value
  throw new StewardError('invalid_input', {
    subject: name,
    reason: `no value: type it at the prompt, or pipe it in: printf %s "$VALUE" | steward secrets set ${name} --all`,
  })
}
