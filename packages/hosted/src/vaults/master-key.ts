import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { StewardError } from '@steward/contract'
import { readIfPresent, writeOnce } from '@steward/platform'

export interface MasterKeyPlace {
  /** `STEWARD_HOSTED_MASTER_KEY`: 32 bytes as base64 or hex; overrides the file. */
  given: string | undefined
  /** Created if missing; readable only by its owner. */
  path: string
}

const KEY_BYTES = 32

/** The key that seals secrets. Processes that share a store must share the key too. */
export const loadMasterKey = async ({ given, path }: MasterKeyPlace): Promise<Uint8Array> => {
  if (given !== undefined) return decode(given, 'STEWARD_HOSTED_MASTER_KEY')
  const known = await readIfPresent(path)
  if (known !== undefined) return decode(known, path)
  await writeOnce(path, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  await chmod(path, 0o600)
  return decode((await readIfPresent(path)) ?? '', path)
}

const decode = (text: string, subject: string): Uint8Array => {
  const trimmed = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : Buffer.from(trimmed, 'base64')
  if (bytes.length === KEY_BYTES) return bytes
  throw new StewardError('not_configured', {
    subject,
    reason: `a master key is ${KEY_BYTES} bytes as base64 or hex; this one has ${bytes.length}`,
  })
}
