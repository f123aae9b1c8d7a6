import { ATTENTION_ERRORS } from './errors/attention-errors.ts'
import { DRIVEN_ERRORS } from './errors/driven-errors.ts'
import { REQUEST_ERRORS } from './errors/request-errors.ts'
import { RUN_ERRORS } from './errors/run-errors.ts'
import { SERVICE_ERRORS } from './errors/service-errors.ts'
import { SESSION_ERRORS } from './errors/session-errors.ts'
import { STORAGE_ERRORS } from './errors/storage-errors.ts'
import { isJsonObject } from './is-json-object.ts'
import { storageCodeOf } from './system-error.ts'

/** All errors of Steward. `docs/reference/errors.md` is generated from this table. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...RUN_ERRORS,
  ...SERVICE_ERRORS,
  ...STORAGE_ERRORS,
  ...SESSION_ERRORS,
  ...ATTENTION_ERRORS,
  ...DRIVEN_ERRORS,
}

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode)

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}

/** An error on the wire. `error` stays a string because old clients print it. */
export interface ErrorBody {
  success: false
  error: string
  code: ErrorCode
  field?: string
  [detail: string]: unknown
}

type Details = Record<string, unknown>

type PlaceholderIn<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderIn<Rest>
  : never
type PlaceholderOf<Code extends ErrorCode> = PlaceholderIn<(typeof ERRORS)[Code]['message']>
type OptionalIn<Placeholder> = Placeholder extends `${infer Name}?` ? Name : never

/**
 * The details that an error requires: every placeholder of its message except `Known`, plus any
 * that the thrower adds.
 */
type DetailsOf<Code extends ErrorCode, Known extends string = never> = Details & {
  [Name in Exclude<PlaceholderOf<Code>, Known | `${string}?`>]: string | number
} & { [Name in OptionalIn<PlaceholderOf<Code>>]?: string | number }
/** Makes the details optional if none are required. */
type Given<Needed> =
  Record<never, unknown> extends Needed
    ? [details?: Needed, cause?: unknown]
    : [details: Needed, cause?: unknown]

/**
 * The one error class: a code of the table, details for its message, and the cause. The type parameter
 * checks the details only: `code` stays wide, because `instanceof` cannot know it.
 */
export class StewardError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'StewardError'
  readonly code: ErrorCode
  readonly details: Details

  constructor(code: Code, ...[given, cause]: Given<DetailsOf<Code>>) {
    const details: Details = given ?? {}
    super(fill(ERRORS[code].message, details), cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  static override readonly [Symbol.hasInstance] = isInstance

  /**
   * An error that arrives with its message already filled in, for example from a worker or a
   * record.
   */
  static restore(
    code: ErrorCode,
    message: string,
    details: Details = {},
    cause?: unknown,
  ): StewardError {
    const error = new StewardError('internal', { reason: message }, cause)
    return Object.assign(error, { code, message, details })
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable
  }

  get remedy(): string {
    return ERRORS[this.code].remedy
  }

  toBody(): ErrorBody {
    const { field } = this.details
    return {
      success: false,
      error: this.message,
      code: this.code,
      ...(typeof field === 'string' ? { field } : {}),
    }
  }
}

/**
 * The `instanceof` of StewardError and its subclasses. An action that is loaded from source brings
 * its own copy of StewardError, but never of a subclass.
 */
function isInstance(this: { prototype: object }, value: unknown): boolean {
  if (Object.prototype.isPrototypeOf.call(this.prototype, Object(value))) return true
  return this === StewardError && value instanceof Error && value.name === 'StewardError'
}

/**
 * Converts anything thrown to an error of the table. Unknown errors become `fallback` and keep
 * their message as the reason. A full disk is reported as such wherever it occurs, unless an action
 * or a service is to blame.
 */
export function toStewardError(thrown: unknown): StewardError
export function toStewardError<Code extends ErrorCode>(
  thrown: unknown,
  fallback: Code,
  ...details: Given<DetailsOf<Code, 'reason'>>
): StewardError
export function toStewardError(
  thrown: unknown,
  fallback: ErrorCode = 'internal',
  details: Details = {},
): StewardError {
  if (thrown instanceof StewardError) return complete(thrown)
  if (fallback === 'internal' || fallback === 'storage_failed') {
    const code = storageCodeOf(thrown)
    if (code !== undefined) {
      const path = details.path ?? pathOf(thrown) ?? 'a file of the data home'
      const known = { ...details, path, reason: reasonOf(thrown) }
      return StewardError.restore(code, fill(ERRORS[code].message, known), known, thrown)
    }
  }
  const filled = { ...details, reason: reasonOf(thrown) }
  return StewardError.restore(fallback, fill(ERRORS[fallback].message, filled), filled, thrown)
}

/** What a user's action throws has the name of our errors, not always their class. */
const complete = (error: StewardError): StewardError => {
  if ('toBody' in error) return error
  const { code, message, details, cause } = Object(error)
  return isErrorCode(code)
    ? StewardError.restore(code, String(message), isJsonObject(details) ? details : {}, cause)
    : StewardError.restore(
        'internal',
        fill(ERRORS.internal.message, { reason: message }),
        {},
        error,
      )
}

const pathOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'path' in thrown ? thrown.path : undefined

/** The message of anything thrown; never throws itself. */
export const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return thrown.message || thrown.name
  return isJsonObject(thrown) || Array.isArray(thrown) ? toText(thrown) : String(thrown)
}

const fill = (template: string, details: Details): string =>
  template.replace(/\{(\w+)\??\}/g, (_, name: string) => {
    const value = details[name]
    if (value === undefined) return ''
    return typeof value === 'string' ? value : toText(value)
  })

/** JSON, or the type's name if the value cannot be serialised: reporting an error must not fail. */
const toText = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
