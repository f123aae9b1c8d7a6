import type { APIError } from '@anthropic-ai/sdk'
import { isJsonObject } from '@steward/contract'
import { EXIT } from '../../errors/exit-codes.ts'
import { type Problem, reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { type Connection, connect, noServer } from './connect.ts'
import { readServerStatus } from './server-status.ts'
import type { TargetFlags } from './target.ts'

export interface ServerOptions {
  /** For lists of sessions: warns if nothing isolates them. */
  sessions?: boolean
}

/** Calls the chosen server and explains its errors. */
export const withServer = async (
  io: Io,
  flags: TargetFlags,
  use: (connection: Connection) => Promise<void>,
  { sessions = false }: ServerOptions = {},
): Promise<void> => {
  const connection = await connect(io, flags)
  try {
    if (sessions) await warnOfNoIsolation(io, connection)
    await use(connection)
  } catch (thrown) {
    io.signal.throwIfAborted()
    const failure = await explainFailure(thrown, connection)
    if (failure === undefined) throw thrown
    reportProblem(io, failure)
    io.exitCode = failure.exitCode
  }
}

/** The words for it, wherever they are shown. */
export const NO_ISOLATION =
  'NO ISOLATION: sessions run directly on this machine with all permissions of its user'

const warnOfNoIsolation = async (io: Io, connection: Connection): Promise<void> => {
  const status = await readServerStatus(connection)
  if (status?.hands?.isolated === false) io.err.write(`${io.err.paint.red(NO_ISOLATION)}\n`)
}

interface Failure extends Problem {
  exitCode: number
}

/** Explains a failed call to the person; undefined for errors that are not the client's. */
const explainFailure = async (
  thrown: unknown,
  { kind, where }: Connection,
): Promise<Failure | undefined> => {
  const sdk = await import('@anthropic-ai/sdk')
  if (thrown instanceof sdk.APIConnectionError) {
    if (kind === 'own') {
      const { message, code } = noServer(`nothing answers at ${where}`)
      return { message, code, exitCode: EXIT.notConfigured }
    }
    const message = `${where} cannot be reached: ${causeOf(thrown)}`
    return { message, code: 'upstream_failed', exitCode: EXIT.failed }
  }
  if (!(thrown instanceof sdk.APIError)) return undefined
  return describeAnswer(thrown, where)
}

const describeAnswer = (error: APIError, where: string): Failure => {
  const status = error.status ?? 0
  const said = error.apiMessage ?? error.message
  const id = error.requestID ? ` (request ${error.requestID})` : ''
  const remedy = REMEDIES[status]
  return {
    message: `${where} answered ${status === 0 ? 'with an error' : status}: ${said}${id}`,
    code: error.errorCode ?? error.type ?? 'upstream_failed',
    exitCode: EXITS[status] ?? EXIT.failed,
    ...(remedy === undefined ? {} : { remedy }),
  }
}

const EXITS: Partial<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notConfigured,
  403: EXIT.notConfigured,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  413: EXIT.usage,
  422: EXIT.usage,
}

const REMEDIES: Partial<Record<number, string>> = {
  401: 'Use a valid key of this server: `steward hosted keys create` creates one.',
  403: 'Use a key with a sufficient scope: `steward hosted keys create --scope` creates one.',
  404: 'Look up the id with the matching list command.',
}

/** The reason of a failed connection is several causes deep. */
const causeOf = (error: Error): string => {
  if (error.cause instanceof Error) return causeOf(error.cause)
  return isJsonObject(error) && typeof error.code === 'string' && error.message === ''
    ? error.code
    : error.message
}
