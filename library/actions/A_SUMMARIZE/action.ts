import type { ActionContextV2, JsonObject } from '@steward/contract'
import { askModel, malformed } from '../../lib/ask-model.ts'
import { contentToWorkOn } from '../../lib/content-to-work-on.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'
import { splitSentences } from '../../lib/sentences.ts'
import { fenceContent, UNTRUSTED_NOTICE, withTitle } from '../../lib/untrusted-content.ts'

const ACTION = 'A_SUMMARIZE'
const MAX_CHARS = 120_000
const MAX_POINTS = 5
const ENOUGH_POINTS = 3
/** Sentences per key point. */
const SENTENCES_PER_POINT = 4

const SYSTEM = [
  'You summarise texts faithfully: only what the text says, in plain words, numbers kept as they are.',
  UNTRUSTED_NOTICE,
].join('\n')

const schemaFor = (content: string) => ({
  type: 'object',
  additionalProperties: false,
  required: ['summary', 'key_points'],
  properties: {
    summary: {
      type: 'string',
      description: 'One paragraph of about three sentences that stands on its own.',
    },
    key_points: {
      type: 'array',
      items: { type: 'string' },
      minItems: pointsIn(content),
      maxItems: MAX_POINTS,
      description: 'Facts or claims worth remembering that go beyond the summary, a sentence each.',
    },
  },
})

const pointsIn = (content: string): number =>
  Math.min(ENOUGH_POINTS, Math.ceil(splitSentences(content).length / SENTENCES_PER_POINT))

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const content = contentToWorkOn(input, ACTION, 1)
  const llm = needCapability(context, ACTION, 'llm')
  if (content.length > MAX_CHARS) {
    context.log(`read the first ${MAX_CHARS} of ${content.length} characters`)
  }
  const { json, model } = await askModel(
    llm,
    `Summarise this text.\n\n${fenceContent(withTitle(readText(input, 'title'), content), MAX_CHARS)}`,
    { system: SYSTEM, schema: schemaFor(content), tier: 'fast', maxTokens: 1200 },
  )
  const summary = readText(json, 'summary')
  if (summary === '') throw malformed(model, 'summary is empty')
  const points = [...new Set(readTexts(json, 'key_points'))]
    .filter((point) => !summary.includes(point))
    .slice(0, MAX_POINTS)
  return { summary, key_points: points }
}
