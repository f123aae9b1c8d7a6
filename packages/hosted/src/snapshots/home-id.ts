import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { readIfPresent, writeOnce } from '@steward/platform'

/** Identifies a data home among the servers that share a store. */
export const loadHomeId = async (folder: string): Promise<string> => {
  const path = join(folder, 'home-id')
  const known = await readIfPresent(path)
  if (known !== undefined) return known.trim()
  await writeOnce(path, `${randomUUID()}\n`)
  return ((await readIfPresent(path)) ?? '').trim()
}
