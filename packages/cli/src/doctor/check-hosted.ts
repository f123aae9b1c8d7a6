import type { ModuleHealth } from '@steward/contract'
import { type Finding, fine } from './finding.ts'

const CHECK = 'hosted agents'

/** Hosted agents as the daemon serves them; nothing where it does not. */
export const checkHosted = (health: ModuleHealth | undefined): Finding[] => {
  if (health === undefined || health.status === 'unavailable') return []
  if (health.status !== 'ok') {
    const reason = health.reasons?.join('; ') ?? health.status
    return [
      {
        check: CHECK,
        status: 'fail',
        message: `switched on and not running: ${reason}`,
        repair: 'put right what it names, or set hosted.enabled to false in settings.json',
      },
    ]
  }
  if (health.isolation === 'NO ISOLATION') {
    return [
      {
        check: CHECK,
        status: 'warn',
        message: `${health.address}, NO ISOLATION: sessions run on this machine itself`,
        repair: 'set hosted.isolation to "bubblewrap" in settings.json',
      },
    ]
  }
  const where = typeof health.address === 'string' ? health.address : 'starting'
  const how = typeof health.isolation === 'string' ? `, isolated by ${health.isolation}` : ''
  return [fine(CHECK, `${where}${how}`)]
}
