import { type Health, health, reasonOf } from '@steward/contract'
import { findDaemon } from '@steward/daemon'
import { resolveHome } from '@steward/memory'
import { EXIT } from '../errors/exit-codes.ts'
import type { Io } from '../io.ts'
import type { ServiceStatus } from './supervisor.ts'

const ANSWER_MS = 3000

/** A status with what the daemon itself says; not running ends the command with 1. */
export const renderStatus = async (io: Io, status: ServiceStatus) => {
  const daemon = await askHealth(io)
  const running = status.running || 'health' in daemon
  const lines = [
    `supervisor  ${status.supervisor}${status.installed ? ', installed' : ''}`,
    `running     ${running ? `yes${pidOf(status, daemon)}` : 'no'}`,
    ...(status.restarts ? [`restarts    ${status.restarts}`] : []),
    ...(status.detail === null ? [] : [`detail      ${status.detail}`]),
    ...describeHealth(daemon),
  ]
  return {
    exitCode: running ? EXIT.success : EXIT.failed,
    text: `${lines.join('\n')}\n`,
    whole: { ...status, running, ...daemon },
  }
}

type Asked = { address: string; health: Health } | { reason: string }

const askHealth = async (io: Io): Promise<Asked> => {
  const daemon = await findDaemon(resolveHome(io.env, io.homedir))
  if (daemon === undefined) return { reason: 'no daemon runs on this data home' }
  const { address } = daemon
  try {
    const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return { address, health: health.parse(await answer.json()) }
  } catch (thrown) {
    return { reason: `${address}/health: ${reasonOf(thrown)}` }
  }
}

const pidOf = ({ pid }: ServiceStatus, daemon: Asked): string => {
  const known = pid ?? ('health' in daemon ? daemon.health.pid : null)
  return known === null ? '' : `, pid ${known}`
}

const describeHealth = (daemon: Asked): string[] =>
  'health' in daemon
    ? [
        `address     ${daemon.address}`,
        `health      ${[daemon.health.status, ...daemon.health.reasons].join('; ')}`,
      ]
    : [`health      unknown: ${daemon.reason}`]
