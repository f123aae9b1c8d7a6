import { z } from 'zod'
import { StewardError } from './errors.ts'
import { nearestHint } from './nearest.ts'
import { fail, ok, type Result } from './result.ts'

export const PRIMITIVES = ['action', 'pipeline', 'flow'] as const
export type Primitive = (typeof PRIMITIVES)[number]

/** The kinds of workers: one per primitive, and those that belong to none. */
export const WORKER_KINDS = [...PRIMITIVES, 'dashboard', 'inbox', 'relay'] as const
export type WorkerKind = (typeof WORKER_KINDS)[number]
export const DASHBOARD_WORKER = 'DASHBOARD'
export const INBOX_WORKER = 'WEBHOOK_INBOX'
export const RELAY_WORKER = 'RELAY'

const LETTERS = { action: 'A', pipeline: 'P', flow: 'F' } as const satisfies Record<
  Primitive,
  string
>
/** Design section 5, Library names these; all others have 2 to 4 words as the spec requires. */
const ONE_WORD_ACTIONS = new Set(['SUMMARIZE'])
const WORDS = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/

/** Nouns and particles that people put first by mistake; verb-first names never start with them. */
const NEVER_VERBS = new Set(
  'THE A AN MY NEW ARTICLE ARTICLES AUDIO CONTENT DATA EMAIL EMAILS FEED FEEDS FILE FILES IMAGE ITEM ITEMS JSON MARKDOWN NEWS PAGE RSS SUMMARY TEXT TRANSCRIPT URL VIDEO WEATHER WORD WORDS'.split(
    ' ',
  ),
)

/** The primitive of a name, by its prefix; undefined without one. */
export const primitiveOf = (name: string): Primitive | undefined =>
  PRIMITIVES.find((primitive) => name.toUpperCase().startsWith(`${LETTERS[primitive]}_`))

/** The kind of worker for a name. */
export const workerKindOf = (name: string): WorkerKind | undefined =>
  OTHER_WORKERS[name] ?? primitiveOf(name)

/** Workers that belong to no primitive. */
const OTHER_WORKERS: Readonly<Record<string, WorkerKind>> = {
  [DASHBOARD_WORKER]: 'dashboard',
  [INBOX_WORKER]: 'inbox',
  [RELAY_WORKER]: 'relay',
}

/**
 * Validates a name: `A_`, `P_` or `F_`, UPPER_SNAKE_CASE; actions have 2 to 4 words, verb first.
 */
export const parseName = (
  name: string,
  expected?: Primitive,
): Result<{ primitive: Primitive; name: string; words: string[] }> => {
  const wrong = (reason: string) => fail(new StewardError('invalid_name', { name, reason }))
  const primitive = primitiveOf(name)
  if (primitive === undefined || (expected !== undefined && primitive !== expected)) {
    const wanted = expected
      ? `${article(expected)} ${expected} name starts with ${LETTERS[expected]}_`
      : 'a name starts with A_ (action), P_ (pipeline) or F_ (flow)'
    return wrong(`${wanted}, for example ${exampleOf(expected ?? 'action', stripPrefix(name))}`)
  }
  const body = name.slice(2)
  if (!name.startsWith(`${LETTERS[primitive]}_`) || !WORDS.test(body)) {
    return wrong(`use UPPER_SNAKE_CASE after the prefix, for example ${exampleOf(primitive, body)}`)
  }
  const words = body.split('_')
  const tooShort = words.length < 2 && !ONE_WORD_ACTIONS.has(body)
  if (primitive === 'action' && (tooShort || words.length > 4)) {
    const hint = nearestHint(
      name,
      [...ONE_WORD_ACTIONS].map((word) => `A_${word}`),
    )
    return wrong(
      `a new action has 2 to 4 words after A_, and this has ${words.length}${hint}; for example A_LABEL_AND_RATE`,
    )
  }
  if (primitive === 'action' && NEVER_VERBS.has(words[0] ?? '')) {
    return wrong(
      `an action starts with a verb, but ${words[0]} is not a verb; for example A_EXTRACT_${words[0]}`,
    )
  }
  return ok({ primitive, name, words })
}

/** `A_LABEL_AND_RATE` to `exec-a-label-and-rate`. */
export const workerName = (name: string): string => `exec-${shortName(name)}`

/** The variable, or on a local edge the service, with the version of a pipeline and its actions. */
export const VERSION_VARIABLE = 'PIPELINE_VERSION'

/** The name of a queue's binding in a worker: `FEED_ITEMS` for `feed-items`. */
export const queueBinding = (queue: string): string =>
  queue.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')

/** The queue for messages that failed too often. It always exists, so that no message is lost. */
export const deadLetterQueueOf = (queue: string): string => `${queue}-dead`

/** `A_LABEL_AND_RATE` to `a-label-and-rate`, the form that `deploy` accepts. */
export const shortName = (name: string): string => name.toLowerCase().replaceAll('_', '-')

/** `exec-a-label-and-rate` or `a-label-and-rate` back to `A_LABEL_AND_RATE`. */
export const nameOfWorker = (worker: string): Result<string> => {
  const wrong = (reason: string) => fail(new StewardError('invalid_name', { name: worker, reason }))
  const other = Object.keys(OTHER_WORKERS).find((name) => worker === workerName(name))
  if (other !== undefined) return ok(other)
  const match = /^(?:exec-)?([apf]-[a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(worker)
  if (match?.[1] === undefined) {
    return wrong(
      'a worker name is exec-a-…, exec-p-… or exec-f-… in lower case, for example exec-a-label-and-rate',
    )
  }
  const parsed = parseName(match[1].toUpperCase().replaceAll('-', '_'))
  return parsed.ok ? ok(parsed.value.name) : parsed
}

/** A zod string that must be a valid name of the given primitive. */
export const nameOf = (primitive: Primitive) =>
  z
    .string()
    .superRefine((value, context) => {
      const parsed = parseName(value, primitive)
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.error.message })
    })
    .meta({ pattern: `^${LETTERS[primitive]}_[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$` })

const EXAMPLES = {
  action: 'A_COUNT_WORDS',
  pipeline: 'P_LABEL_AND_RATE',
  flow: 'F_FEEDS_DIGEST',
} as const satisfies Record<Primitive, string>

/** The name that was probably meant, or a valid example. */
const exampleOf = (primitive: Primitive, text: string): string => {
  const candidate = `${LETTERS[primitive]}_${upperSnake(text)}`
  if (candidate.length === 2) return EXAMPLES[primitive]
  return parseName(candidate, primitive).ok ? candidate : EXAMPLES[primitive]
}

const stripPrefix = (name: string): string => name.replace(/^[APFapf]_/, '')

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'an' : 'a')

const upperSnake = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .toUpperCase()
