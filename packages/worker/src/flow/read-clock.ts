import { findService } from '../bindings.ts'
import type { WorkerEnv } from '../env.ts'
import type { WorkerPorts } from '../platform.ts'

/**
 * The time in milliseconds on the runtime's clock. The local edge can use a virtual clock, bound as
 * the service CLOCK (it responds with the number alone); then claims and retries of messages use
 * the same time as crons. The platform has no such binding.
 */
export const readClock = async (
  env: WorkerEnv,
  ports: Pick<WorkerPorts, 'now'>,
): Promise<number> => {
  if (env.CLOCK === undefined) return ports.now()
  const response = await findService(env, 'CLOCK').fetch('https://clock/', { method: 'GET' })
  return Number(await response.text())
}

/**
 * When the process that runs the workers started. Only the local edge has one process for all consumers
 * of a queue and binds it as CONSUMER_START; on the platform other consumers may be alive.
 */
export const readConsumerStart = async (
  env: WorkerEnv,
): Promise<{ startedAtMs: number } | undefined> => {
  if (env.CONSUMER_START === undefined) return undefined
  const service = findService(env, 'CONSUMER_START')
  const response = await service.fetch('https://consumer/', { method: 'GET' })
  return { startedAtMs: Number(await response.text()) }
}
