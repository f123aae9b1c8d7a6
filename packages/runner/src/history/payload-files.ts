import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StewardError } from '@steward/contract'
import { storageErrorOf } from '@steward/platform'

/** Large payloads, each a file named after the SHA-256 of its content. */
export interface PayloadFiles {
  /** Writes the content to disk, synced, unless it exists. */
  keep(hash: string, content: Buffer): void
  read(hash: string): string
  remove(hash: string): void
  /** The names of all files, one folder at a time. */
  list(): Iterable<string[]>
}

export const hashPayload = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex')

export const createPayloadFiles = (directory: string): PayloadFiles => {
  const locate = (hash: string): string => join(directory, hash.slice(0, 2), hash)
  return {
    keep: (hash, content) => {
      const path = locate(hash)
      try {
        if (existsSync(path) && statSync(path).size === content.byteLength) return
        writeSynced(path, content)
      } catch (thrown) {
        throw storageErrorOf(path, thrown)
      }
    },
    read: (hash) => {
      const path = locate(hash)
      const content = readContent(path)
      if (hashPayload(content) === hash) return content.toString('utf8')
      const reason = 'the stored payload was changed after it was written'
      throw new StewardError('storage_failed', { path, reason })
    },
    remove: (hash) => rmSync(locate(hash), { force: true }),
    *list() {
      if (!existsSync(directory)) return
      for (const folder of readdirSync(directory)) yield readdirSync(join(directory, folder))
    },
  }
}

const readContent = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'the stored payload cannot be read')
  }
}

const writeSynced = (path: string, content: Buffer): void => {
  const folder = dirname(path)
  const isNewFolder = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  const draft = `${path}.draft`
  writeFileSync(draft, content, { mode: 0o600, flush: true })
  renameSync(draft, path)
  syncFolder(folder)
  if (isNewFolder) syncFolder(dirname(folder))
}

const syncFolder = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
