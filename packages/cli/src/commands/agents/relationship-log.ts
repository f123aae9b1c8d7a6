import { join } from 'node:path'
import { slugOfAgent } from '@steward/agents'
import { type RelationshipRow, relationshipRow } from '@steward/contract'
import { appendLogRow, type Home, readTail } from '@steward/platform'

const pathOf = (home: Home, name: string): string =>
  join(home.memory, 'RELATIONSHIPS', `${slugOfAgent(name)}.jsonl`)

/** Adds a row to what there is between a person and an agent; rows are never changed. */
export const addToLog = (home: Home, row: RelationshipRow): void => {
  appendLogRow(pathOf(home, row.agent), row)
}

/** The last rows, oldest first. Rows of another shape are counted, not shown. */
export const readLog = async (
  home: Home,
  name: string,
  limit: number,
): Promise<{ rows: RelationshipRow[]; unreadable: number }> => {
  const { rows } = await readTail(pathOf(home, name), { rows: limit })
  const parsed = rows.map(({ row }) => relationshipRow.safeParse(row))
  return {
    rows: parsed.flatMap((each) => (each.success ? [each.data] : [])),
    unreadable: parsed.filter(({ success }) => !success).length,
  }
}
