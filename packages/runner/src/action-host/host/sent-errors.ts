/** An error as it crosses between the runner and a host. */
export interface SentError {
  name: string
  message: string
  stack?: string
  /** Of an error of the table. */
  code?: string
  details?: Record<string, unknown>
  status?: number
  retryable?: boolean
  cause?: SentError
}

const CAUSES = 3

/** A thrown value in a form that JSON keeps; never throws itself. */
export const sendError = (thrown: unknown, depth = 0): SentError => {
  if (!(thrown instanceof Error)) return { name: 'Error', message: describe(thrown) }
  const { name, message, stack, cause } = thrown
  const { code, details, status, retryable } = { ...own(thrown), ...tableFields(thrown) }
  return {
    name: String(name),
    message: String(message),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(isRecord(details) ? { details: keepJson(details) } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(cause === undefined || depth >= CAUSES ? {} : { cause: sendError(cause, depth + 1) }),
  }
}

/** The error again, as an action or the runner would have caught it. */
export const receiveError = ({ name, message, stack, cause, ...rest }: SentError): Error => {
  const error = new Error(message, cause === undefined ? {} : { cause: receiveError(cause) })
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, rest)
}

const own = (error: Error): Record<string, unknown> => ({ ...error })

/** `status` and `retryable` of an error of the table are getters of its class. */
const tableFields = (error: Error): Record<string, unknown> =>
  error.name === 'StewardError'
    ? { status: Reflect.get(error, 'status'), retryable: Reflect.get(error, 'retryable') }
    : {}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keepJson = (details: Record<string, unknown>): Record<string, unknown> => {
  try {
    return JSON.parse(JSON.stringify(details))
  } catch {
    return {}
  }
}

const describe = (thrown: unknown): string => {
  try {
    return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown)
  } catch {
    return 'a value that cannot be shown'
  }
}
