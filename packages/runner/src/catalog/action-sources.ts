import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFolder } from './read-folder.ts'

/** The files that determine what an action does, without tests. */
export interface ActionSources {
  sources: Map<string, string>
  /** The hash over all of them. */
  hash: string
}

export const readSources = (path: string): ActionSources => {
  const sources = new Map(
    readFolder(path)
      .filter(
        (item) =>
          item.isFile() &&
          /\.(json|[cm]?[jt]s|py|sh|txt)$/.test(item.name) &&
          !/\.test\.[cm]?[jt]s$/.test(item.name),
      )
      .map((item) => [item.name, readFileSync(join(path, item.name), 'utf8')]),
  )
  const hash = createHash('sha256')
  for (const [name, text] of sources) hash.update(`${name}\0${text}\0`)
  return { sources, hash: hash.digest('hex') }
}
