import { statSync } from 'node:fs'

/** Remembers what was made from files for as long as the files stay as they were (time and size). */
export const createFileCache = <Made>() => {
  const made = new Map<string, { files: readonly string[]; stamp: string; value: Made }>()
  return {
    /** What was made for `key`, if its files are unchanged. */
    find: (key: string): Made | undefined => {
      const known = made.get(key)
      return known !== undefined && known.stamp === stampOf(known.files) ? known.value : undefined
    },
    keep: (key: string, files: readonly string[], make: () => Made): Made => {
      // Before it is made: a change meanwhile is then seen the next time.
      const stamp = stampOf(files)
      const value = make()
      made.set(key, { files, stamp, value })
      return value
    },
  }
}

/** A file that is not there has a stamp too: its coming is a change. */
const stampOf = (files: readonly string[]): string => {
  let stamp = ''
  for (const file of files) {
    const stat = statSync(file, { throwIfNoEntry: false })
    stamp += stat === undefined ? '-,' : `${stat.mtimeMs}:${stat.size}:${stat.ino},`
  }
  return stamp
}
