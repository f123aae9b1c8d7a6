import type { EvaluatedPermission, OutcomeEvaluation, StopReason } from '@steward/contract'
import type { StoredEvent } from '../database/stored-event.ts'
import type { Purpose } from './internal-events.ts'
import type { ModelBlock, ModelMessage, ModelStop } from './models/model.ts'

/** What the brain knows of a session: its log, folded. */
export interface LogView {
  seq: number
  status: 'idle' | 'running' | 'rescheduling' | 'terminated'
  statusSeq: number
  stopReason: StopReason | null
  /** When a request that failed is due again. */
  retryAtMs: number | null
  /** A request that was begun and has no end. */
  asking: { id: string; purpose: Purpose } | null
  /** The conversation up to the model's last answer. */
  messages: ModelMessage[]
  /** What was shown to the model since, without an answer. */
  shown: InputPart[]
  /** Tool calls of the model's last answer, in its order. */
  uses: ToolUse[]
  /** Calls of an answer whose end is not there yet. */
  draftUses: ToolUse[]
  /** Client events that the model has not seen, in order. */
  waiting: Map<string, StoredEvent>
  interrupts: Set<string>
  /** Confirmations that are not marked as taken up. */
  confirmations: Set<string>
  /** The newest client event that answered a call. */
  answerSeq: number
  lastStop: ModelStop | null
  refusal: { category: string | null; explanation: string | null } | null
  /** The turn cannot end before the model spoke again. */
  owesAnswer: boolean
  /** In a row, since the model last answered. */
  failures: number
  deaths: number
  /** The last request died: the next one shows the model the same again and nothing more. */
  repeats: boolean
  compactions: number
  /** Answers in a row that were cut off. */
  cutOffs: number
  turnToolUses: number
  windowTokens: number
  /** The model said that the conversation is too long for it. */
  tooLong: boolean
  /** MCP servers whose absence clients were told in this turn. */
  missingServers: Set<string>
  outcomes: Map<string, OutcomeState>
}

export interface InputPart {
  role: 'user' | 'system'
  content: readonly ModelBlock[]
}

export interface ToolUse {
  /** The event's id, by which clients answer. */
  id: string
  /** The model's own id of the call. */
  callId: string
  kind: 'tool' | 'custom' | 'mcp'
  /** The MCP server whose tool it is. */
  server: string | null
  name: string
  input: Readonly<Record<string, unknown>>
  permission: EvaluatedPermission
  /** Refused before a policy applied: there is no such tool. */
  unknown: boolean
  confirmed: 'allow' | 'deny' | null
  denyMessage: string | null
  started: boolean
  /** What the model gets to read; `null` while it is open. */
  result: ModelBlock | null
}

export interface OutcomeState {
  id: string
  description: string
  rubric: { type: 'text'; content: string } | { type: 'file'; file_id: string }
  maxIterations: number
  iteration: number
  /** An evaluation that was begun and has no end: its event's id. */
  evaluating: string | null
  result: OutcomeEvaluation['result']
  /** What the judge said last. */
  explanation: string | null
  /** When it was over, one way or the other. */
  overMs: number | null
}

export const emptyView = (): LogView => ({
  seq: 0,
  status: 'idle',
  statusSeq: 0,
  stopReason: null,
  retryAtMs: null,
  asking: null,
  messages: [],
  shown: [],
  uses: [],
  draftUses: [],
  waiting: new Map(),
  interrupts: new Set(),
  confirmations: new Set(),
  answerSeq: 0,
  lastStop: null,
  refusal: null,
  owesAnswer: false,
  failures: 0,
  deaths: 0,
  repeats: false,
  compactions: 0,
  cutOffs: 0,
  turnToolUses: 0,
  windowTokens: 0,
  tooLong: false,
  missingServers: new Set(),
  outcomes: new Map(),
})
