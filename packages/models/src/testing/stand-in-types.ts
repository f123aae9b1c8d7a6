import { z } from 'zod'

/** One scripted answer. Omitted fields are as in the usual answer. */
export const scriptedAnswer = z.object({
  status: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** The raw body, instead of one in the vendor's shape. */
  body: z.string().optional(),
  /** The model's text. */
  text: z.string().optional(),
  /** The vendor's own stop reason, such as `refusal` or `content_filter`. */
  stop: z.string().optional(),
  /** The vendor's error type and message; used if the status is an error. */
  error: z.object({ type: z.string(), message: z.string() }).optional(),
  usage: z.object({ input: z.int(), output: z.int() }).optional(),
  delayMs: z.int().nonnegative().optional(),
  /** Never answers. */
  hang: z.boolean().optional(),
  /** Cuts the connection. */
  drop: z.boolean().optional(),
})
export type ScriptedAnswer = z.infer<typeof scriptedAnswer>

export const standInOptions = z.object({
  port: z.int().nonnegative().default(0),
  /** The only accepted key; any, or none, if unset. */
  apiKey: z.string().optional(),
  /** Answers for the first calls, in order; then the usual answer. */
  script: z.array(scriptedAnswer).default([]),
  /** How long each call takes. */
  delayMs: z.int().nonnegative().default(0),
  /** Models that respond with 400 if a temperature is set. */
  withoutTemperature: z.array(z.string()).default([]),
  /** The list of `/v1/models` and Ollama's `/api/tags`; both are 404 if unset. */
  models: z.array(z.string()).optional(),
})
export type VendorStandInOptions = z.input<typeof standInOptions>

/** One received model call. */
export interface ReceivedCall {
  path: string
  headers: Record<string, string>
  model: string
  temperature: number | undefined
  maxTokens: number | undefined
  system: string
  prompt: string
  schema: Record<string, unknown> | undefined
  body: Record<string, unknown>
}
