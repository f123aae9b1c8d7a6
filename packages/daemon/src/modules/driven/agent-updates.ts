import type { AgentUpdate } from '@steward/assistants'
import type { EventRows } from './event-rows.ts'
import type { SessionOutput } from './session-output.ts'

interface UpdatePorts {
  output: Pick<SessionOutput, 'show' | 'gather'>
  /** A part of a message. */
  onMessage: (text: string) => void
  /** A tool call began; `open` calls have begun and not ended. */
  onToolBegun: (open: number) => void
  onToolEnded: EventRows['used']
  onMode: (mode: string) => void
  onCost: (costUsd: number) => void
}

export interface UpdateReader {
  take: (update: AgentUpdate) => void
  /** Forgets the calls that have not ended, and returns how many there were. */
  drop: () => number
}

/** Reads what an assistant reports while it works: messages, thoughts, tool calls, plans, mode, cost. */
export const createUpdateReader = (ports: UpdatePorts): UpdateReader => {
  const { show, gather } = ports.output
  const tools = new Map<string, { title: string; name: string; input: unknown }>()

  const takeTool = (update: Extract<AgentUpdate, { type: 'tool' }>): void => {
    const known = tools.get(update.id)
    const title = update.title ?? known?.title ?? 'a tool'
    const name = update.name ?? known?.name ?? title
    const call = { title, name, input: update.input ?? known?.input }
    tools.set(update.id, call)
    if (known === undefined) ports.onToolBegun(tools.size)
    if (update.status !== 'completed' && update.status !== 'failed') return
    tools.delete(update.id)
    const hasFailed = update.status === 'failed'
    show('tool', hasFailed ? `${title} (failed)` : title)
    ports.onToolEnded(name, call.input, hasFailed ? 'the tool failed' : undefined)
  }

  const take = (update: AgentUpdate): void => {
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
  return {
    take,
    drop: () => {
      const open = tools.size
      tools.clear()
      return open
    },
  }
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '·' }
