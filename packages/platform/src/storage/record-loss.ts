import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Leaves a note beside a database that was recreated although it existed before. Health and doctor
 * report it until a person removes it.
 */
export const recordLoss = (path: string, reason: string, at: Date): void => {
  const time = at.toISOString()
  const text = `${basename(path)} ${reason} at ${time}, and an empty one was created: what was in it is not there any more.\n\nRestore a backup with \`steward restore\`, or remove this note to accept the loss.\n`
  writeFileSync(`${path}.lost-${time.replaceAll(':', '-')}.txt`, text, { mode: 0o600 })
}
