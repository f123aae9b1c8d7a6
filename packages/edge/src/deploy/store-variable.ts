import { chmod } from 'node:fs/promises'
import { type Home, readIfPresent, withLock, writeFileAtomically } from '@steward/platform'

const PRIVATE = 0o600
const WAIT_MS = 5000

/** Sets one variable in the data home's `.env` and leaves all other lines alone. Only the owner can read the file. */
export const storeVariable = (
  { envFile }: Pick<Home, 'envFile'>,
  name: string,
  value: string,
): Promise<void> =>
  withLock(
    `${envFile}.lock`,
    async () => {
      await writeFileAtomically(
        envFile,
        withVariable((await readIfPresent(envFile)) ?? '', name, value),
      )
      await chmod(envFile, PRIVATE)
    },
    { waitMs: WAIT_MS },
  )

/** Replaces the last line that sets the variable, or appends a line. */
export const withVariable = (text: string, name: string, value: string): string => {
  const line = `${name}=${value}`
  const existing = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'gm')
  const last = [...text.matchAll(existing)].at(-1)
  if (last !== undefined) {
    return `${text.slice(0, last.index)}${line}${text.slice(last.index + last[0].length)}`
  }
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  return `${text}${separator}${line}\n`
}
