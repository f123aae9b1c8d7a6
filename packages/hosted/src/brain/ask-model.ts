import { type OUTCOME_VERDICTS, reasonOf, toStewardError } from '@steward/contract'
import { type CallTokens, priceCall } from '@steward/models'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { NewEvent } from '../database/stored-event.ts'
import { createId } from '../ids/create-id.ts'
import type { ModelBill } from '../log/summary.ts'
import type { BrainLimits, BrainPorts } from './brain.ts'
import { hasNewMedia } from './conversation.ts'
import { type Circumstances, giveUpTurn } from './decide-next.ts'
import { judgeFailure } from './failure-events.ts'
import type { RunInFlight } from './in-flight.ts'
import type { LogView, OutcomeState } from './log-view.ts'
import type { SessionMcp } from './mcp/session-mcp.ts'
import type { ModelDelta, ModelReply, ModelRequest } from './models/model.ts'
import { ModelFailure } from './models/model-failure.ts'
import { type Asked, answeredEvent, replyEvents, toModelUsage } from './reply-events.ts'
import {
  compactionRequest,
  judgementRequest,
  readVerdict,
  textOf,
  turnRequest,
} from './requests.ts'
import { resolveFiles } from './resolve-files.ts'
import type { AskStep } from './step.ts'
import { RUNNING, type UnansweredBill, unansweredEvent } from './step-events.ts'
import { listTools } from './tools/find-tool.ts'
import type { VendorState } from './vendor-state.ts'
import type { WorkedSession } from './worked-session.ts'

export interface AskPorts
  extends Pick<
    BrainPorts,
    'database' | 'model' | 'replaceModel' | 'hands' | 'readFile' | 'report'
  > {
  inFlight: RunInFlight
  vendor: Pick<VendorState, 'noteAnswer' | 'noteFailure'>
  limits: BrainLimits
  mcp: Pick<SessionMcp, 'toolsOf'>
}

/** Asks the model and writes everything that follows from its answer in one append. */
export const askModel = async (
  step: AskStep,
  session: WorkedSession,
  circumstances: () => Circumstances,
  ports: AskPorts,
): Promise<void> => {
  const request = await toRequest(step, session, circumstances(), ports)
  const asked: Asked = {
    startId: createId('sevt'),
    messageId: createId('sevt'),
    thinkingId: createId('sevt'),
  }
  const modelId = request.model.id
  const estimate = billCall(modelId, estimateTokens(request, session.view), ports.model.free)
  const taken = step.purpose === 'turn' ? step.taken.map(({ id }) => id) : []
  await session.append(
    [...(step.starts ? [RUNNING] : []), startEvent(step, asked, taken, estimate)],
    [...step.processed, ...taken],
  )
  const preview =
    step.purpose === 'turn'
      ? createPreview(ports.database, session.id, asked)
      : (): void => undefined
  const meter = createMeter()
  const options = {
    onDelta: (delta: ModelDelta): void => {
      meter.takeDelta(delta)
      preview(delta)
    },
    onUsage: meter.takeUsage,
  }
  const answer = await ports.inFlight((signal) =>
    ask(step, session, ports, () => ports.model.ask(request, { signal, ...options }), signal),
  )
  const bill = meter.bill((tokens) => billCall(modelId, tokens, ports.model.free))
  if (answer.type === 'interrupted') {
    // The next decision ends the turn.
    await session.look()
    if (bill !== undefined && session.view.asking?.id === asked.startId)
      await session.append([unansweredEvent(asked.startId, 'interrupted', bill)])
    return
  }
  if (answer.value.ok) {
    ports.vendor.noteAnswer()
    return recordReply(step, session, asked, { ...answer.value, modelId }, ports)
  }
  const { failure } = answer.value
  await ports.vendor.noteFailure(modelId, failure)
  await recordFailure(failure, session, { startId: asked.startId, bill }, circumstances, ports)
}

/** Counts what a request uses, for the case that it ends without an answer. */
const createMeter = () => {
  let reported: CallTokens | undefined
  let chars = 0
  return {
    takeUsage: (tokens: CallTokens): void => {
      reported = tokens
    },
    takeDelta: (delta: ModelDelta): void => {
      if (delta.type === 'text') chars += delta.text.length
    },
    /** Vendors report the output at its end, so that of half an answer is estimated. */
    bill: (price: (tokens: CallTokens) => ModelBill): UnansweredBill | undefined => {
      if (reported === undefined) return undefined
      const output = Math.max(reported.output, Math.ceil(chars / CHARS_PER_TOKEN))
      return {
        bill: price({ ...reported, output }),
        isEstimated: output > reported.output,
      }
    },
  }
}

const CHARS_PER_TOKEN = 4

/** The input of a request; what the model saw before is read from the vendor's cache. */
const estimateTokens = (request: ModelRequest, view: LogView): CallTokens => {
  const isKnown = view.windowTokens > 0
  const added = isKnown
    ? request.messages.slice(view.messages.length)
    : [request.system, request.tools, request.messages]
  return {
    input: Math.ceil(JSON.stringify(added).length / CHARS_PER_TOKEN),
    output: 0,
    cacheRead: view.windowTokens,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  }
}

type Answered = { ok: true; reply: ModelReply } | { ok: false; failure: ModelFailure }

const ask = async (
  { purpose }: AskStep,
  session: WorkedSession,
  { report }: AskPorts,
  send: () => Promise<ModelReply>,
  signal: AbortSignal,
): Promise<Answered> => {
  try {
    const reply = await send()
    if (purpose !== 'compaction' || textOf(reply) !== '') return { ok: true, reply }
    return { ok: false, failure: new ModelFailure('unusable', 'the model returned no summary') }
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof ModelFailure) return { ok: false, failure: thrown }
    // Anything but a model failure is our own defect; the session still continues.
    report(toStewardError(thrown), session.id)
    const reason = `the model could not be asked: ${reasonOf(thrown)}`
    return { ok: false, failure: new ModelFailure('unusable', reason, { cause: thrown }) }
  }
}

const toRequest = async (
  step: AskStep,
  { view, row }: WorkedSession,
  { contextTokens, nowMs }: Circumstances,
  { readFile, replaceModel, hands, mcp }: AskPorts,
): Promise<ModelRequest> => {
  const { body } = row()
  const { agent } = body
  const request =
    step.purpose === 'turn'
      ? turnRequest(body, view, step.taken, listTools(agent, mcp.toolsOf), {
          nowMs,
          ...hands.describe(),
        })
      : step.purpose === 'compaction'
        ? compactionRequest(agent, view, contextTokens)
        : judgementRequest(agent, view, step.outcome, contextTokens)
  const model = { ...agent.model, id: replaceModel(agent.model.id) }
  return { ...request, model, messages: await resolveFiles(request.messages, readFile) }
}

const startEvent = (
  step: AskStep,
  asked: Asked,
  taken: readonly string[],
  estimate: ModelBill,
): NewEvent => ({
  type: 'span.model_request_start',
  id: asked.startId,
  hidden: {
    purpose: step.purpose,
    messageId: asked.messageId,
    thinkingId: asked.thinkingId,
    taken,
    estimate,
  },
})

const recordReply = async (
  step: AskStep,
  session: WorkedSession,
  asked: Asked,
  { reply, modelId }: { reply: ModelReply; modelId: string },
  { model, mcp }: AskPorts,
): Promise<void> => {
  const { agent } = session.row().body
  const bill = billCall(modelId, reply.usage, model.free)
  if (step.purpose === 'turn')
    return session.append(replyEvents(listTools(agent, mcp.toolsOf), asked, reply, bill))
  const end = answeredEvent(asked.startId, reply, bill)
  if (step.purpose === 'compaction') {
    const summary = textOf(reply)
    return session.append([end, { type: 'agent.thread_context_compacted', hidden: { summary } }])
  }
  await session.append([end, judgementEvent(step.outcome, reply)])
}

const recordFailure = async (
  failure: ModelFailure,
  session: WorkedSession,
  { startId, bill }: { startId: string; bill: UnansweredBill | undefined },
  circumstances: () => Circumstances,
  { limits }: AskPorts,
): Promise<void> => {
  await session.look()
  const now = circumstances()
  const { failures, failingSinceMs } = session.view
  const { nowMs } = now
  const context = {
    ...{ startId, failures, failingSinceMs, bill, nowMs, limits },
    hasNewMedia: hasNewMedia(session.view),
  }
  const outcome = judgeFailure(failure, context)
  if (outcome.type !== 'give_up') return session.append(outcome.events)
  const end = giveUpTurn(session.view, now, outcome.error)
  await session.append([...outcome.events, ...end.events], end.processed)
}

/** Translates a judge's reply into an event of the outcome. */
const judgementEvent = (outcome: OutcomeState, reply: ModelReply): NewEvent => {
  const verdict = readVerdict(reply)
  return {
    type: 'span.outcome_evaluation_end',
    body: {
      outcome_evaluation_start_id: outcome.evaluating,
      outcome_id: outcome.id,
      iteration: outcome.iteration,
      result: toResult(outcome, verdict?.satisfied),
      explanation: verdict?.explanation ?? 'The model returned no readable verdict.',
      usage: toModelUsage(reply.usage),
    },
  }
}

const toResult = (
  { iteration, maxIterations }: OutcomeState,
  satisfied: boolean | undefined,
): (typeof OUTCOME_VERDICTS)[number] => {
  if (satisfied === undefined) return 'failed'
  if (satisfied) return 'satisfied'
  return iteration + 1 >= maxIterations ? 'max_iterations_reached' : 'needs_revision'
}

/** Postgres limits one notification to 8,000 bytes. */
const DELTA_CHARS = 1500

/** Streams an answer while it is written, under the ids that its events will have. */
const createPreview = (
  database: Pick<HostedDatabase, 'tell'>,
  sessionId: string,
  { messageId, thinkingId }: Asked,
): ((delta: ModelDelta) => void) => {
  const begun = new Set<string>()
  const tell = (frame: Readonly<Record<string, unknown>>): void =>
    database.tell({ sessionId, news: { type: 'preview', frame: JSON.stringify(frame) } })
  const begin = (type: 'agent.message' | 'agent.thinking', id: string): void => {
    if (begun.has(id)) return
    begun.add(id)
    tell({ type: 'event_start', event: { type, id } })
  }
  return (delta) => {
    if (delta.type === 'thinking') return begin('agent.thinking', thinkingId)
    if (delta.text === '') return
    begin('agent.message', messageId)
    const { index, text } = delta
    for (const piece of inPieces(text))
      tell({
        type: 'event_delta',
        event_id: messageId,
        delta: { type: 'content_delta', index, content: { type: 'text', text: piece } },
      })
  }
}

/** Splits between characters, never inside one. */
function* inPieces(text: string): Generator<string> {
  if (text.length <= DELTA_CHARS) return yield text
  const characters = [...text]
  for (let at = 0; at < characters.length; at += DELTA_CHARS)
    yield characters.slice(at, at + DELTA_CHARS).join('')
}

const billCall = (model: string, tokens: CallTokens, free: boolean): ModelBill => ({
  inputTokens: tokens.input,
  outputTokens: tokens.output,
  cacheReadTokens: tokens.cacheRead,
  cacheWrite5mTokens: tokens.cacheWrite5m,
  cacheWrite1hTokens: tokens.cacheWrite1h,
  nanoDollars: free ? 0 : priceCall(model, tokens),
})
