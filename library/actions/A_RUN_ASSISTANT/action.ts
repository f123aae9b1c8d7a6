import {
  type ActionContextV2,
  type AssistantOutcome,
  isJsonObject,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import { answerSchema, checkAnswer } from '../../lib/answer-schema.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'

const ACTION = 'A_RUN_ASSISTANT'
/** Longer diffs are cut in the output; the branch has them whole. */
const DIFF_CHARS = 100_000
const REPAIRS = 2

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const prompt = readText(input, 'prompt')
  if (prompt === '') {
    throw new StewardError('rejected_content', { subject: ACTION, reason: 'the prompt is empty' })
  }
  const settings = isJsonObject(input.settings) ? input.settings : {}
  const run = needCapability(context, ACTION, 'assistant')
  const schema = answerSchema(input.schema)
  const task = schema === undefined ? prompt : `${prompt}\n\n${describeSchema(schema)}`
  let outcome = finished(await run({ ...settings, prompt: task }), settings)
  context.log(`session ${outcome.session}: ${outcome.toolCalls} tool calls`)
  if (schema === undefined) return describe(outcome)
  for (let repair = 0; ; repair += 1) {
    const checked = checkAnswer(outcome.answer, schema)
    if ('fields' in checked) return { ...describe(outcome), ...checked.fields }
    if (repair === REPAIRS) {
      const { reason } = checked
      throw new StewardError('model_malformed', { model: String(settings.assistant), reason })
    }
    const again = `Your answer cannot be used: ${checked.reason}. ${describeSchema(schema)}`
    outcome = finished(await run({ session: outcome.session, prompt: again }), settings)
  }
}

const finished = (outcome: AssistantOutcome, settings: JsonObject): AssistantOutcome => {
  const { state, session } = outcome
  if (state === 'idle') return outcome
  const assistant = readText(settings, 'assistant') || 'the assistant'
  const reason = outcome.reason ?? state
  throw state === 'stopped'
    ? new StewardError('assistant_stopped', { session, assistant, reason })
    : new StewardError('assistant_failed', { assistant, reason })
}

const describe = (outcome: AssistantOutcome): JsonObject => ({
  answer: outcome.answer,
  session: outcome.session,
  branch: outcome.branch ?? '',
  commit: outcome.commit ?? '',
  folder: outcome.folder,
  diff: (outcome.diff ?? '').slice(0, DIFF_CHARS),
  diff_stat: outcome.diffStat ?? '',
  outside: outcome.outside,
  check_passed: outcome.check?.ok ?? true,
  check_output: outcome.check?.output ?? '',
  cost_usd: outcome.costUsd ?? 0,
  tool_calls: outcome.toolCalls,
})

const describeSchema = (schema: JsonObject): string =>
  `End your last message with one JSON object in a \`\`\`json block, and nothing after it. It must match this JSON Schema:\n${JSON.stringify(schema)}`
