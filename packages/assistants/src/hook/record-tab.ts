import type { HostEvent } from '@steward/contract'
import { findNamedTab, findTabTarget, recallTab, rememberTab, tabPorts } from '@steward/notify'
import type { HookPorts } from './hook-ports.ts'

/**
 * Remembers the terminal tab of a session, so that its phases only show there. The start of a
 * session searches its parent processes; a prompt only reads the environment, in case the session
 * moved to another tab.
 */
export const recordTab = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  const { session_id, hook_event_name: name, agent_id } = event
  if (session_id === '' || agent_id !== undefined) return
  const { home, environment: env, report } = ports
  const found =
    name === 'SessionStart'
      ? await findTabTarget({ env, pid: process.pid }, tabPorts)
      : findNamedTab(env)
  if (typeof found !== 'object') return
  const known = await recallTab(home, session_id)
  if (!known.ok) report(known.error.message)
  else if (JSON.stringify(known.value) === JSON.stringify(found)) return
  const kept = await rememberTab(home, session_id, found, ports.now())
  if (!kept.ok) report(kept.error.message)
}
