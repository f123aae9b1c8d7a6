import { z } from 'zod'
import { modelBill } from '../log/summary.ts'
import { MODEL_STOPS, modelBlock } from './models/model.ts'

/** Log rows that only the brain writes and reads; clients never see them. */
export const MARKS = {
  /** A tool is about to run; lets a later brain detect a crash. Body: `tool_use_id`. */
  toolStarted: 'brain.tool_started',
  /** A call that only the client could have answered was abandoned. Body: `tool_use_id`. */
  toolGivenUp: 'brain.tool_given_up',
  /** Input that was discarded together with an abandoned turn. Body: `ids`. */
  discarded: 'brain.discarded',
  /** A brain continued where another one died. Body: `dead_ms`, which is not billed. */
  resumed: 'brain.resumed',
  /** The coordinator has nothing to do until one of its threads reports. */
  waitsForThreads: 'brain.waits_for_threads',
  /** Another thread of the session used a model or the web. Hidden: `bill` or `tool`. */
  threadUsed: 'brain.thread_used',
} as const

const PURPOSES = ['turn', 'compaction', 'judgement'] as const
/** The purpose of a request: the agent's next message, a summary, or a verdict on an outcome. */
export type Purpose = (typeof PURPOSES)[number]

/** Hidden part of `span.model_request_start`. */
export const askedHidden = z.object({
  purpose: z.enum(PURPOSES),
  /** Ids that the answer's events will have; stream previews use them. */
  messageId: z.string(),
  thinkingId: z.string(),
  /** Client events that this request was the first to show to the model. */
  taken: z.array(z.string()),
  /** What it costs if its process dies before the vendor reported anything. */
  estimate: modelBill.optional(),
})

/** Hidden part of `span.model_request_end` when the model answered; `bill` is the log's own. */
export const answeredHidden = z.object({
  content: z.array(modelBlock),
  stop: z.enum(MODEL_STOPS),
  /** All tokens the model read and wrote, which is how full its window was. */
  windowTokens: z.number(),
  refusal: z
    .object({ category: z.string().nullable(), explanation: z.string().nullable() })
    .nullable(),
})

/** The same when the model did not answer. */
export const unansweredHidden = z.object({
  /** `died`: the process that asked is gone. `interrupted`: the client interrupted the request.
   * `media`: it was rejected, and the next one leaves out images and documents that are new. */
  cause: z.enum(['failed', 'too_long', 'media', 'died', 'interrupted']),
})

/** Hidden part of `agent.tool_use` and similar events: the model's own id of the call. */
export const calledHidden = z.object({ callId: z.string() })

/** Hidden part of `session.status_rescheduled`. */
export const rescheduledHidden = z.object({
  retryAtMs: z.number(),
  /** The vendor asked for this time, so an answer to another session does not shorten it. */
  isVendorsTime: z.boolean().default(true),
})

/** Hidden part of the status that ends an interrupted turn; `session`: all threads were. */
export const interruptedHidden = z.object({ interrupted: z.enum(['thread', 'session']) })

/** Hidden part of `agent.thread_context_compacted`. */
export const compactedHidden = z.object({ summary: z.string() })
