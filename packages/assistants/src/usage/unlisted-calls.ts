import { USAGE_ORIGINS, type UsageOrigin } from '@steward/contract'
import type { CallTokens } from '@steward/models'
import type { Connection } from '@steward/platform'
import { keyOf } from './call-key.ts'
import type { CallPacker } from './pack-calls.ts'
import type { CallStore } from './store-calls.ts'
import type { SessionTotal } from './usage-reader.ts'

/** Keeps the largest that an assistant said about a session; what was first may be inherited. */
export const addTotal = (
  { statement }: Connection,
  assistant: UsageOrigin,
  { session, model, atMs, tokens, isInherited }: SessionTotal,
): void => {
  const { input, output, cacheRead, cacheWrite5m } = tokens
  const counts = [input, output, cacheRead, cacheWrite5m]
  statement(
    `INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (assistant, session, model) DO UPDATE SET
       at_ms = excluded.at_ms, input = max(input, excluded.input),
       output = max(output, excluded.output), cache_read = max(cache_read, excluded.cache_read),
       cache_write = max(cache_write, excluded.cache_write)`,
  ).run(assistant, session, model, atMs, ...counts, ...(isInherited ? [...counts, atMs] : NONE))
}

/** Nothing is inherited. */
const NONE = [0, 0, 0, 0, 0]

interface UnlistedPorts extends Connection {
  store: CallStore
  packer: CallPacker
}

/** Of all sessions with totals, after an import that left this out. */
export const addAllUnlisted = (connection: UnlistedPorts): void => {
  const totals = connection.statement('SELECT assistant, session, model FROM totals').all()
  for (const { assistant, session, model } of totals) {
    const origin = USAGE_ORIGINS.find((each) => each === assistant)
    if (origin !== undefined) addUnlisted(connection, origin, String(session), String(model))
  }
}

/** What a session's totals contain beyond its rows, as one more call. */
export const addUnlisted = (
  { statement, store, packer }: UnlistedPorts,
  assistant: UsageOrigin,
  session: string,
  model: string,
): void => {
  const id = `unlisted ${session} ${model}`
  const missing = statement(
    `SELECT totals.at_ms,
       max(0, totals.input - inherited_input - coalesce(sum(calls.input), 0)) AS input,
       max(0, totals.output - inherited_output - coalesce(sum(calls.output), 0)) AS output,
       max(0, totals.cache_read - inherited_cache_read - coalesce(sum(calls.cache_read), 0)) AS cache_read,
       max(0, totals.cache_write - inherited_cache_write
         - coalesce(sum(calls.cache_write_5m + calls.cache_write_1h), 0)) AS cache_write,
       max(project) AS project, max(branch) AS branch
     FROM totals LEFT JOIN calls ON calls.assistant = totals.assistant
       AND calls.session = totals.session AND calls.model = totals.model AND calls.source <> 'rest'
       AND calls.at_ms > inherited_at_ms
     WHERE totals.assistant = ? AND totals.session = ? AND totals.model = ?
     GROUP BY totals.assistant`,
  ).get(assistant, session, model)
  if (missing === undefined) return
  const tokens: CallTokens = {
    input: Number(missing.input),
    output: Number(missing.output),
    cacheRead: Number(missing.cache_read),
    cacheWrite5m: Number(missing.cache_write),
    cacheWrite1h: 0,
  }
  // The rest may have become smaller.
  statement('DELETE FROM call_rows WHERE key = ?').run(keyOf(`${assistant} ${id}`))
  const { input, output, cacheRead, cacheWrite5m } = tokens
  if (input + output + cacheRead + cacheWrite5m === 0) return
  const call = {
    id,
    session,
    ...(missing.project === null ? {} : { project: String(missing.project) }),
    ...(missing.branch === null ? {} : { branch: String(missing.branch) }),
    model,
    atMs: Number(missing.at_ms),
    tokens,
  }
  packer.add(assistant, call, 'rest')
  store.add(packer.take())
}
