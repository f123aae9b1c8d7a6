import { z } from 'zod'
import { MODEL_STOPS, modelBlock } from './models/model.ts'

/** Rows of the log that only the brain writes and reads; clients never see them. */
export const MARKS = {
  /** A tool is about to run, so that a crash leaves a trace. Body: `tool_use_id`. */
  toolStarted: 'brain.tool_started',
  /** A call that only the client could have answered was given up. Body: `tool_use_id`. */
  toolGivenUp: 'brain.tool_given_up',
  /** Input that a turn which was given up takes with it. Body: `ids`. */
  discarded: 'brain.discarded',
  /** A brain went on where another one died. Body: `dead_ms`, which nobody pays for. */
  resumed: 'brain.resumed',
} as const

const PURPOSES = ['turn', 'compaction', 'judgement'] as const
/** What a model is asked for: the agent's next words, a summary of what was, or a verdict on an outcome. */
export type Purpose = (typeof PURPOSES)[number]

/** Hidden part of `span.model_request_start`. */
export const askedHidden = z.object({
  purpose: z.enum(PURPOSES),
  /** Ids that the events of the answer will have: streams preview them. */
  messageId: z.string(),
  thinkingId: z.string(),
  /** Client events that this request was the first to show to the model. */
  taken: z.array(z.string()),
})

/** Hidden part of `span.model_request_end` when the model answered; `bill` is the log's own. */
export const answeredHidden = z.object({
  content: z.array(modelBlock),
  stop: z.enum(MODEL_STOPS),
  /** Everything the model read and wrote: how full its window was. */
  windowTokens: z.number(),
  refusal: z
    .object({ category: z.string().nullable(), explanation: z.string().nullable() })
    .nullable(),
})

/** The same when it did not. */
export const unansweredHidden = z.object({
  /** `died`: the process that asked is gone. `interrupted`: the person did not want the answer any more. */
  cause: z.enum(['failed', 'too_long', 'died', 'interrupted']),
})

/** Hidden part of `agent.tool_use` and its kin: the model's own id of the call. */
export const calledHidden = z.object({ callId: z.string() })

/** Hidden part of `session.status_rescheduled`. */
export const rescheduledHidden = z.object({ retryAtMs: z.number() })

/** Hidden part of `agent.thread_context_compacted`. */
export const compactedHidden = z.object({ summary: z.string() })
