import { type JsonObject, StewardError } from '@steward/contract'
import type { WorkerEnv } from './env.ts'
import type { WorkerPorts } from './platform.ts'
import { redactorOf } from './redact.ts'

/** One line of JSON, the format of the platform's log queries. */
export const writeLog = (
  ports: Pick<WorkerPorts, 'log'>,
  env: WorkerEnv,
  entry: JsonObject,
): void => {
  const { error, ...rest } = entry
  const told =
    error instanceof StewardError
      ? { level: 'error', ...rest, error: error.message, code: error.code }
      : entry
  ports.log(JSON.stringify(redactorOf(env).redactFields(told).value))
}
