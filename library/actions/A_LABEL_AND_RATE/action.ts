import { type ActionContextV2, type JsonObject, LIMITS } from '@steward/contract'
import { askModel, type ModelAnswer, malformed } from '../../lib/ask-model.ts'
import { contentToWorkOn } from '../../lib/content-to-work-on.ts'
import { knownLabels } from '../../lib/labels.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { ratingOf } from '../../lib/rating.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'
import { fenceContent, withTitle } from '../../lib/untrusted-content.ts'
import { MAX_LABELS, SCHEMA, SYSTEM } from './prompt.ts'

const ACTION = 'A_LABEL_AND_RATE'
/** Labels and a grade only need the gist: more text costs more and changes little. */
const MAX_CHARS = 24_000

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const content = contentToWorkOn(input, ACTION, LIMITS.labelContentMinChars)
  const llm = needCapability(context, ACTION, 'llm')
  if (content.length > MAX_CHARS) {
    context.log(`read the first ${MAX_CHARS} of ${content.length} characters`)
  }
  const text = withTitle(readText(input, 'title'), content)
  const prompt = `Label and rate this text.\n\n${fenceContent(text, MAX_CHARS)}`
  return readAnswer(
    await askModel(llm, prompt, { system: SYSTEM, schema: SCHEMA, tier: 'fast', maxTokens: 600 }),
  )
}

const readAnswer = ({ json, model }: ModelAnswer): JsonObject => {
  const summary = readText(json, 'one_sentence_summary').replace(/\s+/g, ' ')
  if (summary === '') throw malformed(model, 'one_sentence_summary is empty')
  const labels = knownLabels(readTexts(json, 'labels')).slice(0, MAX_LABELS)
  if (labels.length === 0) {
    throw malformed(
      model,
      `labels has none of the fixed labels, found ${JSON.stringify(json.labels)}`,
    )
  }
  const score = json.quality_score
  if (typeof score !== 'number' || !Number.isFinite(score)) {
    throw malformed(
      model,
      `quality_score must be a number from 1 to 100, found ${JSON.stringify(score)}`,
    )
  }
  const quality = Math.min(100, Math.max(1, Math.round(score)))
  // The score is more precise: if letter and number disagree, the number decides.
  return {
    one_sentence_summary: summary,
    labels,
    rating: ratingOf(quality),
    quality_score: quality,
  }
}
