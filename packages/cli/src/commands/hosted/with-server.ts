import { reportProblem } from '../../errors/report-error.ts'
import type { Io } from '../../io.ts'
import { type Connection, connect } from './connect.ts'
import { explainFailure } from './failure.ts'
import { readServerStatus } from './server-status.ts'
import type { TargetFlags } from './target.ts'

export interface ServerOptions {
  /** Sessions are shown: where nothing isolates them, that is said with them. */
  sessions?: boolean
}

/** Speaks to the server that is meant, and says in words what goes wrong with it. */
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
  'NO ISOLATION: what sessions run here runs on the machine itself, with all that its user may do'

const warnOfNoIsolation = async (io: Io, connection: Connection): Promise<void> => {
  const status = await readServerStatus(connection)
  if (status?.hands?.isolated === false) io.err.write(`${io.err.paint.red(NO_ISOLATION)}\n`)
}
