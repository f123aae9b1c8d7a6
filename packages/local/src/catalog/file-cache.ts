import { statSync } from 'node:fs'

/** Remembers what was made from files for as long as the files stay as they were (time and size). */
export const createFileCache = <Made>() => {
  const made = new Map<string, { stamp: string; value: Made }>()
  return {
    get: (key: string, files: readonly string[], make: () => Made): Made => {
      const stamp = files.map(stampOf).join()
      const known = made.get(key)
      if (known?.stamp === stamp) return known.value
      const value = make()
      made.set(key, { stamp, value })
      return value
    },
  }
}

const stampOf = (file: string): string => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? 'none' : `${stat.mtimeNs}:${stat.size}:${stat.ino}`
}
