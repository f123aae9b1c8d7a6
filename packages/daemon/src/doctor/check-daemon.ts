import { type Finding, fine } from '@steward/assistants'
import { isJsonObject } from '@steward/contract'
import type { AskedHealth } from '../service/ask-health.ts'
import { checkHosted } from './check-hosted.ts'

/** Checks the daemon, the logs it reads and the targets it pushes to. */
export const checkDaemon = (asked: AskedHealth, command: string): Finding[] => {
  if (!('health' in asked)) {
    return [
      {
        check: 'daemon',
        status: asked.address === undefined ? 'warn' : 'fail',
        message: asked.reason,
        repair: `${command} service start; ${command} service logs shows why it ended`,
      },
    ]
  }
  const { address, health } = asked
  const { observability, hosted } = health.subsystems
  const daemon: Finding =
    health.status === 'ok'
      ? fine('daemon', `${address}, up for ${health.uptime} s`)
      : {
          check: 'daemon',
          status: 'warn',
          message: `${address} is degraded: ${health.reasons.join('; ')}`,
          repair: `${command} service logs`,
        }
  return [daemon, checkSources(observability?.sources), ...checkHosted(hosted)]
}

const checkSources = (sources: unknown): Finding => {
  const entries = isJsonObject(sources) ? Object.entries(sources) : []
  const described = entries.map(([name, source]) => {
    const lastAt = isJsonObject(source) ? source.lastEventAt : undefined
    return `${name} ${typeof lastAt === 'string' ? `last at ${lastAt}` : 'nothing yet'}`
  })
  return fine('event sources', described.join(', ') || 'not reported by the daemon')
}
