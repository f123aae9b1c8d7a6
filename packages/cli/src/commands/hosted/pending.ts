import type { Paint } from '../../output/paint.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { describeCall, isToolCall, type ToolCallEvent } from './tool-call.ts'
import type { HostedClient, Session } from './types.ts'

const CALLS = ['agent.tool_use', 'agent.custom_tool_use', 'agent.mcp_tool_use'] as const

/** The calls that an idle session waits for; empty if none. */
export const findPending = async (
  client: HostedClient,
  { id, status }: Pick<Session, 'id' | 'status'>,
): Promise<ToolCallEvent[]> => {
  if (status !== 'idle') return []
  const { data } = await client.beta.sessions.events.list(id, {
    types: ['session.status_idle'],
    order: 'desc',
    limit: 1,
  })
  const [idle] = data
  if (idle?.type !== 'session.status_idle' || idle.stop_reason.type !== 'requires_action') return []
  return findCalls(client, id, idle.stop_reason.event_ids)
}

/** The calls with these event ids, in log order. */
export const findCalls = async (
  client: HostedClient,
  sessionId: string,
  ids: readonly string[],
): Promise<ToolCallEvent[]> => {
  const wanted = new Set(ids)
  const found: ToolCallEvent[] = []
  const events = client.beta.sessions.events.list(sessionId, { types: [...CALLS], order: 'desc' })
  for await (const event of events) {
    if (found.length === wanted.size) break
    if (isToolCall(event) && wanted.has(event.id)) found.push(event)
  }
  return found.reverse()
}

/** Whether a person must approve the call; others are answered by a program. */
export const asksForPermission = (call: ToolCallEvent): boolean =>
  call.type !== 'agent.custom_tool_use' && call.evaluated_permission === 'ask'

/** The waiting call, and the exact command that answers it. */
export const renderPending = (
  sessionId: string,
  calls: readonly ToolCallEvent[],
  suffix: string,
  paint: Paint,
): string =>
  calls
    .map((call) => {
      const send = `${COMMAND} hosted send ${sessionId}${suffix}`
      const head = `${paint.yellow('waits:')} ${describeCall(call)}\n`
      if (asksForPermission(call))
        return (
          `${head}  to allow it:  ${send} --allow ${call.id}\n` +
          `  to refuse it: ${send} --deny ${call.id} --message "why"\n`
        )
      if (call.type === 'agent.custom_tool_use')
        return `${head}  to answer it: ${send} --result ${call.id} "the result"\n`
      return `${head}  a worker of its environment runs it\n`
    })
    .join('')
