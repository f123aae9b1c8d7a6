import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LadderStage, StewardError, setFrontMatter } from '@steward/contract'
import { writeFileAtomically } from '../../files/write-file-atomically.ts'
import { withLadderLock, writeLadderItem } from './add-ladder-item.ts'
import { findLadderEntry } from './find-ladder-entry.ts'
import { LADDER_ORDER, nextLadderStage } from './ladder-stages.ts'
import { type LadderEntry, readLadder } from './read-ladder.ts'

export interface Promotion {
  id: string
  /** A later stage than the next one, to skip stages. */
  to?: LadderStage
  /** Defaults to the item's own. */
  title?: string
  body?: string
}

/**
 * Creates an item in a later stage from an existing one, linked by `from`, and marks the old one as
 * promoted.
 */
export const promoteLadderItem = (
  root: string,
  promotion: Promotion,
  now: () => Date,
): Promise<{ from: LadderEntry; made: LadderEntry }> =>
  withLadderLock(root, async () => {
    const from = findLadderEntry(await readLadder(root), promotion.id)
    const stage = targetOf(from, promotion.to)
    const { title = from.title, body } = promotion
    const item = { stage, title, from: from.id, ...(body === undefined ? {} : { body }) }
    const made = await writeLadderItem(root, item, now())
    const path = join(root, from.file)
    const text = await readFile(path, 'utf8')
    await writeFileAtomically(path, setFrontMatter(text, { status: 'promoted' }))
    return { from: { ...from, status: 'promoted' }, made }
  })

const targetOf = (from: LadderEntry, to: LadderStage | undefined): LadderStage => {
  const next = nextLadderStage(from.stage)
  if (next === undefined) {
    const reason = `${from.id} is a result, the last stage; a new round begins with a source`
    throw new StewardError('invalid_input', { subject: 'the ladder', reason, field: 'id' })
  }
  if (to === undefined) return next
  if (LADDER_ORDER.indexOf(to) > LADDER_ORDER.indexOf(from.stage)) return to
  const reason = `${from.id} is in ${from.stage} and can only go up from there, not to ${to}`
  throw new StewardError('invalid_input', { subject: 'the ladder', reason, field: 'to' })
}
