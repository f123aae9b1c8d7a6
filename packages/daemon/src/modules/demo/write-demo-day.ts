import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EventSource, JsonObject } from '@steward/contract'
import {
  appendLogRow,
  ensureHome,
  eventLogPath,
  type Home,
  writeSessionName,
} from '@steward/platform'
import { DEMO_SESSIONS, type DemoRow, type DemoSession } from './demo-sessions.ts'

/** Nothing is spoken or sent by a demo. */
const SETTINGS = {
  voice: { enabled: false, provider: 'none' },
  notifications: {
    desktop: { enabled: false },
    routing: {
      longTask: [],
      backgroundAgent: [],
      error: [],
      security: [],
      waiting: [],
    },
  },
  usage: { budgets: [{ usd: 5 }] },
}

/** Fails for a text without a price, so that there is a failed run to look at. */
const FIND_PRICE = `export const execute = ({ content }) => {
  const [price] = /\\d+[.,]\\d\\d/.exec(content) ?? []
  if (price === undefined) throw new Error('no price in the text: expected a number such as 12.90')
  return { price }
}
`

/** Where the assistants of the demo keep their records, instead of those of the person. */
export const demoPerson = ({ root }: Pick<Home, 'root'>): string => join(root, 'person')

/** Writes a data home with a day of work. All times are before `nowMs`. */
export const writeDemoDay = async (home: Home, nowMs: number): Promise<void> => {
  await ensureHome(home)
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  await write(home.settings, `${JSON.stringify(SETTINGS, null, 2)}\n`)
  const action = join(home.user.actions, 'A_FIND_PRICE')
  const manifest = {
    name: 'A_FIND_PRICE',
    description: 'Finds the price in a text.',
    input: { content: { type: 'string', required: true } },
    output: { price: { type: 'string' } },
  }
  await write(join(action, 'action.json'), JSON.stringify(manifest, null, 2))
  await write(join(action, 'action.js'), FIND_PRICE)
  await write(
    join(home.user.pipelines, 'P_PRICE_CHECK.yaml'),
    'name: P_PRICE_CHECK\ndescription: Summarizes an offer and finds its price.\nversion: 1.0.0\nactions:\n  - A_SUMMARIZE\n  - A_FIND_PRICE\n',
  )
  for (const session of DEMO_SESSIONS) {
    for (const [index, row] of session.rows.entries()) {
      const { source, fields } = rowOf(row, `${session.id}-${index}`)
      appendLogRow(eventLogPath(home, source), {
        timestamp: new Date(nowMs - row.ago * 60_000).toISOString(),
        event: fields.type,
        source,
        session_id: session.id,
        host: session.host,
        cwd: session.project,
        model: session.model,
        ...fields,
      })
    }
    const [first] = session.rows.flatMap((row) => ('prompt' in row ? [row.prompt] : []))
    if (first !== undefined) await writeSessionName(home, session.id, first)
    await writeCalls(home, session, nowMs)
  }
}

const rowOf = (row: DemoRow, callId: string): { source: EventSource; fields: JsonObject } => {
  const activity = (fields: JsonObject) => ({ source: 'tool-activity' as const, fields })
  if ('prompt' in row) return activity({ type: 'user_prompt', prompt: row.prompt })
  if ('answer' in row) return activity({ type: 'turn_end', message_preview: row.answer })
  if ('ends' in row) return activity({ type: 'session_end', reason: 'exit' })
  if ('asks' in row) {
    return activity({
      ...{ type: 'permission_request', tool_name: row.asks, tool_use_id: callId },
      tool_input_preview: row.input,
    })
  }
  const call = { tool_name: row.tool, tool_use_id: callId, tool_input_preview: row.input }
  return 'error' in row
    ? {
        source: 'tool-failure',
        fields: { type: 'tool_failure', ...call, error: row.error, duration_ms: 1840 },
      }
    : activity({ type: 'tool_use', ...call, duration_ms: row.ms })
}

/** The model calls as Claude Code records them; the cost follows from them. */
const writeCalls = async (home: Home, session: DemoSession, nowMs: number): Promise<void> => {
  if (session.calls.length === 0) return
  const folder = join(demoPerson(home), '.claude/projects', session.project.replaceAll('/', '-'))
  await mkdir(folder, { recursive: true })
  const lines = session.calls.map(([ago, input, cached, output], index) =>
    JSON.stringify({
      type: 'assistant',
      timestamp: new Date(nowMs - ago * 60_000).toISOString(),
      sessionId: session.id,
      cwd: session.project,
      requestId: `request-${session.id}-${index}`,
      message: {
        id: `message-${session.id}-${index}`,
        model: session.model,
        role: 'assistant',
        usage: {
          input_tokens: input,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: 0,
          output_tokens: output,
        },
      },
    }),
  )
  await writeFile(join(folder, `${session.id}.jsonl`), `${lines.join('\n')}\n`)
}
