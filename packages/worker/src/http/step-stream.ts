import {
  describeIssues,
  issuesOf,
  type JsonObject,
  parseJson,
  StewardError,
  unwrap,
} from '@steward/contract'
import { z } from 'zod'

/**
 * How a flow follows the steps of its pipeline: the pipeline responds with one line of JSON per
 * finished step and, as the last line, with its usual response. The flow stores the steps, and a
 * later call passes them back, so that the pipeline continues after them.
 */
const STEPS_HEADER = 'x-steward-steps'
const STEPS_TYPE = 'application/x-ndjson'

/** `output` has only the fields that the step added or changed. */
const finishedStep = z.object({
  version: z.string(),
  step: z.string(),
  output: z.record(z.string(), z.unknown()),
  /** Whether it called a model. */
  paid: z.boolean(),
})
export type FinishedStep = z.infer<typeof finishedStep>

const lastLine = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
const line = z.union([finishedStep, lastLine])

/** How many answers of models a step received that did not help. */
export const unhelpfulAnswers = z.record(z.string(), z.int())
export type UnhelpfulAnswers = z.infer<typeof unhelpfulAnswers>

const finishedSteps = z.object({
  version: z.string(),
  outputs: z.record(z.string(), z.record(z.string(), z.unknown())),
  unhelpful: unhelpfulAnswers.optional(),
})
/** Outputs by step. A pipeline of another version does not use them. */
export type FinishedSteps = z.infer<typeof finishedSteps>

const resumption = z.object({
  input: z.record(z.string(), z.unknown()),
  finished: finishedSteps,
})

/** Headers and body of a call whose steps the caller follows. */
export const followedCall = (
  input: JsonObject,
  finished: FinishedSteps | undefined,
  given: Headers,
): { headers: Headers; body: string } => {
  const headers = new Headers(given)
  headers.set(STEPS_HEADER, finished === undefined ? 'follow' : 'resume')
  return { headers, body: JSON.stringify(finished === undefined ? input : { input, finished }) }
}

/** The input of a call, and the steps that are already done; undefined if they are not followed. */
export const readFollowedCall = (
  { headers }: Request,
  body: JsonObject,
): { input: JsonObject; finished: FinishedSteps | undefined } | undefined => {
  const mode = headers.get(STEPS_HEADER)
  if (mode === null) return undefined
  if (mode !== 'resume') return { input: body, finished: undefined }
  const parsed = resumption.safeParse(body)
  if (parsed.success) return parsed.data
  const reason = describeIssues(issuesOf(parsed.error))
  throw new StewardError('invalid_input', { subject: 'the request body', reason })
}

/** A response with the steps of `run` as they finish, and then its own response. */
export const respondWithSteps = (
  run: (onStep: (step: FinishedStep) => void) => Promise<Response>,
): Response => {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const send = (value: z.infer<typeof line>) =>
        controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      const response = await run(send)
      const { status, headers } = response
      send({ status, headers: Object.fromEntries(headers), body: await response.text() })
      controller.close()
    },
  })
  return new Response(stream, { headers: { 'content-type': STEPS_TYPE } })
}

/** Passes on each step as it arrives and returns the response at the end. */
export const readSteps = async (
  name: string,
  response: Response,
  onStep: (step: FinishedStep) => Promise<void>,
): Promise<Response> => {
  if (response.headers.get('content-type') !== STEPS_TYPE || response.body === null) return response
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      const read = line.parse(unwrap(parseJson(each, `the answer of ${name}`)))
      if ('status' in read) return new Response(read.body, read)
      await onStep(read)
    }
  }
  throw new StewardError('upstream_failed', { service: name, reason: 'it ended without an answer' })
}
