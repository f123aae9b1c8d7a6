import type { EvaluatedPermission, OutcomeEvaluation, StopReason } from '@steward/contract'
import type { StoredEvent } from '../database/stored-event.ts'
import type { ModelBill } from '../log/summary.ts'
import type { Purpose } from './internal-events.ts'
import type { ModelBlock, ModelMessage, ModelStop } from './models/model.ts'

/** The brain's state of a session: its folded log. */
export interface LogView {
  seq: number
  status: 'idle' | 'running' | 'rescheduling' | 'terminated'
  statusSeq: number
  stopReason: StopReason | null
  /** When a failed request is due for its retry. */
  retryAtMs: number | null
  /** When that was decided, if an answer to another session makes it due earlier. */
  waitsSinceMs: number | null
  /** A request that was started and has not ended. */
  asking: { id: string; purpose: Purpose; estimate: ModelBill | undefined } | null
  /** The conversation up to the model's last answer. */
  messages: ModelMessage[]
  /** Input shown to the model since then and not answered. */
  shown: InputPart[]
  /** Tool calls of the model's last answer, in order. */
  uses: ToolUse[]
  /** Calls of an answer whose end is not logged yet. */
  draftUses: ToolUse[]
  /** Client events that the model has not seen, in order. */
  waiting: Map<string, StoredEvent>
  /** Interrupts that are not handled, and whether they are for this thread alone. */
  interrupts: Map<string, boolean>
  /** Confirmations that are not marked as processed. */
  confirmations: Set<string>
  /** The newest client event that answered a call. */
  answerSeq: number
  lastStop: ModelStop | null
  refusal: { category: string | null; explanation: string | null } | null
  /** The turn cannot end before the model has answered again. */
  owesAnswer: boolean
  /** Consecutive failures since the model last answered. */
  failures: number
  /** When the first of them was. */
  failingSinceMs: number | null
  deaths: number
  /** The last request died, so the next one must show the model exactly the same input. */
  repeats: boolean
  compactions: number
  /** Consecutive answers that were cut off. */
  cutOffs: number
  turnToolUses: number
  windowTokens: number
  /** The model reported that the conversation is too long. */
  tooLong: boolean
  /** The vendor rejected what is new, so its images and documents are left out. */
  withoutMedia: boolean
  /** MCP servers reported to clients as unavailable in this turn. */
  missingServers: Set<string>
  outcomes: Map<string, OutcomeState>
  /** The threads that this coordinator began. */
  threads: Map<string, ThreadState>
  /** The log states that the coordinator waits for its threads. */
  waitsForThreads: boolean
}

export interface ThreadState {
  agentName: string
  /** `asks`: it waits for the client; `paused`: the budget is used up; `ended`: for good. */
  state: 'busy' | 'idle' | 'asks' | 'paused' | 'ended'
  /** The calls that wait for the client. */
  asks: readonly string[]
}

export interface InputPart {
  role: 'user' | 'system'
  content: readonly ModelBlock[]
}

export interface ToolUse {
  /** The event's id, which clients use in their answers. */
  id: string
  /** The model's own id of the call. */
  callId: string
  kind: 'tool' | 'custom' | 'mcp'
  /** The MCP server that offers the tool. */
  server: string | null
  name: string
  input: Readonly<Record<string, unknown>>
  permission: EvaluatedPermission
  /** Refused before a policy applied, because the tool does not exist. */
  unknown: boolean
  confirmed: 'allow' | 'deny' | null
  denyMessage: string | null
  started: boolean
  /** The result shown to the model; `null` while the call is open. */
  result: ModelBlock | null
}

export interface OutcomeState {
  id: string
  description: string
  rubric: { type: 'text'; content: string } | { type: 'file'; file_id: string }
  maxIterations: number
  iteration: number
  /** The event id of an evaluation that was started and has not ended. */
  evaluating: string | null
  result: OutcomeEvaluation['result']
  /** The judge's last explanation. */
  explanation: string | null
  /** When it ended, successfully or not. */
  overMs: number | null
}

export const emptyView = (): LogView => ({
  seq: 0,
  status: 'idle',
  statusSeq: 0,
  stopReason: null,
  retryAtMs: null,
  waitsSinceMs: null,
  asking: null,
  messages: [],
  shown: [],
  uses: [],
  draftUses: [],
  waiting: new Map(),
  interrupts: new Map(),
  confirmations: new Set(),
  answerSeq: 0,
  lastStop: null,
  refusal: null,
  owesAnswer: false,
  failures: 0,
  failingSinceMs: null,
  deaths: 0,
  repeats: false,
  compactions: 0,
  cutOffs: 0,
  turnToolUses: 0,
  windowTokens: 0,
  tooLong: false,
  withoutMedia: false,
  missingServers: new Set(),
  outcomes: new Map(),
  threads: new Map(),
  waitsForThreads: false,
})
