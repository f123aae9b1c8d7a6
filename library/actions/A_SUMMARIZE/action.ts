import type { ActionContextV2, Fields } from '@steward/contract'
import { askModel, malformed } from '../../lib/ask-model.ts'
import { contentToWorkOn } from '../../lib/content-to-work-on.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'
import { fenceContent, UNTRUSTED_NOTICE, withTitle } from '../../lib/untrusted-content.ts'

const ACTION = 'A_SUMMARIZE'
const MAX_CHARS = 120_000
const MAX_POINTS = 5

const SYSTEM = [
  'You summarise texts faithfully: only what the text says, in plain words, numbers kept as they are.',
  UNTRUSTED_NOTICE,
].join('\n')

const SCHEMA = {
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
      minItems: 1,
      maxItems: MAX_POINTS,
      description: 'Three to five facts or claims worth remembering, one short sentence each.',
    },
  },
}

export const execute = async (input: Fields, context: ActionContextV2): Promise<Fields> => {
  const content = contentToWorkOn(input, ACTION, 1)
  const llm = needCapability(context, ACTION, 'llm')
  if (content.length > MAX_CHARS) {
    context.log(`read the first ${MAX_CHARS} of ${content.length} characters`)
  }
  const { json, model } = await askModel(
    llm,
    `Summarise this text.\n\n${fenceContent(withTitle(readText(input, 'title'), content), MAX_CHARS)}`,
    { system: SYSTEM, schema: SCHEMA, tier: 'fast', maxTokens: 1200 },
  )
  const summary = readText(json, 'summary')
  if (summary === '') throw malformed(model, 'summary is empty')
  const points = [...new Set(readTexts(json, 'key_points'))].slice(0, MAX_POINTS)
  return { summary, key_points: points }
}
