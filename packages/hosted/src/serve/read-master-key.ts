import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFields, StewardError } from '@steward/contract'

/** Machines that share a database share this key too. */
export const MASTER_KEY_VARIABLE = 'STEWARD_HOSTED_MASTER_KEY'

const KEY_BYTES = 32

/** The key that secrets are sealed with: from the environment, else from a file made at first start. */
export const readMasterKey = async (
  env: Readonly<Record<string, string | undefined>>,
  path: string,
): Promise<Uint8Array> => {
  const given = env[MASTER_KEY_VARIABLE]
  if (given !== undefined && given !== '') return decode(given, MASTER_KEY_VARIABLE)
  return decode((await readIfThere(path)) ?? (await makeKey(path)), path)
}

const decode = (text: string, subject: string): Uint8Array => {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length === KEY_BYTES) return bytes
  const reason = `it must be ${KEY_BYTES} bytes in base64`
  throw new StewardError('not_configured', { subject, reason })
}

/** Of several that start at once, one makes it: the others read what it made. */
const makeKey = async (path: string): Promise<string> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const own = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(own, `${randomBytes(KEY_BYTES).toString('base64')}\n`, {
    mode: 0o600,
    flush: true,
  })
  try {
    await link(own, path)
  } catch (thrown) {
    if (!isFields(thrown) || thrown.code !== 'EEXIST') throw thrown
  } finally {
    await rm(own)
  }
  return readFile(path, 'utf8')
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isFields(thrown) && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
