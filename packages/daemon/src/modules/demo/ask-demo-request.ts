import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AttentionAnswer, AttentionRequest, DaemonClient, JsonObject } from '@steward/contract'
import { appendLogRow, eventLogPath, type Home } from '@steward/platform'
import { DEMO_SESSIONS } from './demo-sessions.ts'

export interface AskPorts {
  home: Home
  /** Its calls end with the signal. */
  client: Pick<DaemonClient, 'call'>
  now: () => number
  signal: AbortSignal
}

const DAY_MS = 86_400_000
const AGAIN_MS = 1000

/**
 * Asks the request of the demo day as the hook of an assistant would, so that it can be answered on
 * the dashboard, and continues the session with the answer. Once it is answered, it is not asked
 * again.
 */
export const askDemoRequest = async ({ home, client, now, signal }: AskPorts): Promise<void> => {
  const mark = join(home.root, 'answered')
  const found = findRequest()
  if (found === undefined || existsSync(mark)) return
  const { request, write } = describeRequest(found, home, now)
  while (!signal.aborted) {
    try {
      const outcome = await client.call('askAttention', { body: request })
      if (outcome.status === 'answered') {
        await writeFile(mark, String(now()))
        write(outcome.answer)
      }
      return
    } catch {
      // A long wait is cut by the client, and a starting daemon may not answer yet.
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

const findRequest = () => {
  for (const session of DEMO_SESSIONS) {
    for (const [index, row] of session.rows.entries())
      if ('asks' in row) return { session, row, callId: `${session.id}-${index}` }
  }
  return undefined
}

const describeRequest = (
  { session, row, callId }: NonNullable<ReturnType<typeof findRequest>>,
  home: Home,
  now: () => number,
): { request: AttentionRequest; write: (answer: AttentionAnswer) => void } => {
  const append = (fields: JsonObject): void => {
    appendLogRow(eventLogPath(home, 'tool-activity'), {
      timestamp: new Date(now()).toISOString(),
      event: fields.type,
      source: 'tool-activity',
      session_id: session.id,
      host: session.host,
      cwd: session.project,
      model: session.model,
      ...fields,
    })
  }
  return {
    request: {
      id: 'demo-request',
      host: session.host,
      session_id: session.id,
      cwd: session.project,
      reason: 'permission',
      tool_name: row.asks,
      preview: row.input,
      detail: row.input,
      asked: { decides: true, questions: [], fields: [], takesText: false },
      at: new Date(now()).toISOString(),
      waitMs: DAY_MS,
    },
    write: (answer) => {
      const isAllowed = 'decision' in answer && answer.decision === 'allow'
      if (isAllowed) {
        append({
          ...{ type: 'tool_use', tool_name: row.asks, tool_use_id: callId, duration_ms: 2100 },
          tool_input_preview: row.input,
        })
      }
      append({
        type: 'turn_end',
        message_preview: isAllowed
          ? 'The branch pickup-messages is pushed.'
          : 'Not pushed: the branch stays on this machine.',
      })
    },
  }
}
