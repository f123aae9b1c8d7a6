import type { Evidence } from '../evidence.ts'

/** The cost of a vote grows with the rows shown. */
const SHOWN_ROWS = 40

const REMARKABLE: ReadonlySet<string> = new Set(['delete', 'send', 'privilege', 'credential'])

/** The rows to show: all, or the notable ones and then the newest; in the order of the log. */
export const chooseRows = (
  rows: readonly Evidence[],
): { shown: readonly Evidence[]; left: number } => {
  if (rows.length <= SHOWN_ROWS) return { shown: rows, left: 0 }
  const [marked, plain] = [rows.filter(standsOut), rows.filter((row) => !standsOut(row))]
  const first = marked.slice(-SHOWN_ROWS)
  const room = SHOWN_ROWS - first.length
  const chosen = new Set([...first, ...(room > 0 ? plain.slice(-room) : [])])
  const shown = rows.filter((row) => chosen.has(row))
  return { shown, left: rows.length - shown.length }
}

const standsOut = ({ guard, effects, injection }: Evidence): boolean =>
  guard.verdict !== 'pass' ||
  injection !== undefined ||
  effects.some(({ kind }) => REMARKABLE.has(kind))
