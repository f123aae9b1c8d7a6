import { z } from 'zod'
import { query, type Tx } from '../database/tx.ts'
import { modelBill } from '../log/summary.ts'

/** A finished model call of a session, with the price that was recorded then. */
export interface HostedModelCall {
  id: string
  sessionId: string
  title: string | null
  model: string
  atMs: number
  tokens: Record<'input' | 'output' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h', number>
  /** Null if no price is known. */
  nanoDollars: number | null
}

/** Where a reader is: calls of the same millisecond are in the order of their ids. */
export interface ModelCallMark {
  atMs: number
  id: string
}

const json = z.string().transform((text): unknown => JSON.parse(text))
const callRow = z.object({
  id: z.string(),
  session_id: z.string(),
  created_ms: z.coerce.number(),
  hidden: json.pipe(z.object({ bill: modelBill })).nullable(),
  body: json.pipe(
    z.object({
      title: z.string().nullish(),
      agent: z.object({ model: z.object({ id: z.string() }) }),
    }),
  ),
})

/** The calls after a mark, the earliest first. Only sessions that changed since then are searched. */
export function* readModelCalls(
  { atMs, id }: ModelCallMark,
  limit: number,
): Tx<readonly HostedModelCall[]> {
  const rows = yield* query(
    `SELECT e.id, COALESCE(s.parent_id, s.id) AS session_id, e.created_ms, e.hidden, s.body
     FROM sessions s JOIN events e ON e.session_id = s.id
     WHERE s.updated_ms >= $1 AND e.type = 'span.model_request_end' AND e.hidden IS NOT NULL
       AND (e.created_ms > $1 OR (e.created_ms = $1 AND e.id > $2))
     ORDER BY e.created_ms, e.id LIMIT $3`,
    atMs,
    id,
    limit,
  )
  return rows.flatMap((row) => {
    const { data } = callRow.safeParse(row)
    if (data?.hidden === undefined || data.hidden === null) return []
    const { bill } = data.hidden
    return [
      {
        id: data.id,
        sessionId: data.session_id,
        title: data.body.title ?? null,
        model: data.body.agent.model.id,
        atMs: data.created_ms,
        tokens: {
          input: bill.inputTokens,
          output: bill.outputTokens,
          cacheRead: bill.cacheReadTokens,
          cacheWrite5m: bill.cacheWrite5mTokens,
          cacheWrite1h: bill.cacheWrite1hTokens,
        },
        nanoDollars: bill.nanoDollars,
      },
    ]
  })
}
