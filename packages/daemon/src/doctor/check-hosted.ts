import { type Finding, fine } from '@steward/assistants'
import { type ModuleHealth, unwrap } from '@steward/contract'
import { ensureSandbox } from '@steward/platform'

const CHECK = 'hosted agents'

/** Checks hosted agents in the daemon; reports nothing if they are off. */
export const checkHosted = (health: ModuleHealth | undefined): Finding[] => {
  if (health === undefined || health.status === 'unavailable') return []
  if (health.status !== 'ok') {
    const reason = health.reasons?.join('; ') ?? health.status
    return [
      {
        check: CHECK,
        status: 'fail',
        message: `enabled but not running: ${reason}`,
        repair: 'fix the named problem, or set hosted.enabled to false in settings.json',
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
  if (health.network === 'http' && health.isolation === 'bubblewrap') {
    return [
      {
        check: CHECK,
        status: 'warn',
        message: `${health.address}, but programs in sandboxes have only HTTP, no DNS and no other TCP`,
        repair:
          'see the note of steward hosted status; nftables, iproute2 and perl must be installed',
        fix: async () => {
          unwrap(await ensureSandbox())
          return 'restart the daemon: it uses what is installed now'
        },
      },
    ]
  }
  const where = typeof health.address === 'string' ? health.address : 'starting'
  const how = typeof health.isolation === 'string' ? `, isolated by ${health.isolation}` : ''
  return [fine(CHECK, `${where}${how}`)]
}
