/** `error.type` by status, as the official client's classes expect it. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'conflict_error',
  412: 'precondition_failed_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
}

export interface RefusalDetails {
  /** Together with the status it selects the client's error class. */
  error_code?: string
  [name: string]: unknown
}

/** A call that is answered with an error: what was wrong with it, in the words of the API. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly details: RefusalDetails | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    details?: RefusalDetails,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.details = details
    this.headers = headers
  }

  get type(): string {
    return TYPES[this.status] ?? 'api_error'
  }
}

export const invalid = (message: string, code?: string): Refusal =>
  new Refusal(400, message, code === undefined ? undefined : { error_code: code })

export const notFound = (kind: string, id: string, code?: string): Refusal =>
  new Refusal(
    404,
    `there is no ${kind} ${id.slice(0, SHOWN_CHARACTERS)}`,
    code === undefined ? undefined : { error_code: code },
  )

/** A conflict that trying again does not end: clients would retry it otherwise. */
export const conflict = (message: string, code?: string): Refusal =>
  new Refusal(409, message, code === undefined ? undefined : { error_code: code }, {
    'x-should-retry': 'false',
  })

const SHOWN_CHARACTERS = 128
