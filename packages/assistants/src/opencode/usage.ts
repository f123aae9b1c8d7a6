import { basename, join } from 'node:path'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { openForeignDatabase } from '@steward/platform'
import { countIn, objectIn, textIn, timeIn } from '../usage/json-lines.ts'
import type { UsageBatch, UsageCall, UsageReader } from '../usage/usage-reader.ts'

const PAGE_ROWS = 500

/**
 * Its input excludes the cache; reasoning is beside the output. Titles have no message. A fork gets
 * copies of earlier messages under new ids, which are older than itself.
 */
const readMessage = (row: JsonObject): UsageCall[] => {
  const data = parseObject(row.data)
  const tokens = objectIn(data, 'tokens')
  const id = textIn(row, 'id')
  const own = textIn(row, 'session_id')
  const model = textIn(data, 'modelID')
  if (data?.role !== 'assistant' || !tokens || !id || !own || !model) return []
  if (Number(row.time_created) < Number(row.began)) return []
  const cache = objectIn(tokens, 'cache')
  const counts = {
    input: countIn(tokens, 'input'),
    output: countIn(tokens, 'output') + countIn(tokens, 'reasoning'),
    cacheRead: countIn(cache, 'read'),
    cacheWrite5m: countIn(cache, 'write'),
    cacheWrite1h: 0,
  }
  // Its answer has not arrived, or never will.
  if (Object.values(counts).every((count) => count === 0)) return []
  const parent = textIn(row, 'parent_id')
  const title = textIn(row, 'title')
  const project = textIn(row, 'directory') ?? textIn(objectIn(data, 'path'), 'cwd')
  return [
    {
      id,
      session: parent ?? own,
      ...(parent === undefined ? {} : { subagent: own }),
      ...(project === undefined ? {} : { project }),
      ...(title === undefined || parent !== undefined ? {} : { title }),
      model,
      atMs: timeIn(
        objectIn(data, 'time') ?? row,
        data.time === undefined ? 'time_created' : 'created',
      ),
      tokens: counts,
      // It is computed from the prices in its settings, and 0 without any.
      ...(typeof data.cost === 'number' && data.cost > 0 ? { costUsd: data.cost } : {}),
    },
  ]
}

const parseObject = (value: unknown): JsonObject | undefined => {
  try {
    const parsed: unknown = JSON.parse(String(value))
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Messages change until they are complete, so those updated since the last read are read again. */
const readDatabase = function* (
  path: string,
  mark: UsageBatch['mark'] | undefined,
): Generator<UsageBatch> {
  const database = openForeignDatabase(path)
  try {
    const page = database.prepare(`SELECT message.id, message.session_id, message.data,
        message.time_created, message.time_updated, session.parent_id, session.directory,
        session.title, session.time_created AS began
      FROM message LEFT JOIN session ON session.id = message.session_id
      WHERE (message.time_updated, message.id) > (?, ?)
      ORDER BY message.time_updated, message.id LIMIT ${PAGE_ROWS}`)
    // A message of the same millisecond may have been added since.
    let from: [number, string] = [Number(mark?.memory.updatedMs ?? 0) - 1, '']
    for (;;) {
      const rows = page.all(...from)
      const last = rows.at(-1)
      if (last === undefined) return
      from = [Number(last.time_updated), String(last.id)]
      yield {
        calls: rows.flatMap((row) => readMessage({ ...row })),
        totals: [],
        mark: { offset: 0, memory: { updatedMs: from[0] } },
      }
    }
  } finally {
    database.close()
  }
}

export const opencodeUsage: UsageReader = {
  folders: ({ env, homedir }) => {
    const data = env.XDG_DATA_HOME || join(homedir, '.local', 'share')
    return [{ path: join(data, 'opencode'), isDeep: false }]
  },
  // Changes are written to a second file first.
  sourceOf: (path) => {
    if (!/^opencode\.db(-wal)?$/.test(basename(path))) return undefined
    const file = path.replace(/-wal$/, '')
    return { path: file, read: (mark) => readDatabase(file, mark) }
  },
}
