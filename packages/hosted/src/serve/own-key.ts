import { readIfPresent, writeFileAtomically } from '@steward/platform'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { hashSecret } from '../keys/key.ts'
import { createKey, findKey } from '../keys/keys.ts'

/** The key in the file, if it exists. */
export const readOwnKey = async (path: string): Promise<string | undefined> =>
  (await readIfPresent(path))?.trim()

/** Ensures that this machine's command line has a valid key for this database. */
export const ensureOwnKey = async (
  database: HostedDatabase,
  path: string,
  nowMs: number,
): Promise<string> => {
  const known = await readOwnKey(path)
  if (known !== undefined) {
    const key = await database.read(() => findKey(hashSecret(known)))
    if (key !== undefined && key.revokedMs === null) return known
  }
  const { secret } = await database.write(() =>
    createKey({ name: "this machine's command line", scope: 'admin', nowMs }),
  )
  await writeFileAtomically(path, `${secret}\n`, { mode: 0o600 })
  return secret
}
