import { isJsonObject, type JsonObject, type LoopGate, StewardError } from '@steward/contract'

/** The input of a looping flow's pipeline: spec 1, Endpoints, pipeline worker. */
export interface LoopInput extends JsonObject {
  content: unknown
  previousResult: JsonObject | null
  iteration: number
}

export interface LoopOutcome {
  output: JsonObject
  iterations: number
  /** Whether the criterion was met; false if the cap ended it and the gate still delivers. */
  passed: boolean
}

/**
 * Calls the pipeline until one field of its result meets the criterion, at most `maxIterations`
 * times. A result that never meets it is an error, because only results that do proceed to the
 * destination (spec 1, Loop Gate), unless the gate says otherwise.
 */
export const runLoop = async (
  gate: LoopGate,
  input: JsonObject,
  callPipeline: (input: LoopInput) => Promise<JsonObject>,
): Promise<LoopOutcome> => {
  let previousResult: JsonObject | null = null
  for (let iteration = 0; iteration < gate.maxIterations; iteration++) {
    const upstream: JsonObject = previousResult ?? {}
    const output = await callPipeline({
      ...input,
      content: upstream.content ?? input.content,
      previousResult,
      iteration,
    })
    if (meetsCriterion(gate, output)) return { output, iterations: iteration + 1, passed: true }
    previousResult = withoutLoopFields(output)
  }
  const output: JsonObject = previousResult ?? {}
  if (gate.onCap === 'deliver') return { output, iterations: gate.maxIterations, passed: false }
  const last = fieldOf(gate, output)
  throw new StewardError('loop_unmet', {
    gate: `${gate.field} ${gate.op} ${JSON.stringify(gate.value)}`,
    limit: gate.maxIterations,
    reason:
      last === undefined || last === null
        ? `the result has no field ${gate.field}`
        : `the last value is ${JSON.stringify(last).slice(0, 60)}`,
  })
}

/** The exit condition. Looks for the field in `output` first, then at the top level. */
export const meetsCriterion = (gate: LoopGate, result: JsonObject): boolean => {
  const { field, op, value } = gate
  const found = fieldOf(gate, result)
  if (found === undefined || found === null) return false
  if (op === 'eq') return found === value
  if (op === 'ne') return found !== value
  if (typeof found !== typeof value) {
    throw new StewardError('invalid_input', {
      subject: 'loop gate',
      reason: `"${field}" is ${typeof found} ${JSON.stringify(found)} and cannot be compared (${op}) with ${JSON.stringify(value)}`,
      field,
    })
  }
  switch (op) {
    case 'gte':
      return found >= value
    case 'lte':
      return found <= value
    case 'gt':
      return found > value
    case 'lt':
      return found < value
  }
}

const fieldOf = ({ field }: LoopGate, result: JsonObject): unknown =>
  (isJsonObject(result.output) ? result.output[field] : undefined) ?? result[field]

/**
 * Passthrough returns the loop's own fields; without removing them they would nest one level deeper
 * each time.
 */
const withoutLoopFields = (output: JsonObject): JsonObject => {
  const { previousResult: _, iteration: __, ...rest } = output
  return rest
}
