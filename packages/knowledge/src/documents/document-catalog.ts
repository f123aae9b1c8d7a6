import { join, posix } from 'node:path'
import { decodePercent } from '@steward/platform'
import { foldName } from '../notes/slugify.ts'
import type { WikiDocument } from './describe-draft.ts'

/** All documents by id, by name and by file. */
export interface DocumentCatalog {
  set: (document: WikiDocument) => void
  remove: (id: string) => void
  get: (id: string) => WikiDocument | undefined
  all: () => IterableIterator<WikiDocument>
  size: () => number
  /** Resolves `[[name]]`: an id, a title, or the last part of an id. */
  resolveName: (name: string) => WikiDocument | undefined
  /** Resolves a relative path from another document. */
  resolvePath: (from: WikiDocument, path: string) => WikiDocument | undefined
  /** The file of a document; undefined if it is generated. */
  pathOf: (id: string) => string | undefined
  /** Increases with every change. */
  version: () => number
}

export const createDocumentCatalog = (
  rootOf: (source: string) => string | undefined,
): DocumentCatalog => {
  const byId = new Map<string, WikiDocument>()
  const byName = new Map<string, Set<string>>()
  const byFile = new Map<string, string>()
  let version = 0
  const fileOf = ({ source, file }: Pick<WikiDocument, 'source' | 'file'>): string | undefined => {
    const root = rootOf(source)
    return root === undefined || file === '' ? undefined : join(root, file)
  }
  const remove = (id: string): void => {
    const known = byId.get(id)
    if (known === undefined) return
    byId.delete(id)
    for (const name of namesOf(known)) {
      const ids = byName.get(name)
      ids?.delete(id)
      if (ids?.size === 0) byName.delete(name)
    }
    const path = fileOf(known)
    if (path !== undefined && byFile.get(path) === id) byFile.delete(path)
    version++
  }
  return {
    set: (document) => {
      if (byId.has(document.id)) remove(document.id)
      byId.set(document.id, document)
      for (const name of namesOf(document)) {
        const ids = byName.get(name)
        if (ids === undefined) byName.set(name, new Set([document.id]))
        else ids.add(document.id)
      }
      const path = fileOf(document)
      if (path !== undefined && !byFile.has(path)) byFile.set(path, document.id)
      version++
    },
    remove,
    get: (id) => byId.get(id),
    all: () => byId.values(),
    size: () => byId.size,
    resolveName: (name) => {
      const ids = byName.get(foldName(name))
      const [first] = ids === undefined ? [] : [...ids].toSorted(byLength)
      return first === undefined ? undefined : byId.get(first)
    },
    resolvePath: (from, path) => {
      const file = fileOf({ source: from.source, file: posix.dirname(from.file || '.') })
      if (file === undefined || from.file === '') return undefined
      return byId.get(byFile.get(join(file, decodePercent(path))) ?? '')
    },
    pathOf: (id) => {
      const known = byId.get(id)
      return known === undefined ? undefined : fileOf(known)
    },
    version: () => version,
  }
}

/** The shortest id wins: `docs/feeds` before `handbook/old/feeds`. */
const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

const namesOf = ({ id, title }: WikiDocument): Set<string> =>
  new Set([foldName(id), foldName(id.split('/').at(-1) ?? id), foldName(title)])
