import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeIssues, issuesOf, parseJson, reasonOf } from '@steward/contract'
import type { Home } from '@steward/platform'
import { z } from 'zod'
import type { Log } from '../../../log/log.ts'

const schema = z.record(z.string().min(1), z.string())

/** `USER/VOICE/pronunciations.json`: spellings of terms. Reread when it changes. */
export interface PronunciationsFile {
  /** Checks the file, then applies the spellings. */
  pronounce: (text: string) => Promise<string>
  count: () => number
  /** The problem of the file, if any. */
  fault: () => string | undefined
  load: () => Promise<void>
}

export const pronunciationsPath = ({ user }: Pick<Home, 'user'>): string =>
  join(user.root, 'VOICE', 'pronunciations.json')

export const createPronunciationsFile = (
  path: string,
  log: Pick<Log, 'warn'>,
): PronunciationsFile => {
  let seen = ''
  let count = 0
  let fault: string | undefined
  let apply = createPronouncer({})

  const take = (terms: Record<string, string>, problem?: string) => {
    count = Object.keys(terms).length
    apply = createPronouncer(terms)
    fault = problem
    if (problem !== undefined) log.warn(`voice: ${problem}`)
  }
  const load = async (): Promise<void> => {
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    const signature = found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeNs}`
    if (signature === seen) return
    seen = signature
    if (found === undefined) return take({})
    try {
      const json = parseJson(await readFile(path, 'utf8'), path)
      if (!json.ok) return take({}, json.error.message)
      const terms = schema.safeParse(json.value)
      if (terms.success) return take(terms.data)
      take({}, `${path}: ${describeIssues(issuesOf(terms.error))}`)
    } catch (thrown) {
      take({}, `${path}: ${reasonOf(thrown)}`)
    }
  }
  return {
    load,
    pronounce: async (text) => {
      await load()
      return apply(text)
    },
    count: () => count,
    fault: () => fault,
  }
}

type Pronunciations = Readonly<Record<string, string>>

/**
 * Replaces terms by phonetic spellings: whole words, case-sensitive, without repeated replacement.
 */
export const createPronouncer = (terms: Pronunciations): ((text: string) => string) => {
  // Longest first, so that a term inside another does not win.
  const names = Object.keys(terms)
    .filter((term) => term !== '')
    .toSorted((a, b) => b.length - a.length)
  if (names.length === 0) return (text) => text
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:${names.map(quote).join('|')})(?![\\p{L}\\p{N}_])`,
    'gu',
  )
  return (text) => text.replace(pattern, (term) => terms[term] ?? term)
}

const quote = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
