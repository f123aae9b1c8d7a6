import {
  type ActionContextV2,
  type ActionManifestV2,
  type ActionV2,
  isJsonDeeperThan,
  isJsonObject,
  type JsonObject,
  LIMITS,
  StewardError,
  toStewardError,
  typeOf,
  utf8Bytes,
} from '@steward/contract'
import { checkFields } from './check-fields.ts'
import { withTimeLimit } from './time-limit.ts'

/**
 * The runtime adds the signal itself: it belongs to the action's timeout and is created on first
 * use.
 */
export type ContextFor = (signal: () => AbortSignal) => ActionContextV2

/** The output may be anything yet: it is checked here. */
export type RunnableAction = Pick<ActionV2, 'manifest'> & {
  execute: (input: JsonObject, context: ActionContextV2) => unknown
}

/**
 * Runs one action: validates its input, executes it within its timeout, validates its output, and
 * returns every upstream field plus the action's own (passthrough, spec 1 rule 2).
 */
export const executeAction = async (
  { manifest, execute }: RunnableAction,
  input: JsonObject,
  contextFor: ContextFor,
  stop?: AbortSignal,
): Promise<JsonObject> => {
  const ready = checkInput(manifest, input)
  const own = await withTimeLimit(manifest.name, timeLimitOf(manifest), stop, async (signal) => {
    try {
      return await execute(copyFields(ready), contextFor(signal))
    } catch (thrown) {
      throw toStewardError(thrown, 'action_failed', { action: manifest.name })
    }
  })
  return passThrough(manifest, ready, own)
}

export const timeLimitOf = ({ timeoutMs }: ActionManifestV2): number =>
  timeoutMs ?? LIMITS.actionTimeoutMs

/** Every upstream field plus the action's own; throws if those are not as declared. */
export const passThrough = (
  manifest: ActionManifestV2,
  ready: JsonObject,
  own: unknown,
): JsonObject => ({ ...ready, ...checkOutput(manifest, own) })

/**
 * Copies, so that an action that mutates its input cannot change what later steps see. Most fields
 * are immutable texts and numbers.
 */
const copyFields = (fields: JsonObject): JsonObject =>
  isFlat(fields) ? { ...fields } : structuredClone(fields)

const isFlat = (fields: JsonObject): boolean => {
  for (const name in fields) if (!isImmutable(fields[name])) return false
  return true
}

const isImmutable = (value: unknown): boolean => {
  const type = typeof value
  return (
    type === 'string' ||
    type === 'number' ||
    type === 'boolean' ||
    type === 'undefined' ||
    value === null
  )
}

/**
 * An upper bound of the JSON size of fields that are only texts and numbers, without serialising
 * them; `undefined` if there are other values.
 */
const mostBytesOfFlat = (fields: JsonObject): number | undefined => {
  let bytes = 2
  for (const [name, value] of Object.entries(fields)) {
    if (!isImmutable(value)) return undefined
    const chars = typeof value === 'string' ? value.length : LONGEST_NUMBER_CHARS
    // One character takes at most the six bytes of an escape.
    bytes += (name.length + chars) * 6 + 6
  }
  return bytes
}
const LONGEST_NUMBER_CHARS = 25

/** The input with defaults; throws if a field is missing or has another type. */
export const checkInput = (manifest: ActionManifestV2, input: JsonObject): JsonObject => {
  const { fields, mistakes } = checkFields(manifest.input, input, 'input')
  const [first] = mistakes
  if (first === undefined) return fields
  throw new StewardError('invalid_input', {
    subject: manifest.name,
    reason: mistakes.map(({ reason }) => reason).join('; '),
    field: first.field,
  })
}

const checkOutput = (manifest: ActionManifestV2, own: unknown): JsonObject => {
  const wrong = (reason: string) =>
    new StewardError('invalid_output', { action: manifest.name, reason })
  if (!isJsonObject(own))
    throw wrong(`execute must return an object of fields, found ${typeOf(own)}`)
  const { bytes, isDeep } = measureJson(own)
  if (bytes === undefined) throw wrong('the output cannot be written as JSON')
  // A worker would refuse it as the input of the next step.
  if (isDeep) throw wrong(`the output nests deeper than ${LIMITS.jsonDepth} levels`)
  if (bytes > LIMITS.outputBytes) {
    throw new StewardError('payload_too_large', {
      subject: `the output of ${manifest.name}`,
      bytes,
      limit: LIMITS.outputBytes,
    })
  }
  const { fields, mistakes } = checkFields(manifest.output, own, 'output')
  if (mistakes.length === 0) return fields
  throw wrong(mistakes.map(({ reason }) => reason).join('; '))
}

interface JsonSize {
  /** An upper bound; `undefined` if the value cannot be written as JSON. */
  bytes: number | undefined
  isDeep: boolean
}

const measureJson = (value: JsonObject): JsonSize => {
  const mostBytes = mostBytesOfFlat(value)
  if (mostBytes !== undefined && mostBytes <= LIMITS.outputBytes) {
    return { bytes: mostBytes, isDeep: false }
  }
  try {
    const text = JSON.stringify(value)
    return {
      bytes: utf8Bytes(text, LIMITS.outputBytes),
      isDeep: isJsonDeeperThan(text, LIMITS.jsonDepth),
    }
  } catch {
    // Cycles and bigints cannot be serialised; the caller reports the action.
    return { bytes: undefined, isDeep: false }
  }
}
