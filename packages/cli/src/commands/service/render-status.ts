import { type AskedHealth, askHealth, type ServiceStatus } from '@steward/daemon/service'
import { resolveHome } from '@steward/platform'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'

/** A status with the daemon's own report; exits 1 if it is not running. */
export const renderStatus = async (io: Io, status: ServiceStatus) => {
  const daemon = await askHealth(resolveHome(io.env, io.homedir))
  const running = status.running || 'health' in daemon
  const supervised = status.running && (!('health' in daemon) || daemon.health.pid === status.pid)
  const lines = [
    `supervisor  ${status.supervisor}${status.installed ? ', installed' : ''}`,
    `running     ${running ? `yes${pidOf(status, daemon)}${supervised ? '' : BY_HAND}` : 'no'}`,
    ...(status.restarts ? [`restarts    ${status.restarts}`] : []),
    ...(status.refused === null || supervised ? [] : [`last start  refused: ${status.refused}`]),
    ...(status.detail === null ? [] : [`detail      ${status.detail}`]),
    ...describeHealth(daemon),
  ]
  return {
    exitCode: running ? EXIT.success : EXIT.failed,
    text: `${lines.join('\n')}\n`,
    whole: { ...status, running, supervised, ...daemon },
  }
}

const BY_HAND = `, started by hand (\`${COMMAND} service install\` takes over)`

const pidOf = ({ pid }: ServiceStatus, daemon: AskedHealth): string => {
  const known = 'health' in daemon ? daemon.health.pid : pid
  return known === null ? '' : `, pid ${known}`
}

const describeHealth = (daemon: AskedHealth): string[] =>
  'health' in daemon
    ? [
        `address     ${daemon.address}`,
        `health      ${[daemon.health.status, ...daemon.health.reasons].join('; ')}`,
      ]
    : [`health      unknown: ${daemon.reason}`]
