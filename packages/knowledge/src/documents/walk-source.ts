import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { LIMITS, reasonOf } from '@steward/contract'
import { codeOf, isMissing } from '@steward/platform'
import type { ReadDrafts, WikiSource } from './wiki-source.ts'

/** A problem with a file that is not a document; `file` begins with the source's key. */
export interface WikiFinding {
  file: string
  reason: string
}

export interface SourceFile {
  relative: string
  read: ReadDrafts
  /** The version of the file. */
  mark: string
  writtenMs: number
}

export interface Walked {
  files: SourceFile[]
  /** The scanned folders, for watching. */
  folders: string[]
  findings: WikiFinding[]
}

const SKIPPED = new Set(['node_modules'])

/** Finds the documents of a source. Hidden files are skipped and links are not followed. */
export const walkSource = (source: WikiSource, room: number): Walked => {
  const walked: Walked = { files: [], folders: [], findings: [] }
  const report = (relative: string, reason: string): void => {
    const file = relative === '' ? source.key : `${source.key}/${relative}`
    walked.findings.push({ file, reason })
  }
  const lookInto = (relative: string, depth: number): void => {
    for (const name of listNames(source, relative, walked, report)) {
      const path = relative === '' ? name : `${relative}/${name}`
      const read = source.readerOf(path)
      const found = lstatSync(join(source.root, path), { bigint: true, throwIfNoEntry: false })
      if (found === undefined) continue
      if (found.isDirectory()) {
        if (depth > 0) lookInto(path, depth - 1)
      } else if (found.isSymbolicLink()) {
        if (leadsOut(source.root, path))
          report(path, 'it is a link out of the directory; those are not followed')
      } else if (read !== undefined) takeFile(path, read, found)
    }
  }
  const takeFile = (relative: string, read: ReadDrafts, found: BigIntStats): void => {
    if (!found.isFile()) return
    if (found.size > LIMITS.wikiDocumentBytes) {
      report(relative, `it is ${found.size} bytes; the limit is ${LIMITS.wikiDocumentBytes}`)
    } else if (walked.files.length < room) {
      const mark = `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
      walked.files.push({ relative, read, mark, writtenMs: Number(found.mtimeMs) })
    } else if (walked.files.length === room && !isFull) {
      isFull = true
      report('', `there are more than ${LIMITS.wikiDocuments} documents; the rest is skipped`)
    }
  }
  let isFull = false
  lookInto('', source.depth)
  return walked
}

const listNames = (
  { root }: WikiSource,
  relative: string,
  walked: Walked,
  report: (relative: string, reason: string) => void,
): string[] => {
  const folder = join(root, relative)
  try {
    const names = readdirSync(folder)
    walked.folders.push(folder)
    return names.filter((name) => !name.startsWith('.') && !SKIPPED.has(name)).toSorted()
  } catch (thrown) {
    if (!isMissing(thrown))
      report(relative, `it cannot be read: ${codeOf(thrown) ?? reasonOf(thrown)}`)
    return []
  }
}

/** A link within the directory points to a file that is found anyway. */
const leadsOut = (root: string, relative: string): boolean => {
  try {
    return !realpathSync(join(root, relative)).startsWith(`${realpathSync(root)}${sep}`)
  } catch (thrown) {
    if (isMissing(thrown) || codeOf(thrown) === 'ELOOP') return false
    throw thrown
  }
}
