import { constants } from 'node:fs'
import { chmod, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { matchesWildcards, parseWildcards, StewardError } from '@steward/contract'
import { createOutputBuffer } from '@steward/platform'

const SAFE_NAME = /^[\p{L}\p{N}_][\p{L}\p{N} _.,+=@-]*$/u
const SAFE_PATTERN = /^[\p{L}\p{N}_*][\p{L}\p{N} _.,+=@*-]*$/u
const MANY_FILES = 1000

/** A private folder for one command: filled before, read after, then removed. */
export interface WorkDir {
  path: string
  put: (files: Readonly<Record<string, Uint8Array>>) => Promise<void>
  collect: (patterns: readonly string[], maxBytes: number) => Promise<Collected>
  remove: () => Promise<void>
}

interface Collected {
  files: Record<string, string>
  truncated: boolean
}

export const createWorkDir = async (parent: string = tmpdir()): Promise<WorkDir> => {
  const path = await realpath(await mkdtemp(join(parent, 'steward-shell-')))
  return {
    path,
    put: async (files) => {
      for (const [name, bytes] of Object.entries(files)) {
        checkName(name, SAFE_NAME, 'files')
        await writeFile(join(path, name), bytes, { flag: 'wx' })
      }
    },
    collect: (patterns, maxBytes) => collectFiles(path, patterns, maxBytes),
    remove: () => removeAll(path),
  }
}

/** Rejects names that would leave the folder, before anything runs. */
export const checkFileNames = (names: readonly string[], patterns: readonly string[]): void => {
  for (const name of names) checkName(name, SAFE_NAME, 'files')
  for (const pattern of patterns) checkName(pattern, SAFE_PATTERN, 'collect')
}

const checkName = (name: string, safe: RegExp, field: string): void => {
  if (typeof name === 'string' && safe.test(name)) return
  throw new StewardError('invalid_input', {
    subject: 'shell',
    field,
    reason: `${JSON.stringify(name)} in ${field} is not a plain file name`,
  })
}

const collectFiles = async (
  folder: string,
  patterns: readonly string[],
  maxBytes: number,
): Promise<Collected> => {
  const found: Array<[string, string]> = []
  let truncated = false
  if (patterns.length === 0) return { files: {}, truncated }
  const wanted = patterns.map((pattern) => parseWildcards(pattern))
  const entries = await readdir(folder, { withFileTypes: true })
  // Links are skipped: they may point anywhere on this machine.
  const names = entries
    .filter(
      (entry) => entry.isFile() && wanted.some((pattern) => matchesWildcards(pattern, entry.name)),
    )
    .map((entry) => entry.name)
    .toSorted()
  let left = maxBytes
  for (const name of names.slice(0, MANY_FILES)) {
    const content = await readStart(join(folder, name), left)
    found.push([name, content.text])
    left -= content.bytes
    truncated ||= content.truncated
  }
  return { files: Object.fromEntries(found), truncated: truncated || names.length > MANY_FILES }
}

const readStart = async (
  file: string,
  maxBytes: number,
): Promise<{ text: string; bytes: number; truncated: boolean }> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const buffer = createOutputBuffer(maxBytes)
    let bytes = 0
    for await (const chunk of handle.createReadStream({ autoClose: false, end: maxBytes })) {
      buffer.add(chunk)
      bytes += chunk.length
    }
    return {
      text: buffer.text(),
      bytes: Math.min(bytes, maxBytes),
      truncated: buffer.isTruncated(),
    }
  } finally {
    await handle.close()
  }
}

const removeAll = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // A command may have removed permissions from its folders; the owner can restore them.
    await openFolders(path)
    await rm(path, { recursive: true, force: true })
  }
}

const openFolders = async (path: string): Promise<void> => {
  await chmod(path, 0o700)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(path, entry.name))
  }
}
