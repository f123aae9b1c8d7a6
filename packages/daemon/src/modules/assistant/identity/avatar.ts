import { constants, type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { codeOf, isMissing } from '@steward/platform'

interface AvatarForm {
  ending: string
  type: string
  fits: (bytes: Buffer) => boolean
}

const startsWith = (bytes: Buffer, start: string, at = 0): boolean =>
  bytes.subarray(at, at + start.length).toString('latin1') === start

const FORMS: readonly AvatarForm[] = [
  { ending: 'png', type: 'image/png', fits: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n') },
  { ending: 'jpg', type: 'image/jpeg', fits: (bytes) => startsWith(bytes, '\xff\xd8\xff') },
  { ending: 'jpeg', type: 'image/jpeg', fits: (bytes) => startsWith(bytes, '\xff\xd8\xff') },
  {
    ending: 'webp',
    type: 'image/webp',
    fits: (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
  },
  {
    ending: 'svg',
    type: 'image/svg+xml',
    fits: (bytes) => /<svg[\s>]/i.test(bytes.subarray(0, 4096).toString('utf8')),
  },
]

export interface Avatar {
  type: string
  bytes: Buffer
}

/** A picture must not run or load anything, even when opened directly. */
export const AVATAR_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/**
 * The person's own picture, or undefined. Links, other file types and other formats are refused.
 */
export const readAvatar = async (folder: string): Promise<Avatar | undefined> => {
  for (const { ending, type, fits } of FORMS) {
    const name = `avatar.${ending}`
    const file = await openPlainly(join(folder, name), name)
    if (file === undefined) continue
    try {
      const stats = await file.stat()
      if (!stats.isFile()) throw refuse(name, 'it is not a file')
      if (stats.size > LIMITS.avatarBytes) {
        const details = { subject: name, bytes: stats.size, limit: LIMITS.avatarBytes }
        throw new StewardError('payload_too_large', details)
      }
      const bytes = await file.readFile()
      if (!fits(bytes)) throw refuse(name, `its content is not ${type}`)
      return { type, bytes }
    } finally {
      await file.close()
    }
  }
  return undefined
}

const openPlainly = async (path: string, name: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    if (codeOf(thrown) === 'ELOOP') throw refuse(name, 'it is a link')
    throw thrown
  }
}

const refuse = (subject: string, reason: string): StewardError =>
  new StewardError('rejected_content', { subject, reason })
