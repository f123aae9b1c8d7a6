import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const LARGEST_BYTES = 16 * 1024 * 1024

/** The daemon's output in a file with rotation; the previous file is kept as `.1`. */
export const openDaemonLog = (path: string, largestBytes: number = LARGEST_BYTES) => {
  const open = () => openSync(path, 'a', 0o600)
  let file = open()
  let bytes = fstatSync(file).size
  return {
    write: (text: string | Uint8Array): void => {
      const chunk = Buffer.from(text)
      if (bytes > 0 && bytes + chunk.length > largestBytes) {
        closeSync(file)
        renameSync(path, `${path}.1`)
        file = open()
        bytes = 0
      }
      bytes += writeSync(file, chunk)
    },
    close: () => closeSync(file),
  }
}
