import {
  EVALUATED_PERMISSIONS,
  HOSTED_LIMITS,
  OUTCOME_VERDICTS,
  stopReason,
} from '@steward/contract'
import { z } from 'zod'
import { ownType, type StoredEvent } from '../database/stored-event.ts'
import { summaryMessage, toInput, toResultBlock, unanswered } from './conversation.ts'
import {
  answeredHidden,
  askedHidden,
  calledHidden,
  compactedHidden,
  MARKS,
  rescheduledHidden,
  unansweredHidden,
} from './internal-events.ts'
import type { LogView, ToolUse } from './log-view.ts'
import { stopThreads, threadFolds } from './threads/fold-threads.ts'

type Fold = (view: LogView, event: StoredEvent) => void

const waits: Fold = (view, event) => {
  view.waiting.set(event.id, event)
}

const idle: Fold = (view, { body, createdMs }) => {
  view.status = 'idle'
  view.stopReason = stopReason.parse(body.stop_reason)
  const { type } = view.stopReason
  // A turn that waits for the client or for budget continues where it stopped.
  if (type === 'requires_action' || type === 'budget_reached') return
  view.owesAnswer = false
  for (const outcome of view.outcomes.values()) {
    if (outcome.overMs !== null) continue
    outcome.result = type === 'end_turn' ? 'interrupted' : 'failed'
    outcome.overMs = createdMs
  }
  view.failures = 0
  view.failingSinceMs = null
  view.deaths = 0
  view.repeats = false
  view.compactions = 0
  view.cutOffs = 0
  view.turnToolUses = 0
  view.missingServers.clear()
}

const asked: Fold = (view, { id, hidden }) => {
  const { purpose, taken, estimate } = askedHidden.parse(hidden)
  view.waitsForThreads = false
  view.asking = { id, purpose, estimate }
  view.draftUses = []
  if (purpose !== 'turn') return
  for (const inputId of taken) {
    const event = view.waiting.get(inputId)
    if (event === undefined) continue
    view.waiting.delete(inputId)
    view.shown.push(toInput(event))
    if (event.type === 'user.define_outcome') beginOutcome(view, event)
  }
  view.owesAnswer = true
}

const ended: Fold = (view, { body, hidden, createdMs }) => {
  const purpose = view.asking?.purpose
  view.asking = null
  view.repeats = false
  if (body.is_error === true)
    return unansweredEnd(view, unansweredHidden.parse(hidden).cause, createdMs)
  view.failures = 0
  view.failingSinceMs = null
  view.deaths = 0
  if (purpose !== 'turn') return
  const { content, stop, windowTokens, refusal } = answeredHidden.parse(hidden)
  view.messages.push(...unanswered(view))
  view.withoutMedia = false
  if (content.length > 0) view.messages.push({ role: 'assistant', content })
  view.shown = []
  view.uses = view.draftUses
  view.draftUses = []
  view.turnToolUses += view.uses.length
  view.lastStop = stop
  view.refusal = refusal
  view.windowTokens = windowTokens
  view.tooLong = stop === 'model_context_window_exceeded'
  view.cutOffs = stop === 'max_tokens' ? view.cutOffs + 1 : 0
  if (!view.tooLong) view.compactions = 0
  view.owesAnswer =
    view.uses.length > 0 || view.tooLong || stop === 'pause_turn' || goesOn(view, stop)
}

/** A model whose answers are cut off this often will not finish when asked again. */
const CUT_OFFS = 3
const goesOn = (view: LogView, stop: string): boolean =>
  stop === 'max_tokens' && view.cutOffs < CUT_OFFS

const unansweredEnd = (
  view: LogView,
  cause: z.infer<typeof unansweredHidden>['cause'],
  atMs: number,
): void => {
  if (cause === 'failed') {
    view.failures += 1
    view.failingSinceMs ??= atMs
  }
  if (cause === 'died') {
    view.deaths += 1
    view.repeats = true
  }
  if (cause === 'too_long') view.tooLong = true
  if (cause === 'media') view.withoutMedia = true
}

const compacted: Fold = (view, { hidden }) => {
  view.messages = [summaryMessage(compactedHidden.parse(hidden).summary)]
  view.uses = []
  view.lastStop = null
  view.windowTokens = 0
  view.tooLong = false
  view.compactions += 1
}

const call = z.object({
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  evaluated_permission: z.enum(EVALUATED_PERMISSIONS).default('allow'),
  evaluation: z.unknown().optional(),
  mcp_server_name: z.string().optional(),
})
const used =
  (kind: ToolUse['kind']): Fold =>
  (view, { id, body, hidden }) => {
    // A copy of another thread's call, which the client answers.
    if (typeof body.session_thread_id === 'string') return
    const { name, input, evaluated_permission, evaluation, mcp_server_name } = call.parse(body)
    view.draftUses.push({
      id,
      callId: calledHidden.parse(hidden).callId,
      kind,
      server: mcp_server_name ?? null,
      name,
      input,
      permission: evaluated_permission,
      unknown: kind !== 'custom' && evaluation === undefined,
      confirmed: null,
      denyMessage: null,
      started: false,
      result: null,
    })
  }

const confirmation = z.object({
  tool_use_id: z.string(),
  result: z.enum(['allow', 'deny']),
  deny_message: z.string().nullish(),
})
const confirmed: Fold = (view, event) => {
  if (event.processedMs === null) view.confirmations.add(event.id)
  const { tool_use_id, result, deny_message } = confirmation.parse(event.body)
  const use = findOpen(view, tool_use_id)
  if (use?.permission !== 'ask' || use.confirmed !== null) return
  use.confirmed = result
  use.denyMessage = deny_message ?? null
  view.answerSeq = event.seq
}

const answers =
  (key: 'tool_use_id' | 'custom_tool_use_id' | 'mcp_tool_use_id'): Fold =>
  (view, { type, seq, body }) => {
    const use = findOpen(view, z.string().parse(body[key]))
    if (use === undefined) return
    use.result = toResultBlock(use, body.content, body.is_error === true)
    if (type.startsWith('user.')) view.answerSeq = seq
  }

/** The tool use that a result belongs to. The first result counts. */
const findOpen = (view: LogView, id: string): ToolUse | undefined =>
  [...view.uses, ...view.draftUses].find((use) => use.id === id && use.result === null)

export const GIVEN_UP = 'The turn was interrupted before this call was answered.'

const outcomeBody = z.object({
  outcome_id: z.string(),
  description: z.string(),
  rubric: z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.literal('file'), file_id: z.string() }),
  ]),
  max_iterations: z.number().nullish(),
})
const beginOutcome: Fold = (view, { body }) => {
  const { outcome_id: id, description, rubric, max_iterations } = outcomeBody.parse(body)
  const maxIterations = max_iterations ?? HOSTED_LIMITS.outcomeIterationsDefault
  view.outcomes.set(id, {
    id,
    description,
    rubric,
    maxIterations,
    iteration: 0,
    evaluating: null,
    result: 'running',
    explanation: null,
    overMs: null,
  })
}

const verdict = z.object({
  outcome_id: z.string(),
  result: z.enum(OUTCOME_VERDICTS),
  explanation: z.string(),
})
const evaluated: Fold = (view, { body, createdMs }) => {
  const { outcome_id, result, explanation } = verdict.parse(body)
  const outcome = view.outcomes.get(outcome_id)
  if (outcome === undefined) return
  outcome.evaluating = null
  outcome.explanation = explanation
  if (result !== 'needs_revision') {
    outcome.result = result
    outcome.overMs = createdMs
    return
  }
  outcome.result = 'running'
  outcome.iteration += 1
  const words = `The outcome is not reached yet. What the judge says:\n\n${explanation}`
  view.shown.push({ role: 'user', content: [{ type: 'text', text: words }] })
  view.owesAnswer = true
}

const FOLDS: Readonly<Record<string, Fold>> = {
  'user.message': waits,
  'agent.thread_message_received': waits,
  'system.message': waits,
  'user.define_outcome': waits,
  ...threadFolds,
  'user.interrupt': (view, event) => {
    const isForOne = typeof event.body.session_thread_id === 'string'
    if (event.processedMs === null) view.interrupts.set(event.id, isForOne)
    if (!isForOne) stopThreads(view)
  },
  'user.tool_confirmation': confirmed,
  'user.tool_result': answers('tool_use_id'),
  'user.custom_tool_result': answers('custom_tool_use_id'),
  'agent.tool_result': answers('tool_use_id'),
  'agent.mcp_tool_result': answers('mcp_tool_use_id'),
  'agent.tool_use': used('tool'),
  'agent.custom_tool_use': used('custom'),
  'agent.mcp_tool_use': used('mcp'),
  'agent.thread_context_compacted': compacted,
  'span.model_request_start': asked,
  'span.model_request_end': ended,
  'span.outcome_evaluation_start': (view, { id, body }) => {
    const outcome = view.outcomes.get(z.string().parse(body.outcome_id))
    if (outcome === undefined) return
    outcome.evaluating = id
    outcome.result = 'evaluating'
  },
  'span.outcome_evaluation_end': evaluated,
  'session.status_idle': idle,
  'session.status_running': (view) => {
    view.status = 'running'
    view.waitsForThreads = false
  },
  'session.status_rescheduled': (view, { hidden, createdMs }) => {
    view.status = 'rescheduling'
    const { data } = rescheduledHidden.safeParse(hidden)
    view.retryAtMs = data?.retryAtMs ?? null
    view.waitsSinceMs = data?.isVendorsTime === false ? createdMs : null
  },
  'session.status_terminated': (view) => {
    view.status = 'terminated'
  },
  'session.error': (view, { body }) => {
    const server = z.object({ mcp_server_name: z.string() }).safeParse(body.error)
    if (server.success) view.missingServers.add(server.data.mcp_server_name)
  },
  [MARKS.toolStarted]: (view, { body }) => {
    const use = findOpen(view, z.string().parse(body.tool_use_id))
    if (use !== undefined) use.started = true
  },
  [MARKS.toolGivenUp]: (view, { body }) => {
    const use = findOpen(view, z.string().parse(body.tool_use_id))
    if (use !== undefined) use.result = toResultBlock(use, [{ type: 'text', text: GIVEN_UP }], true)
  },
  [MARKS.discarded]: (view, { body }) => {
    for (const id of z.array(z.string()).parse(body.ids)) view.waiting.delete(id)
  },
}

export const foldIn = (view: LogView, event: StoredEvent): void => {
  view.seq = event.seq
  const type = ownType(event)
  if (type.startsWith('session.status_')) view.statusSeq = event.seq
  FOLDS[type]?.(view, event)
}

export const recordProcessed = (view: LogView, ids: readonly string[]): void => {
  for (const id of ids) {
    view.interrupts.delete(id)
    view.confirmations.delete(id)
  }
}
