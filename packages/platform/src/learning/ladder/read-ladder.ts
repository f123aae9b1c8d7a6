import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  LADDER_STAGES,
  type LadderItem,
  type LadderStage,
  readFrontMatter,
  reasonOf,
} from '@steward/contract'
import { isMissing } from '../../error-code.ts'
import { LADDER_ORDER } from './ladder-stages.ts'

/**
 * A file in a stage's folder that is not an item, with the reason. `file` is relative to the
 * ladder.
 */
export interface LadderProblem {
  file: string
  reason: string
}

export interface LadderEntry extends LadderItem {
  stage: LadderStage
  /** Relative to the ladder. */
  file: string
}

export interface Ladder {
  /** Whether its folder exists. */
  available: boolean
  entries: readonly LadderEntry[]
  problems: readonly LadderProblem[]
}

/** Frontmatter is at the top, so large files are not read completely. */
const READ_BYTES = 64 * 1024
const READ_AT_ONCE = 32

/** Every stage with its items by id; unparseable files are reported. */
export const readLadder = async (root: string): Promise<Ladder> => {
  if ((await namesIn(root)) === undefined) return { available: false, entries: [], problems: [] }
  const found: Array<LadderEntry | LadderProblem> = []
  for (const stage of LADDER_ORDER) {
    const { folder } = LADDER_STAGES[stage]
    const files = ((await namesIn(join(root, folder))) ?? []).filter(isItemFile).toSorted()
    for (let from = 0; from < files.length; from += READ_AT_ONCE) {
      const batch = files.slice(from, from + READ_AT_ONCE)
      found.push(...(await Promise.all(batch.map((name) => readEntry(root, stage, name)))))
    }
  }
  return { available: true, ...nameTwins(found) }
}

/** `README.md` and names that begin with `_` or `.` are not items. */
const isItemFile = (name: string): boolean => /^(?![._]|readme\.md$).*\.md$/i.test(name)

const namesIn = async (folder: string): Promise<string[] | undefined> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

const readEntry = async (
  root: string,
  stage: LadderStage,
  name: string,
): Promise<LadderEntry | LadderProblem> => {
  const { folder, prefix } = LADDER_STAGES[stage]
  const file = `${folder}/${name}`
  let text: string
  try {
    text = await readTop(join(root, folder, name))
  } catch (thrown) {
    return { file, reason: `it cannot be read: ${reasonOf(thrown)}` }
  }
  const { fields, body, faults } = readFrontMatter(text)
  if (faults[0] !== undefined) return { file, reason: faults[0] }
  const id = (fields.get('id') || /^[A-Za-z]{2}-\d+/.exec(name)?.[0] || '').toUpperCase()
  if (id === '') return { file, reason: 'it has no id' }
  if (!new RegExp(`^${prefix}-\\d+$`).test(id)) {
    return { file, reason: `the id ${id} does not belong in ${folder}: use ${prefix}-001` }
  }
  const title = fields.get('title') || /^#\s+(.+)$/m.exec(body)?.[1]?.trim()
  if (title === undefined) return { file, reason: 'it has no title' }
  const from = fields.get('from')
  return {
    id,
    title,
    status: fields.get('status') || 'open',
    created: fields.get('created') ?? '',
    ...(from ? { from } : {}),
    ...textOf(body),
    stage,
    file,
  }
}

const LONGEST_TEXT = 600

/** Without the heading and the line about its origin, which `title` and `from` already tell. */
const textOf = (body: string): { text?: string } => {
  const text = body
    .replace(/^\s*#\s+.+$/m, '')
    .replace(/^Grew out of \[.+$/m, '')
    .trim()
  if (text === '') return {}
  return { text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text }
}

const readTop = async (path: string): Promise<string> => {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(READ_BYTES)
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Of two files with the same id the first is the item; the other is reported. */
const nameTwins = (
  found: ReadonlyArray<LadderEntry | LadderProblem>,
): Pick<Ladder, 'entries' | 'problems'> => {
  const byId = new Map<string, LadderEntry>()
  const problems: LadderProblem[] = []
  for (const each of found) {
    if ('reason' in each) {
      problems.push(each)
      continue
    }
    const twin = byId.get(each.id)
    if (twin === undefined) byId.set(each.id, each)
    else problems.push({ file: each.file, reason: `its id ${each.id} is that of ${twin.file}` })
  }
  const entries = [...byId.values()].toSorted(
    (a, b) =>
      LADDER_ORDER.indexOf(a.stage) - LADDER_ORDER.indexOf(b.stage) ||
      ladderNumberOf(a.id) - ladderNumberOf(b.id),
  )
  return { entries, problems }
}

/** `7` of `SR-007`. */
export const ladderNumberOf = (id: string): number => Number(id.slice(id.indexOf('-') + 1))
