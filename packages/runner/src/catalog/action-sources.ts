import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFolder } from './read-folder.ts'

/** The hash of the files that determine what an action does, without tests. */
export const hashSources = (path: string): string => {
  const hash = createHash('sha256')
  for (const item of readFolder(path)) {
    const isSource = item.isFile() && /\.(json|[cm]?[jt]s|py|sh|txt)$/.test(item.name)
    if (!isSource || /\.test\.[cm]?[jt]s$/.test(item.name)) continue
    hash.update(`${item.name}\0${readFileSync(join(path, item.name), 'utf8')}\0`)
  }
  return hash.digest('hex')
}
