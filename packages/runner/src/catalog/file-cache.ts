import { type Stats, statSync } from 'node:fs'

interface Kept<Made> {
  files: readonly string[]
  stamps: ReadonlyArray<Stats | undefined>
  value: Made
}

/** Caches what was made from files while the files are unchanged (time and size). */
export const createFileCache = <Made>() => {
  const made = new Map<string, Kept<Made>>()
  return {
    /**
     * The cached value for `key`, if its files are unchanged. Called before every run, so it
     * allocates nothing.
     */
    find: (key: string): Made | undefined => {
      const known = made.get(key)
      return known !== undefined && isUnchanged(known) ? known.value : undefined
    },
    keep: (key: string, files: readonly string[], make: () => Made): Made => {
      // Read before the value is made, so that a change meanwhile is noticed the next time.
      const stamps = files.map(stampOf)
      const value = make()
      made.set(key, { files, stamps, value })
      return value
    },
  }
}

const isUnchanged = ({ files, stamps }: Kept<unknown>): boolean => {
  for (const [index, file] of files.entries()) {
    if (!isSame(stamps[index], stampOf(file))) return false
  }
  return true
}

/** A missing file has a stamp too, because its creation is a change. */
const stampOf = (file: string): Stats | undefined => statSync(file, NOT_THERE_IS_FINE)
const NOT_THERE_IS_FINE = { throwIfNoEntry: false } as const

const isSame = (a: Stats | undefined, b: Stats | undefined): boolean =>
  a === b || (a?.mtimeMs === b?.mtimeMs && a?.size === b?.size && a?.ino === b?.ino)
