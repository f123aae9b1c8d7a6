import {
  type ActionContextV2,
  type AssistantOutcome,
  isJsonObject,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import { answerSchema, checkAnswer } from '../../lib/answer-schema.ts'
import { describeCost } from '../../lib/describe-cost.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'

const ACTION = 'A_RUN_ASSISTANT'
/** Longer diffs are cut in the output; the branch or the patch has them whole. */
const DIFF_CHARS = 100_000

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
  if (schema === undefined) return describe(outcome, input)
  let checked = checkAnswer(outcome.answer, schema)
  if ('reason' in checked) {
    const again = `Your answer cannot be used: ${checked.reason}. ${describeSchema(schema)}`
    outcome = finished(await run({ session: outcome.session, prompt: again }), settings)
    checked = checkAnswer(outcome.answer, schema)
  }
  if ('fields' in checked) return { ...describe(outcome, input), ...checked.fields }
  const { session } = outcome
  const { reason } = checked
  throw new StewardError('assistant_malformed', { session, assistant: nameOf(settings), reason })
}

const finished = (outcome: AssistantOutcome, settings: JsonObject): AssistantOutcome => {
  const { state, session } = outcome
  if (state === 'idle') return outcome
  const assistant = nameOf(settings)
  const reason = outcome.reason ?? state
  throw state === 'stopped'
    ? new StewardError('assistant_stopped', { session, assistant, reason })
    : new StewardError('assistant_failed', { assistant, reason })
}

const nameOf = (settings: JsonObject): string => readText(settings, 'assistant') || 'the assistant'

const describe = (outcome: AssistantOutcome, input: JsonObject): JsonObject => ({
  answer: outcome.answer,
  session: outcome.session,
  folder: outcome.folder,
  ...describeChanges(outcome, input),
  outside: outcome.outside,
  check_passed: outcome.check?.ok ?? true,
  check_output: outcome.check?.output ?? '',
  ...describeCost(outcome.costUsd),
  tool_calls: outcome.toolCalls,
})

/** A session that only reads keeps the fields of an earlier one, whose work it may have reviewed. */
const describeChanges = (
  { branch, commit, patch, diff, diffStat }: AssistantOutcome,
  input: JsonObject,
): JsonObject => {
  const stat = diffStat ?? ''
  if (branch === null && stat === '') {
    const kept = (name: string): string => readText(input, name)
    return {
      ...{ branch: kept('branch'), commit: kept('commit'), patch: kept('patch') },
      diff: kept('diff'),
      ...{ diff_stat: kept('diff_stat'), changes: readTexts(input, 'changes') },
    }
  }
  const lines = stat.split('\n').map((line) => line.trim())
  return {
    ...{ branch: branch ?? '', commit: commit ?? '', patch: patch ?? '' },
    diff: (diff ?? '').slice(0, DIFF_CHARS),
    ...{ diff_stat: stat, changes: lines.filter(Boolean) },
  }
}

const describeSchema = (schema: JsonObject): string =>
  `End your last message with one JSON object in a \`\`\`json block, and nothing after it. It must match this JSON Schema:\n${JSON.stringify(schema)}`
