import type { AgentUpdate } from '@steward/assistants'
import type { EventRows } from './event-rows.ts'
import type { SessionOutput } from './session-output.ts'

interface UpdatePorts {
  output: Pick<SessionOutput, 'show' | 'gather'>
  /** A part of a message. */
  onMessage: (text: string) => void
  onToolBegun: () => void
  onToolEnded: EventRows['used']
  onMode: (mode: string) => void
  onCost: (costUsd: number) => void
}

/** Reads what an assistant reports while it works: messages, thoughts, tool calls, plans, mode, cost. */
export const createUpdateReader = (ports: UpdatePorts): ((update: AgentUpdate) => void) => {
  const { show, gather } = ports.output
  const tools = new Map<string, { title: string; name: string; input: unknown }>()

  const takeTool = (update: Extract<AgentUpdate, { type: 'tool' }>): void => {
    const known = tools.get(update.id)
    const title = update.title ?? known?.title ?? 'a tool'
    const name = update.name ?? known?.name ?? title
    const call = { title, name, input: update.input ?? known?.input }
    tools.set(update.id, call)
    if (known === undefined) ports.onToolBegun()
    if (update.status !== 'completed' && update.status !== 'failed') return
    tools.delete(update.id)
    const hasFailed = update.status === 'failed'
    show('tool', hasFailed ? `${title} (failed)` : title)
    ports.onToolEnded(name, call.input, hasFailed ? 'the tool failed' : undefined)
  }

  return (update) => {
    switch (update.type) {
      case 'message':
        ports.onMessage(update.text)
        gather('message', update.text)
        break
      case 'thought':
        gather('thought', update.text)
        break
      case 'tool':
        takeTool(update)
        break
      case 'plan':
        show(
          'plan',
          update.steps.map(({ text, status }) => `${MARKS[status] ?? '·'} ${text}`).join('\n'),
        )
        break
      case 'mode':
        ports.onMode(update.mode)
        break
      case 'cost':
        if (update.currency === 'USD') ports.onCost(update.amount)
        break
    }
  }
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '·' }
