import { open } from 'node:fs/promises'
import { reasonOf, StewardError } from '@steward/contract'

/**
 * Adds one line to a log. The line is handed to the system in a single append, so lines of several
 * processes never mix. `durable` waits until it is on the disk.
 */
export const appendJsonLine = async (
  path: string,
  value: unknown,
  { durable = false }: { durable?: boolean } = {},
): Promise<void> => {
  const text = JSON.stringify(value)
  if (text === undefined) {
    throw new StewardError('storage_failed', { path, reason: 'the value has no JSON form' })
  }
  const line = Buffer.from(`${text}\n`)
  try {
    const file = await open(path, 'a', 0o600)
    try {
      const { bytesWritten } = await file.write(line)
      if (bytesWritten !== line.length) {
        throw new Error(`only ${bytesWritten} of ${line.length} bytes were written`)
      }
      if (durable) await file.sync()
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw new StewardError('storage_failed', { path, reason: reasonOf(thrown) }, thrown)
  }
}
