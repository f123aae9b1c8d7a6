import { readFileSync, statSync } from 'node:fs'

interface KnownFile {
  inode: number
  size: number
  keys: Set<string>
}

/** Flows write to few files; the one that was written to longest ago is read again. */
const MOST_FILES = 16
const files = new Map<string, KnownFile>()

/**
 * Whether a JSONL file may hold a line with this key. A file is read once and again only when others
 * have written to it, so that appending to a long file stays quick. Only for the holder of its lock.
 */
export const mayHoldKey = (file: string, key: string): boolean => {
  const { ino, size } = statSync(file)
  const known = files.get(file)
  if (known?.inode === ino && known.size === size) return known.keys.has(key)
  const keys = new Set<string>()
  for (const [, found] of readFileSync(file, 'utf8').matchAll(KEY)) {
    if (found !== undefined) keys.add(found)
  }
  keep(file, { inode: ino, size, keys })
  return keys.has(key)
}

/** Notes a line that was just appended. */
export const rememberKey = (file: string, key: string): void => {
  const { ino, size } = statSync(file)
  const known = files.get(file)
  const keys = known?.inode === ino ? known.keys : new Set<string>()
  keep(file, { inode: ino, size, keys: keys.add(key) })
}

const KEY = /"key":"([0-9a-f]{32})"/g

const keep = (file: string, known: KnownFile): void => {
  files.delete(file)
  files.set(file, known)
  const [oldest] = files.keys()
  if (files.size > MOST_FILES && oldest !== undefined) files.delete(oldest)
}
