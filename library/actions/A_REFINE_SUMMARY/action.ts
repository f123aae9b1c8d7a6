import { type ActionContextV2, isJsonObject, type JsonObject, type Llm } from '@steward/contract'
import { askModel, malformed } from '../../lib/ask-model.ts'
import { contentToWorkOn } from '../../lib/content-to-work-on.ts'
import { stemsIn } from '../../lib/key-terms.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'
import { splitSentences } from '../../lib/sentences.ts'
import { fenceContent, UNTRUSTED_NOTICE } from '../../lib/untrusted-content.ts'
import { mergeSummary } from './merge-summary.ts'

const ACTION = 'A_REFINE_SUMMARY'
const MAX_CHARS = 120_000

const SYSTEM = [
  'You write summaries in plain words and complete sentences, faithful to the text, without headings or lists.',
  UNTRUSTED_NOTICE,
].join('\n')

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['summary'],
  properties: { summary: { type: 'string', description: 'About two complete sentences.' } },
}

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const content = contentToWorkOn(input, ACTION, 1)
  const llm = needCapability(context, ACTION, 'llm')
  const previous = isJsonObject(input.previousResult) ? input.previousResult : {}
  const draft = readText(previous, 'summary')
  if (draft === '') {
    return { summary: await ask(llm, 'Summarise this text in about two sentences.', content) }
  }
  const missing = readTexts(previous, 'missing_terms')
  const passages = findPassages(content, draft, missing)
  if (passages === '') return { summary: draft }
  const addition = await ask(
    llm,
    `A summary lacks these points: ${missing.join(', ')}. Write about two sentences that add them, from the passages below.`,
    passages,
  )
  return { summary: mergeSummary(draft, addition, content) }
}

const ask = async (llm: Llm, request: string, text: string): Promise<string> => {
  const { json, model } = await askModel(llm, `${request}\n\n${fenceContent(text, MAX_CHARS)}`, {
    system: SYSTEM,
    schema: SCHEMA,
    tier: 'fast',
    maxTokens: 600,
  })
  const summary = readText(json, 'summary').replace(/\s+/g, ' ')
  if (summary === '') throw malformed(model, 'summary is empty')
  return summary
}

/** The sentences that mention a missing term and are not in the draft yet, in text order. */
const findPassages = (content: string, draft: string, missing: readonly string[]): string => {
  const wanted = stemsIn(missing.join(' '))
  return splitSentences(content)
    .filter((sentence) => !draft.includes(sentence))
    .filter((sentence) => [...stemsIn(sentence)].some((stem) => wanted.has(stem)))
    .join(' ')
}
