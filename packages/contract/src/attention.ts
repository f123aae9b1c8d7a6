import { z } from 'zod'
import { HOSTS } from './host-event.ts'

/** Why something waits for a person. */
export const ATTENTION_KINDS = [
  'permission',
  'question',
  'plan',
  'form',
  'blocked',
  'error',
  'idle',
  'done',
] as const
export type AttentionKind = (typeof ATTENTION_KINDS)[number]

const text = (most: number) => z.string().max(most)

const askedQuestion = z.object({
  question: text(2000),
  header: text(200).optional(),
  options: z.array(z.object({ label: text(500), description: text(2000).optional() })).max(50),
  /** More than one option may be chosen. */
  multiple: z.boolean(),
})
export type AskedQuestion = z.infer<typeof askedQuestion>

const formField = z.object({
  name: text(200),
  title: text(500).optional(),
  type: z.enum(['text', 'number', 'boolean']),
  /** The only values that are accepted. */
  options: z.array(text(500)).max(100).optional(),
  required: z.boolean(),
})
export type FormField = z.infer<typeof formField>

/** Which answers are accepted. */
const askedFor = z.object({
  /** `allow` and `deny` are decisions. */
  decides: z.boolean(),
  /** What "always" would change, in the assistant's own terms; absent if it offers no such choice. */
  always: text(1000).optional(),
  questions: z.array(askedQuestion).max(10).default([]),
  fields: z.array(formField).max(50).default([]),
  /** A message to the session is an answer. */
  takesText: z.boolean().default(false),
})
export type AskedFor = z.infer<typeof askedFor>

/** What a hook asks the daemon while its assistant waits. */
export const attentionRequest = z.object({
  /** Chosen by the hook; the same when it asks again, after the daemon was restarted. */
  id: z.string().regex(/^[\w-]{8,64}$/),
  host: z.enum(HOSTS),
  session_id: text(500).min(1),
  agent_id: text(500).optional(),
  turn_id: text(500).optional(),
  cwd: text(4000).optional(),
  reason: z.enum(['permission', 'question', 'plan', 'form', 'done']),
  tool_name: text(500).optional(),
  /** The tool's input as the event log shows it, to recognise the end of the same call. */
  preview: text(2000).optional(),
  /** The request in words. Secrets are masked. */
  detail: text(4000),
  asked: askedFor,
  at: z.iso.datetime(),
  /** How long the hook waits. */
  waitMs: z.int().positive().max(86_400_000),
})
export type AttentionRequest = z.infer<typeof attentionRequest>

const chosen = z.union([text(4000).min(1), z.array(text(4000).min(1)).min(1).max(50)])

/** The answer of a person. */
export const attentionAnswer = z
  .union([
    z.strictObject({
      decision: z.enum(['allow', 'deny']),
      /** `always` uses the assistant's own suggestion. Defaults to `once`. */
      scope: z.enum(['once', 'always']).optional(),
      /** Sent to the assistant together with a refusal. */
      message: text(10_000).optional(),
    }),
    /** An option of the only question, or options by question. */
    z.strictObject({ choice: z.union([chosen, z.record(z.string(), chosen)]) }),
    z.strictObject({ text: z.string().trim().min(1).max(10_000) }),
    /** The fields of a form. */
    z.strictObject({
      content: z.record(z.string(), z.union([text(10_000), z.number(), z.boolean()])),
    }),
  ])
  .meta({ id: 'AttentionAnswer' })
export type AttentionAnswer = z.infer<typeof attentionAnswer>

/** What the daemon tells a hook that waits. */
export const attentionOutcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('answered'), answer: attentionAnswer }),
  /** No answer was given here: the assistant's own prompt decides. */
  z.object({ status: z.literal('closed'), reason: z.string() }),
])
export type AttentionOutcome = z.infer<typeof attentionOutcome>

/** Where an entry is answered. */
const answerPlace = z.discriminatedUnion('where', [
  askedFor.extend({ where: z.literal('here'), until: z.string().nullable() }),
  z.object({ where: z.literal('terminal'), hint: z.string() }),
  z.object({ where: z.literal('command'), command: z.string() }),
])
export type AnswerPlace = z.infer<typeof answerPlace>

/** Something that waits for the person. */
export const attentionEntry = z
  .object({
    id: z.string(),
    /** Empty for a flow. */
    session_id: z.string(),
    /** The name of the session or flow. */
    name: z.string(),
    /** The folder that it works in; empty if unknown. */
    project: z.string(),
    /** The assistant, or `hosted`; empty for a flow. */
    host: z.string(),
    kind: z.enum(ATTENTION_KINDS),
    /** The tool that needs a permission. */
    tool: z.string().nullable(),
    /** The request, or the end of the last message. */
    preview: z.string(),
    /** The options of the only question. */
    choices: z.array(z.string()),
    since: z.string(),
    /** Whether it can be answered through Steward; `answer` says how, or where else. */
    answerable: z.boolean(),
    answer: answerPlace,
  })
  .meta({ id: 'AttentionEntry' })
export type AttentionEntry = z.infer<typeof attentionEntry>

/** A phone, browser or another device that is notified, and answers if it may. */
export const answerDevice = z.object({
  id: z.string(),
  name: z.string(),
  /** How it is reached: by push topics, through the relay, by web push. */
  ways: z.array(z.enum(['push', 'relay', 'webpush'])),
  /** Whether its answers are accepted. */
  answers: z.boolean(),
  /** Until when its QR code can be scanned; null if it was, or has none. */
  pairUntil: z.string().nullable(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  lastAnswerAt: z.string().nullable(),
})
export type AnswerDevice = z.infer<typeof answerDevice>
