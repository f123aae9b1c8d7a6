import { StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'

/** The latest run that no flow started: the first that `steward runs` lists. */
export const LATEST_RUN = 'last'

const SHOWN_CANDIDATES = 5

/**
 * Finds the run that `reference` means: `last`, a whole id, or the beginning or end of one. Ids are
 * ordered by time, so runs of the same day share their beginning and only the end distinguishes
 * them.
 */
export const resolveRunId = ({ statement }: Connection, reference: string): string | undefined => {
  // An ending copied from the dashboard may include its ellipsis.
  const part = reference.replace(/^…/, '').toLowerCase()
  if (part === '') return undefined
  if (part === LATEST_RUN) {
    const latest = statement('SELECT id FROM runs WHERE parent_id IS NULL ORDER BY id DESC LIMIT 1')
    return latest.all().map(({ id }) => String(id))[0]
  }
  const exact = statement('SELECT id FROM runs WHERE id = ?').get(part)
  if (exact !== undefined) return part
  const found = statement(
    `SELECT id, name FROM runs WHERE id >= ?1 AND id < ?2
     UNION SELECT id, name FROM runs WHERE substr(id, -length(?1)) = ?1
     ORDER BY id DESC LIMIT ?3`,
  )
    .all(part, `${part}\u{10FFFF}`, SHOWN_CANDIDATES + 1)
    .map(({ id, name }) => ({ id: String(id), name: String(name) }))
  if (found.length < 2) return found[0]?.id
  const shown = found.slice(0, SHOWN_CANDIDATES).map(({ id, name }) => `${id} (${name})`)
  const more = found.length > SHOWN_CANDIDATES ? ' or others' : ''
  throw new StewardError('ambiguous', {
    name: `run ${reference}`,
    candidates: `${shown.join(', ')}${more}`,
  })
}
