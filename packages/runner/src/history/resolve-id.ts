import { StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'

/** The run with this id or, when it is only one, with this beginning of an id. */
export const resolveRunId = ({ statement }: Connection, prefix: string): string | undefined => {
  if (prefix === '') return undefined
  const found = statement('SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 2')
    .all(prefix, `${prefix}\u{10FFFF}`)
    .map(({ id }) => String(id))
  if (found.length < 2 || found[0] === prefix) return found[0]
  const reason = `fits more than one run, for example ${found.join(' and ')}; give more of it`
  throw new StewardError('invalid_input', { subject: `run id ${prefix}`, reason })
}
