import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import { isJsonObject } from '@steward/contract'

export interface PlanStep {
  text: string
  status: string
}

/** An update of a session, as far as Steward uses it. */
export type AgentUpdate =
  | { type: 'message' | 'thought'; text: string }
  | {
      type: 'tool'
      id: string
      /** Absent if this update does not change it. */
      title?: string
      name?: string
      input?: unknown
      status?: 'pending' | 'in_progress' | 'completed' | 'failed'
      isNew: boolean
    }
  | { type: 'plan'; steps: readonly PlanStep[] }
  | { type: 'mode'; mode: string }
  | { type: 'cost'; amount: number; currency: string }

/** Undefined for updates that Steward does not use. */
export const readUpdate = (update: SessionUpdate): AgentUpdate | undefined => {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return textUpdate('message', update.content)
    case 'agent_thought_chunk':
      return textUpdate('thought', update.content)
    case 'tool_call':
    case 'tool_call_update':
      return {
        type: 'tool',
        id: update.toolCallId,
        isNew: update.sessionUpdate === 'tool_call',
        ...(update.title ? { title: update.title } : {}),
        ...nameIn(update),
        ...(update.rawInput === undefined ? {} : { input: update.rawInput }),
        ...(update.status ? { status: update.status } : {}),
      }
    case 'plan':
      return {
        type: 'plan',
        steps: update.entries.map(({ content, status }) => ({ text: content, status })),
      }
    case 'current_mode_update':
      return { type: 'mode', mode: update.currentModeId }
    case 'usage_update':
      return update.cost ? { type: 'cost', ...costOf(update.cost) } : undefined
    default:
      return undefined
  }
}

const costOf = ({ amount, currency }: { amount: number; currency: string }) => ({
  amount,
  currency,
})

const textUpdate = (type: 'message' | 'thought', content: ContentBlock): AgentUpdate | undefined =>
  content.type === 'text' ? { type, text: content.text } : undefined

/** Adapters of older versions name the tool in their own part of `_meta`. */
const nameIn = ({
  name,
  _meta,
}: {
  name?: string | null
  _meta?: Record<string, unknown> | null
}): { name?: string } => {
  const names = Object.values(_meta ?? {}).map((own) =>
    isJsonObject(own) ? own.toolName : undefined,
  )
  const found = name ?? names.find((each) => typeof each === 'string')
  return typeof found === 'string' && found !== '' ? { name: found } : {}
}
