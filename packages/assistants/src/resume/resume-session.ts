import { spawn } from 'node:child_process'
import { type HostName, StewardError } from '@steward/contract'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { findAnyCommand } from '../command/find-any-command.ts'

export interface SessionToResume {
  id: string
  host: HostName
  /** The folder that the session works in. */
  cwd: string
}

const ERROR_CHARS = 500

/**
 * Continues a session with a text, through the assistant's own resume and without a terminal. The
 * text goes to standard input, so that none of it can be read as an option. Resolves when the
 * assistant has ended; rejects if it cannot be started or reports a failure.
 */
export const resumeSession = (
  { id, host, cwd }: SessionToResume,
  text: string,
  place: Pick<HostPlace, 'env'>,
): Promise<void> => {
  const { resume, commands } = ASSISTANTS[host]
  const refuse = (reason: string) =>
    Promise.reject(new StewardError('session_elsewhere', { id, reason }))
  if (resume === undefined) return refuse(`${host} takes replies only in its terminal`)
  if (!/^\w[\w-]*$/.test(id)) return refuse('its id has an unknown form')
  const command = findAnyCommand(place, commands)
  if (command === undefined) return refuse(`the command ${commands.join(' or ')} was not found`)
  return new Promise((resolve, reject) => {
    let errors = ''
    const fail = (reason: string) => reject(new StewardError('reply_failed', { id, reason }))
    const child = spawn(command, resume(id), {
      cwd,
      env: { ...place.env },
      stdio: ['pipe', 'ignore', 'pipe'],
      // It finishes its turn even if the daemon is stopped meanwhile.
      detached: true,
    })
    child.unref()
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors = `${errors}${chunk}`.slice(-ERROR_CHARS)
    })
    child.once('error', ({ message }) => fail(message))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else fail(errors.trim() || `${host} ended with ${signal ?? `code ${code}`}`)
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
