import {
  type ActionContextV2,
  isJsonObject,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import { describeCost } from '../../lib/describe-cost.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'

const ACTION = 'A_RUN_HOSTED_AGENT'

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const prompt = readText(input, 'prompt')
  if (prompt === '') {
    throw new StewardError('rejected_content', { subject: ACTION, reason: 'the prompt is empty' })
  }
  const settings = isJsonObject(input.settings) ? input.settings : {}
  const run = needCapability(context, ACTION, 'hostedAgent')
  const { session, stop, answer, files, costUsd } = await run({ ...settings, prompt })
  context.log(`session ${session}: ${stop}`)
  if (stop !== 'end_turn') {
    const reason = `session ${session} stopped: ${stop}`
    throw new StewardError('upstream_failed', { service: 'the hosted agent', reason })
  }
  return { answer, session, files, ...describeCost(costUsd) }
}
