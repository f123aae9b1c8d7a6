import {
  isJsonObject,
  isRefusal,
  LIMITS,
  type LlmAnswer,
  type LlmOptions,
  StewardError,
  type Usage,
} from '@steward/contract'
import { askVendor, type Question, type VendorAnswer } from './call/ask-vendor.ts'
import { checkCall, tierOf } from './call/check-call.ts'
import { findServedModel } from './call/find-served-model.ts'
import { askForRepair, instructJson } from './call/instruct-json.ts'
import { createJsonReader, findJson, type ReadJson } from './call/read-json.ts'
import { featuresAcceptedBy, narrow, type RequestFeatures } from './call/request-features.ts'
import { retry } from './call/retry.ts'
import { withTimeLimit } from './call/time-limit.ts'
import { toCallError } from './call/to-call-error.ts'
import { findVendorFailure } from './call/vendor-failure.ts'
import { vendorOf } from './call/vendor-model.ts'
import type { CallOptions, ModelClient, ModelClientPorts } from './model-client.ts'
import { costOf } from './prices/cost.ts'
import type { PriceTable } from './prices/price-table.ts'
import { estimateTokens } from './prices/tokens.ts'
import { DEFAULT_MAX_TOKENS, traitsOf } from './providers/model-table.ts'

type Ports = Omit<ModelClientPorts, 'prices'> & { prices: PriceTable }

/** A client of a model that is asked over HTTP. */
export const createVendorClient = (ports: Ports): ModelClient => {
  const { choice, sleep, now, prices, redact = (text) => text } = ports
  const { provider } = choice
  const openModel = vendorOf(choice, ports.fetch, redact)
  const learned = new Map<string, RequestFeatures>()
  const renamed = new Map<string, string>()

  const modelFor = (options: LlmOptions): string => {
    const model = choice.models[tierOf(options)]
    return renamed.get(model) ?? model
  }

  const ask = async (model: string, question: Question, signal?: AbortSignal) => {
    const traits = traitsOf(model)
    const attempt = async (): Promise<VendorAnswer> => {
      const accepted = learned.get(model) ?? featuresAcceptedBy(traits)
      try {
        return await withTimeLimit(
          async (limited) =>
            askVendor(
              await openModel(model, accepted.maxTokensField),
              question,
              traits,
              accepted,
              limited,
            ),
          { subject: `the model ${model}`, limitMs: LIMITS.llmTimeoutMs, sleep, signal },
        )
      } catch (error) {
        const failure = findVendorFailure(error)
        const narrower = failure && narrow(accepted, failure)
        if (narrower === undefined) throw error
        learned.set(model, narrower)
        return attempt()
      }
    }
    try {
      return await retry(attempt, { sleep, now }, signal)
    } catch (error) {
      throw signal?.aborted ? signal.reason : toCallError(error, choice, model, now())
    }
  }

  const priceOf = (model: string, usage: Usage): number | null =>
    provider === 'ollama' ? 0 : costOf(model, usage, prices)

  const callModel = async (model: string, prompt: string, options: CallOptions) => {
    const { signal, system, schema, idempotencyKey: key } = options
    const wanted = wantsJson(options) ? { schema } : undefined
    const readJson = wanted && createJsonReader(schema)
    const question = {
      turns: [{ role: 'user' as const, text: prompt }],
      system,
      wanted,
      maxTokens: maxTokensOf(options),
      key,
    }

    let usage: Usage = { input: 0, output: 0 }
    const spent = () => ({ usage, cost: priceOf(model, usage) })
    /** The first answer was paid for even if the repair fails. */
    const withSpent = (error: unknown) =>
      error instanceof StewardError && usage.input > 0
        ? StewardError.restore(
            error.code,
            error.message,
            { ...error.details, ...spent() },
            error.cause,
          )
        : error
    const askOnce = async (asked: Question): Promise<VendorAnswer> => {
      const answer = await ask(model, asked, signal).catch((error: unknown) => {
        throw withSpent(error)
      })
      usage = {
        input: usage.input + answer.usage.input,
        output: usage.output + answer.usage.output,
      }
      if (answer.ended === 'refused') throw refused(answer.text)
      return answer
    }
    const refused = (text: string) =>
      new StewardError('model_refused', {
        model,
        reason: redact(text).slice(0, 200) || 'it gave no reason',
        ...spent(),
      })
    /** A second call would be paid for and refused as well. */
    const checkRefusal = ({ text }: VendorAnswer, found: ReturnType<ReadJson>) => {
      const spoken = found.ok ? undefined : proseOf(text)
      if (spoken !== undefined && isRefusal(spoken)) throw refused(spoken)
    }
    const malformed = (reason: string) =>
      new StewardError('model_malformed', { model, reason, ...spent() })

    const first = await askOnce(question)
    const finish = (text: string, json?: { value: unknown }): LlmAnswer => ({
      text,
      ...(json === undefined ? {} : { json: json.value }),
      ...spent(),
      model,
      provider,
    })
    if (readJson === undefined) {
      if (first.text === '') throw malformed(`it is empty${cutNote(first, question)}`)
      return finish(first.text)
    }
    const read = readJson(first.text)
    if (read.ok) return finish(first.text, read)
    checkRefusal(first, read)
    const why = `${read.reason}${cutNote(first, question)}`
    const second = await askOnce({
      ...question,
      turns: repairTurns(prompt, first.text, why),
      key: key && `${key}-repair`,
    })
    const reread = readJson(second.text)
    if (reread.ok) return finish(second.text, reread)
    checkRefusal(second, reread)
    throw malformed(`${reread.reason}${cutNote(second, question)}`)
  }

  const call: ModelClient['call'] = async (prompt, options = {}) => {
    checkCall(prompt, options)
    const model = modelFor(options)
    try {
      return await callModel(model, prompt, options)
    } catch (error) {
      const served = await findServedModel(error, model, choice, ports.fetch)
      if (served === undefined) throw error
      renamed.set(model, served)
      return callModel(served, prompt, options)
    }
  }

  const estimate: ModelClient['estimate'] = (prompt, options = {}) => {
    const model = modelFor(options)
    const instructions = wantsJson(options) ? instructJson(options.schema) : ''
    const input = estimateTokens(`${options.system ?? ''}${prompt}${instructions}`) + OVERHEAD
    const output = maxTokensOf(options) + traitsOf(model).thinkingTokens
    const once = priceOf(model, { input, output })
    if (once === null || !wantsJson(options)) return { model, maxCost: once }
    const repair = priceOf(model, { input: input + output + OVERHEAD, output })
    return { model, maxCost: repair === null ? null : once + repair }
  }

  return { provider, call, estimate }
}

/** Tokens that vendors add around a prompt. */
const OVERHEAD = 64

const wantsJson = ({ schema, json }: LlmOptions): boolean => schema !== undefined || json === true

const maxTokensOf = (options: LlmOptions): number =>
  options.maxTokens ?? DEFAULT_MAX_TOKENS[tierOf(options)]

/** What a model says instead of the JSON, or as the only text in it. */
const proseOf = (text: string): string | undefined => {
  const found = findJson(text)
  if (!found.ok) return text
  const texts = isJsonObject(found.value)
    ? Object.values(found.value).filter((value) => typeof value === 'string')
    : []
  return texts.length === 1 ? texts[0] : undefined
}

const cutNote = ({ ended }: VendorAnswer, { maxTokens }: Question): string =>
  ended === 'cut' ? `; it was cut off at ${maxTokens} tokens` : ''

/** An empty answer cannot be quoted back: vendors reject an empty turn. */
const repairTurns = (prompt: string, answer: string, reason: string): Question['turns'] =>
  answer === ''
    ? [{ role: 'user', text: `${prompt}\n\n${instructJson(undefined)}` }]
    : [
        { role: 'user', text: prompt },
        { role: 'assistant', text: answer },
        { role: 'user', text: askForRepair(reason) },
      ]
