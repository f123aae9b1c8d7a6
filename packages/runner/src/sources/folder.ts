import { constants, type Stats } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, extname, join, matchesGlob, resolve } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { type FlowItem, type SourceOf, sha256Hex } from '@steward/engine'
import { expandTilde, isInside } from '@steward/platform'
import { z } from 'zod'
import type { ReadSource } from './source.ts'

const folderState = z.object({
  /** Size and time of the files that were read or left out. */
  files: z.record(z.string(), z.string()).default({}),
})

/** What one run reads at most; the next run continues. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * The files of a folder that are new or have changed since the last run. Links are not followed and
 * hidden files are left out. A file is an item per content: after a change it is a new one.
 */
export const readFolder: ReadSource<'folder'> = async (source, ports) => {
  const { memory, report } = ports
  const root = await findRoot(resolve(ports.folder, expandTilde(source.path, homedir())))
  const before = folderState.parse((await memory.recall(source)) ?? {}).files
  const closed = await Promise.all((ports.folders.never ?? []).map(realOrSelf))
  if (closed.some((each) => isInside(each, root))) {
    const reason = `${source.path} belongs to Steward, or the flow writes there: choose another folder`
    throw new StewardError('not_configured', { subject: 'the folder source', reason })
  }
  const names = await listFiles(root, source, (path) => closed.some((each) => isInside(each, path)))
  const files: Record<string, string> = {}
  const items: FlowItem[] = []
  const leftOut: string[] = []
  let bytes = 0
  for (const name of names) {
    ports.signal?.throwIfAborted()
    const isFull = items.length >= LIMITS.flowItemsPerRun || bytes >= MOST_BYTES
    const known = before[name]
    const read = await readOne(root, name, { known, isFull, maxBytes: source.maxBytes })
    if (read.stamp !== undefined) files[name] = read.stamp
    if (read.leftOut !== undefined) leftOut.push(`${name}: ${read.leftOut}`)
    if (read.item === undefined) continue
    items.push(read.item)
    bytes += read.bytes
  }
  memory.keep(source, { files })
  if (leftOut.length > 0) {
    const reason = `${leftOut.length === 1 ? 'a file was' : `${leftOut.length} files were`} left out: ${leftOut.slice(0, 3).join(', ')}`
    report(new StewardError('rejected_content', { subject: source.path, reason }))
  }
  return items
}

const findRoot = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return realpath(path)
  const reason = found === undefined ? 'there is no such folder' : 'it is not a folder'
  throw new StewardError('upstream_failed', { service: path, reason })
}

const realOrSelf = (path: string): Promise<string> => realpath(path).catch(() => path)

/** The matching files in order, relative to the folder, with `/` on every system. */
const listFiles = async (
  root: string,
  { glob }: SourceOf<'folder'>,
  isClosed: (path: string) => boolean,
): Promise<string[]> => {
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || isClosed(join(root, name))) continue
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile() && matchesGlob(name, glob)) found.push(name)
    }
    if (found.length <= LIMITS.watchedFiles) continue
    const reason = `it has more than ${LIMITS.watchedFiles} files that match ${glob}: use a narrower glob`
    throw new StewardError('not_configured', { subject: 'the folder source', reason })
  }
  return found.toSorted()
}

interface ReadFile {
  /** Undefined if the next run has to look again. */
  stamp?: string
  item?: FlowItem
  bytes: number
  /** Why its content cannot be used. */
  leftOut?: string
}

const readOne = async (
  root: string,
  name: string,
  { known, isFull, maxBytes }: { known: string | undefined; isFull: boolean; maxBytes: number },
): Promise<ReadFile> => {
  const nothing = { bytes: 0 }
  // NOFOLLOW: the file may have been replaced by a link since it was listed.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(join(root, name), flags).catch(() => undefined)
  if (file === undefined) return nothing
  try {
    const found = await file.stat()
    const stamp = stampOf(found)
    if (stamp === known) return { ...nothing, stamp }
    if (isFull || !found.isFile()) return nothing
    if (found.size > maxBytes) {
      return { ...nothing, stamp, leftOut: `larger than ${maxBytes} bytes` }
    }
    const content = decode(await file.readFile())
    // It is being written: the next run gets it as a whole.
    if (stampOf(await file.stat()) !== stamp) return nothing
    if (content === undefined) return { ...nothing, stamp, leftOut: 'not UTF-8 text' }
    return { stamp, bytes: found.size, item: toItem(name, content, found) }
  } finally {
    await file.close()
  }
}

const stampOf = ({ mtimeMs, size, ino }: Stats): string => `${mtimeMs}:${size}:${ino}`

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const toItem = (path: string, content: string, { mtime }: Stats): FlowItem => {
  const name = basename(path)
  const title = basename(path, extname(path)).replaceAll(/[-_]+/g, ' ')
  return {
    id: `${path}:${sha256Hex(content)}`,
    title,
    payload: { content, title, path, name, modified_at: mtime.toISOString() },
  }
}
