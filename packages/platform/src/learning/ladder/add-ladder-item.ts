import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { formatFrontMatter, LADDER_STAGES, type LadderStage, StewardError } from '@steward/contract'
import { writeFileAtomically } from '../../files/write-file-atomically.ts'
import { withLock } from '../../locks/with-lock.ts'
import { storageErrorOf } from '../../storage-error.ts'
import { findLadderEntry } from './find-ladder-entry.ts'
import { type LadderEntry, ladderNumberOf, readLadder } from './read-ladder.ts'

export interface NewLadderItem {
  stage: LadderStage
  title: string
  /** The id of the item it is derived from. */
  from?: string
  /** Markdown below the frontmatter; by default a heading with the title. */
  body?: string
}

const LOCK_WAIT_MS = 10_000
const LONGEST_TITLE = 200

/** Reads and writes the ladder under a lock, one process at a time. */
export const withLadderLock = <T>(root: string, work: () => Promise<T>): Promise<T> =>
  withLock(join(root, '.ladder.lock'), work, { waitMs: LOCK_WAIT_MS })

/** Adds an item with the next free id of its stage. */
export const addLadderItem = (
  root: string,
  item: NewLadderItem,
  now: () => Date,
): Promise<LadderEntry> => withLadderLock(root, () => writeLadderItem(root, item, now()))

/** Like `addLadderItem`, for a caller that holds the lock. */
export const writeLadderItem = async (
  root: string,
  item: NewLadderItem,
  at: Date,
): Promise<LadderEntry> => {
  const title = checkTitle(item.title)
  const { stage } = item
  const { folder } = LADDER_STAGES[stage]
  const from =
    item.from === undefined ? undefined : findLadderEntry(await readLadder(root), item.from)
  const id = await nextId(root, stage)
  const file = `${folder}/${id}.md`
  const fields = {
    id,
    title,
    status: 'open',
    created: at.toISOString(),
    ...(from === undefined ? {} : { from: from.id }),
  }
  const body = item.body ?? defaultBody(title, from)
  await writeFileAtomically(
    join(root, file),
    `---\n${formatFrontMatter(fields)}---\n\n${body.trimEnd()}\n`,
    {
      mode: 0o644,
    },
  )
  return { ...fields, stage, file }
}

const checkTitle = (given: string): string => {
  const title = given.replaceAll(/\s+/g, ' ').trim()
  const refuse = (reason: string) =>
    new StewardError('invalid_input', { subject: 'the title', reason, field: 'title' })
  if (title === '') throw refuse('it is empty')
  if (title.length > LONGEST_TITLE) {
    throw refuse(`it is ${title.length} characters long; at most ${LONGEST_TITLE}: use the body`)
  }
  return title
}

const defaultBody = (title: string, from: LadderEntry | undefined): string => {
  const origin = from === undefined ? '' : `\nGrew out of [${from.id}](../${from.file}).\n`
  return `# ${title}\n${origin}`
}

/** One above the highest, including names and ids of broken files, so that ids are never reused. */
const nextId = async (root: string, stage: LadderStage): Promise<string> => {
  const { folder, prefix } = LADDER_STAGES[stage]
  try {
    await mkdir(join(root, folder), { recursive: true })
    const names = await readdir(join(root, folder))
    const named = names.flatMap((name) => {
      const id = new RegExp(`^${prefix}-\\d+`, 'i').exec(name)?.[0]
      return id === undefined ? [] : [ladderNumberOf(id)]
    })
    const { entries } = await readLadder(root)
    const used = entries.filter((each) => each.stage === stage).map(({ id }) => ladderNumberOf(id))
    const highest = [...named, ...used].reduce((a, b) => Math.max(a, b), 0)
    return `${prefix}-${String(highest + 1).padStart(3, '0')}`
  } catch (thrown) {
    throw storageErrorOf(join(root, folder), thrown)
  }
}
