import {
  type CapabilitiesV2,
  describeIssues,
  issuesOf,
  MODEL_TIERS,
  StewardError,
} from '@steward/contract'
import { z } from 'zod'
import type { SentResponse } from './host/messages.ts'
import type { HostMessage } from './read-host-message.ts'

type Use = Extract<HostMessage, { type: 'use' }>

/** Performs what the action in a host asks for during one call. */
export interface UseAnswers {
  /** The answer as JSON; throws what the capability throws. */
  answer: (use: Use) => Promise<unknown>
  /** The action no longer wants the answer. */
  cancel: (id: number) => void
  /** Cancels all open requests. */
  close: () => void
}

/** More requests than this at the same time would cost this process its memory. */
const MOST_OPEN = 1000

export const createUseAnswers = (action: string, capabilities: CapabilitiesV2): UseAnswers => {
  let open = 0
  /** Of requests whose body may still be read, too. */
  const controllers = new Map<number, AbortController>()
  const bodies = new Map<number, ReadableStreamDefaultReader<Uint8Array>>()
  const need = <Name extends keyof CapabilitiesV2>(name: Name) => {
    const capability = capabilities[name]
    if (capability !== undefined) return capability
    throw new StewardError('capability_missing', {
      action,
      capability: name,
      reason: 'its manifest does not declare',
    })
  }

  const forget = (id: number): void => {
    bodies.delete(id)
    controllers.delete(id)
  }

  const fetchFor = async (id: number, args: unknown, signal: AbortSignal) => {
    const { url, body, ...init } = parse('fetch', request, args)
    const bytes = body === undefined ? {} : { body: Buffer.from(body, 'base64') }
    const response = await need('fetch')(url, { ...init, ...bytes, signal })
    const reader = response.body?.getReader()
    if (reader !== undefined) bodies.set(id, reader)
    const { status, statusText, redirected, headers } = response
    return {
      url: response.url,
      status,
      statusText,
      redirected,
      headers: [...headers],
      hasBody: reader !== undefined,
    } satisfies SentResponse
  }

  const readBody = async (args: unknown): Promise<string | null> => {
    const { request: id } = parse('fetch', bodyRequest, args)
    const part = await bodies.get(id)?.read()
    if (part?.value !== undefined) return Buffer.from(part.value).toString('base64')
    forget(id)
    return null
  }

  const cancelBody = async (args: unknown): Promise<null> => {
    const { request: id } = parse('fetch', bodyRequest, args)
    const reader = bodies.get(id)
    forget(id)
    await reader?.cancel()
    return null
  }

  const perform = ({ id, capability, args }: Use, signal: AbortSignal): Promise<unknown> => {
    switch (capability) {
      case 'llm': {
        const { prompt, options } = parse(capability, llmArgs, args)
        return need(capability)(prompt, options)
      }
      case 'readFile':
        return need(capability)(parse(capability, readFileArgs, args).path)
      case 'shell': {
        const { argv, options = {} } = parse(capability, shellArgs, args)
        const { files, ...rest } = options
        return need(capability)(argv, files === undefined ? rest : { ...rest, files })
      }
      case 'assistant':
      case 'hostedAgent':
        return need(capability)(parse(capability, z.record(z.string(), z.unknown()), args))
      case 'fetch':
        return fetchFor(id, args, signal)
      case 'readBody':
        return readBody(args)
      case 'cancelBody':
        return cancelBody(args)
    }
  }

  return {
    answer: async (use) => {
      if (open >= MOST_OPEN) {
        const reason = `it made more than ${MOST_OPEN} calls at the same time`
        throw new StewardError('action_failed', { action, reason })
      }
      const controller = new AbortController()
      controllers.set(use.id, controller)
      open += 1
      try {
        return await perform(use, controller.signal)
      } finally {
        open -= 1
        if (!bodies.has(use.id)) controllers.delete(use.id)
      }
    },
    cancel: (id) => controllers.get(id)?.abort(),
    close: () => {
      for (const controller of controllers.values()) controller.abort()
      for (const reader of bodies.values()) reader.cancel().catch(() => undefined)
      bodies.clear()
    },
  }
}

const parse = <T>(subject: string, schema: z.ZodType<T>, args: unknown): T => {
  const parsed = schema.safeParse(args)
  if (parsed.success) return parsed.data
  const reason = describeIssues(issuesOf(parsed.error))
  throw new StewardError('invalid_input', { subject, reason })
}

const llmArgs = z.object({
  prompt: z.string(),
  options: z
    .object({
      tier: z.enum([...MODEL_TIERS, 'smart']).optional(),
      system: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
      json: z.boolean().optional(),
      maxTokens: z.number().optional(),
    })
    .optional(),
})

const readFileArgs = z.object({ path: z.string('needs a path, which must be a non-empty text') })

const ARGV =
  'takes a list of arguments and never a command line, for example ["yt-dlp", "--version"]'

const shellArgs = z.object({
  argv: z.array(z.string(), ARGV),
  options: z
    .object({
      stdin: z.string().optional(),
      timeoutMs: z.number().optional(),
      env: z.record(z.string(), z.string()).optional(),
      files: z
        .record(
          z.string(),
          z.string().transform((base64) => Buffer.from(base64, 'base64')),
        )
        .optional(),
      readPaths: z.array(z.string()).optional(),
      collect: z.array(z.string()).optional(),
    })
    .optional(),
})

const request = z.object({
  url: z.string(),
  method: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string().optional(),
  redirect: z.enum(['follow', 'error', 'manual']),
  timeoutMs: z.number().optional(),
})

const bodyRequest = z.object({ request: z.int() })
