import { isJsonObject, type Usage } from '@steward/contract'
import { z } from 'zod'
import { estimateTokens } from '../prices/tokens.ts'
import type { ModelTraits } from '../providers/model-table.ts'
import { instructJson } from './instruct-json.ts'
import type { RequestFeatures } from './request-features.ts'
import type { VendorModel } from './vendor-model.ts'

interface Turn {
  role: 'user' | 'assistant'
  text: string
}

export interface Question {
  turns: readonly Turn[]
  system?: string | undefined
  /** JSON output: of this schema, or any object. */
  wanted?: { schema?: Record<string, unknown> | undefined } | undefined
  maxTokens: number
  /** Equal for repetitions of this question. */
  key?: string | undefined
}

export interface VendorAnswer {
  text: string
  usage: Usage
  ended: 'complete' | 'cut' | 'refused'
}

type CallOptions = Parameters<VendorModel['doGenerate']>[0]
type ResponseFormat = Extract<CallOptions['responseFormat'], { type: 'json' }>

/** The library's schema type is narrower than real schemas; the vendor validates them. */
const vendorSchema = z.custom<ResponseFormat['schema']>(isJsonObject)

/** Sends one request. Retries happen outside, where they are counted and delayed. */
export const askVendor = async (
  model: VendorModel,
  question: Question,
  traits: ModelTraits,
  accepted: RequestFeatures,
  signal: AbortSignal,
): Promise<VendorAnswer> => {
  const native = isAnthropic(model)
  const { wanted } = question
  const system = [
    question.system,
    // Anthropic enforces a schema; other servers may only understand the word JSON.
    wanted && !(native && accepted.format && wanted.schema)
      ? instructJson(wanted.schema)
      : undefined,
  ].filter((part) => part !== undefined)

  const result = await model.doGenerate({
    prompt: [
      ...(system.length > 0 ? [{ role: 'system' as const, content: system.join('\n\n') }] : []),
      ...question.turns.map(({ role, text }) => ({
        role,
        content: [{ type: 'text' as const, text }],
      })),
    ],
    maxOutputTokens: question.maxTokens + (accepted.reasoning ? traits.thinkingTokens : 0),
    ...(accepted.temperature ? { temperature: 0 } : {}),
    ...(wanted && accepted.format ? { responseFormat: formatOf(wanted.schema) } : {}),
    providerOptions: accepted.reasoning ? vendorOptions(native, traits) : vendorOptions(native),
    abortSignal: signal,
    ...(question.key === undefined
      ? {}
      : { headers: { 'idempotency-key': keyOf(question.key, model, accepted) } }),
  })

  const text = result.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim()
  return { text, usage: readUsage(result.usage, question, text), ended: endOf(result.finishReason) }
}

/** A different body needs a different key: servers refuse a key that comes with another request. */
const keyOf = (
  key: string,
  { modelId }: VendorModel,
  { temperature, format, reasoning, maxTokensField }: RequestFeatures,
): string => {
  const features = [temperature, format, reasoning].map(Number).join('')
  return `${key}-${modelId}-${features}-${maxTokensField}`.replace(/[^\w:-]/g, '_').slice(0, 255)
}

type Result = Awaited<ReturnType<VendorModel['doGenerate']>>

const endOf = ({ unified }: Result['finishReason']): VendorAnswer['ended'] => {
  if (unified === 'content-filter') return 'refused'
  return unified === 'length' ? 'cut' : 'complete'
}

/** Small servers omit the usage; an estimate is closer to the truth than zero. */
const readUsage = (usage: Result['usage'], question: Question, text: string): Usage => ({
  input:
    usage.inputTokens.total ??
    estimateTokens([question.system, ...question.turns.map((turn) => turn.text)].join(' ')),
  output: usage.outputTokens.total ?? estimateTokens(text),
})

const formatOf = (schema: Record<string, unknown> | undefined): ResponseFormat =>
  schema === undefined ? { type: 'json' } : { type: 'json', schema: vendorSchema.parse(schema) }

const vendorOptions = (native: boolean, traits?: ModelTraits): CallOptions['providerOptions'] => {
  if (native) {
    const thinking = traits?.thinking
    return { anthropic: thinking === undefined ? {} : { thinking: { type: thinking } } }
  }
  const effort = traits?.reasoningEffort
  return {
    // Strict mode rejects schemas with optional fields; our own validation decides.
    openai: {
      strictJsonSchema: false,
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
    },
  }
}

const isAnthropic = (model: VendorModel): boolean => model.provider.startsWith('anthropic')
