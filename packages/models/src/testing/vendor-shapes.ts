import { createHash } from 'node:crypto'
import { fields } from '@steward/contract'
import { z } from 'zod'
import { fillSchema } from '../offline/fill-schema.ts'
import { readMaterial } from '../offline/material.ts'
import { estimateTokens } from '../prices/tokens.ts'
import type { ReceivedCall, ScriptedAnswer } from './stand-in-types.ts'

type Read = Omit<ReceivedCall, 'path' | 'headers' | 'body'>

/** One vendor's format of requests, answers and errors. */
export interface VendorShape {
  keyOf: (headers: Record<string, string>) => string | undefined
  /** Why the vendor would reject a request; undefined if it would not. */
  check: (headers: Record<string, string>, body: Record<string, unknown>) => string | undefined
  read: (body: Record<string, unknown>) => Read
  answer: (call: Read, scripted: ScriptedAnswer) => unknown
  error: (type: string, message: string) => unknown
}

const textOf = z.union([
  z.string(),
  z
    .array(z.looseObject({ text: z.string().optional() }))
    .transform((parts) => parts.map((part) => part.text ?? '').join('')),
])
const message = z.object({ role: z.enum(['system', 'user', 'assistant']), content: textOf })

const anthropicRequest = z.object({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(message).min(1),
  system: textOf.optional(),
  temperature: z.number().min(0).max(1).optional(),
  output_config: z.looseObject({ format: z.looseObject({ schema: fields }).optional() }).optional(),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: fields })).optional(),
})

export const anthropicShape: VendorShape = {
  keyOf: (headers) => headers['x-api-key'],
  check: (headers, body) => {
    if (!headers['x-api-key']) return 'x-api-key header is required'
    if (headers['anthropic-version'] !== '2023-06-01')
      return 'anthropic-version: header is required'
    return problemOf(anthropicRequest, body)
  },
  read: (body) => {
    const request = anthropicRequest.parse(body)
    const forced = request.tools?.find((tool) => tool.name === 'json')?.input_schema
    return {
      model: request.model,
      temperature: request.temperature,
      maxTokens: request.max_tokens,
      system: request.system ?? '',
      prompt: lastPrompt(request.messages),
      schema: request.output_config?.format?.schema ?? forced,
    }
  },
  answer: (call, scripted) => {
    const text = scripted.text ?? usualText(call)
    const usage = scripted.usage ?? usualUsage(call, text)
    return {
      id: `msg_${hashOf(call.prompt)}`,
      type: 'message',
      role: 'assistant',
      model: call.model,
      content: text === '' ? [] : [{ type: 'text', text }],
      stop_reason: scripted.stop ?? 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    }
  },
  error: (type, text) => ({ type: 'error', error: { type, message: text } }),
}

const openaiRequest = z.object({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: fields }).optional() })
    .optional(),
})

export const openaiShape: VendorShape = {
  keyOf: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  check: (_headers, body) => problemOf(openaiRequest, body),
  read: (body) => {
    const request = openaiRequest.parse(body)
    return {
      model: request.model,
      temperature: request.temperature,
      maxTokens: request.max_completion_tokens ?? request.max_tokens,
      system: request.messages.find(({ role }) => role === 'system')?.content ?? '',
      prompt: lastPrompt(request.messages),
      schema: request.response_format?.json_schema?.schema,
    }
  },
  answer: (call, scripted) => {
    const text = scripted.text ?? usualText(call)
    const usage = scripted.usage ?? usualUsage(call, text)
    return {
      id: `chatcmpl-${hashOf(call.prompt)}`,
      object: 'chat.completion',
      created: 0,
      model: call.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text },
          finish_reason: scripted.stop ?? 'stop',
        },
      ],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    }
  },
  error: (type, text) => ({ error: { message: text, type, param: null, code: null } }),
}

const problemOf = (shape: z.ZodType, body: unknown): string | undefined => {
  const parsed = shape.safeParse(body)
  if (parsed.success) return undefined
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
}

const lastPrompt = (messages: readonly z.infer<typeof message>[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? ''

/** Fills a schema from the prompt; without one it names the prompt. */
const usualText = ({ prompt, schema }: Read): string =>
  schema === undefined
    ? `Stand-in answer ${hashOf(prompt)} to: ${prompt.replace(/\s+/g, ' ').slice(0, 60)}`
    : JSON.stringify(fillSchema(schema, readMaterial(prompt)))

const usualUsage = ({ system, prompt }: Read, text: string) => ({
  input: estimateTokens(system + prompt),
  output: estimateTokens(text),
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)
