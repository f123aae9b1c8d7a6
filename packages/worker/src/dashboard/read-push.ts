import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseJson,
  StewardError,
  type StewardEvent,
  stewardEvent,
  typeOf,
} from '@steward/contract'
import { readJsonBody } from '../http/read-input.ts'

const SUBJECT = 'the pushed events'

/** An array of at most 200 events, `{events}`, or one event; invalid entries are counted. */
export const readPushedEvents = async (
  request: Request,
): Promise<{ accepted: StewardEvent[]; rejected: number }> => {
  const items = itemsOf(await readJsonBody(request))
  if (items.length > LIMITS.mergedEvents) {
    const reason = `at most ${LIMITS.mergedEvents} at a time, found ${items.length}`
    throw new StewardError('invalid_input', { subject: SUBJECT, reason })
  }
  const accepted = items.flatMap((item) => {
    const parsed = stewardEvent.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
  return { accepted, rejected: items.length - accepted.length }
}

const itemsOf = (body: unknown): unknown[] => {
  if (Array.isArray(body)) return body
  if (!isJsonObject(body)) {
    const reason = `must be an array of events, {events} or one event, found ${typeOf(body)}`
    throw new StewardError('invalid_input', { subject: SUBJECT, reason })
  }
  return Array.isArray(body.events) ? body.events : [body]
}

/** A whole work state; any object is accepted. */
export const readPushedState = async (request: Request): Promise<JsonObject> => {
  const body = await readJsonBody(request)
  if (isJsonObject(body)) return body
  const reason = `must be an object, found ${typeOf(body)}`
  throw new StewardError('invalid_input', { subject: 'the pushed work state', reason })
}

/** The value of a key, tolerating invalid ones: one bad value must not break the dashboard. */
export const parseStored = (text: string, key: string): unknown => {
  const json = parseJson(text, key)
  if (json.ok) return json.value
  const reason = `the key ${key} contains no valid JSON; the next push replaces it`
  throw new StewardError('upstream_failed', { service: 'the KV namespace', reason })
}
