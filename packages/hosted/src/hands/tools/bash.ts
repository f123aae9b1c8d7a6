import { stripVTControlCharacters } from 'node:util'
import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import { decodeTail } from '../shell/output-tail.ts'
import {
  FLOOD_BYTES,
  KEPT_BYTES,
  type PersistentShell,
  type ShellOutcome,
} from '../shell/persistent-shell.ts'
import { writeBytes } from './files.ts'
import type { bashInput } from './inputs.ts'
import { refuse, SandboxGone, succeed, type ToolContext } from './tool.ts'

export interface BashContext extends ToolContext {
  /** The session's shell, started if necessary. */
  takeShell(): PersistentShell
  endShell(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000
const SHOWN_BYTES = 100 * 1024
/** Longer outputs are also written to a file, because the model sees only the end. */
const LONG_CHARACTERS = 100_000

export const bash = async (
  context: BashContext,
  input: z.infer<typeof bashInput>,
): Promise<ToolOutcome> => {
  if (input.restart === true) await context.endShell()
  if (input.command === undefined) {
    return input.restart === true
      ? succeed('the shell was restarted')
      : refuse('command is missing')
  }
  const timeoutMs = Math.min(input.timeout_ms ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
  const shell = context.takeShell()
  const outcome = await shell.run({ command: input.command, timeoutMs, signal: context.signal })
  if (outcome.ending.type === 'gone' && outcome.ending.problem !== '') {
    throw new SandboxGone(outcome.ending.problem)
  }
  const text = await showOutput(context, outcome)
  const note = describeEnding(outcome.ending, timeoutMs)
  const said = [text, note].filter((part) => part !== '').join('\n')
  const succeeded = outcome.ending.type === 'done' && outcome.ending.code === 0
  return succeeded ? succeed(said) : refuse(said)
}

const describeEnding = (ending: ShellOutcome['ending'], timeoutMs: number): string => {
  if (ending.type === 'done') return ending.code === 0 ? '' : `[exit code ${ending.code}]`
  const fresh = 'the next command gets a new shell'
  if (ending.type === 'timed-out') {
    return `[timed out after ${timeoutMs} ms; everything it started was ended, and ${fresh}]`
  }
  if (ending.type === 'flooded') {
    return `[ended after more than ${FLOOD_BYTES} bytes of output; ${fresh}]`
  }
  return `[the shell ended with code ${ending.code}; ${fresh}]`
}

const showOutput = async (context: ToolContext, outcome: ShellOutcome): Promise<string> => {
  const isCut = outcome.totalBytes > SHOWN_BYTES
  const last = outcome.output.subarray(Math.max(0, outcome.output.length - SHOWN_BYTES))
  const text = stripVTControlCharacters(decodeTail(last, isCut)).replace(/\n$/, '')
  if (!isCut && text.length <= LONG_CHARACTERS) return text
  const path = `${context.sandbox.paths.workspace}/.tool-output/${nameFile(context.callId)}.txt`
  const written = await writeBytes(context, path, outcome.output)
  const what = outcome.totalBytes > KEPT_BYTES ? `the last ${KEPT_BYTES} bytes are` : 'all of it is'
  const where = written.ok ? `${what} in ${path}` : `it could not be kept: ${written.reason}`
  const shown = isCut ? `; the last ${SHOWN_BYTES} follow` : ''
  return `[${outcome.totalBytes} bytes of output, ${where}${shown}]\n${text}`
}

const nameFile = (callId: string): string => callId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 128)
