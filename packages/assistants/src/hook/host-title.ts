import type { HostEvent } from '@steward/contract'
import {
  buildHostSequence,
  lookOfPhase,
  lookOfState,
  recallTab,
  type TabLook,
} from '@steward/notify'
import { findTrivia, proposeSessionName, readSessionName } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { countBackgroundTasks } from '../payload/fields.ts'
import type { HookPorts } from './hook-ports.ts'

/**
 * The title that the assistant itself should set: for a session at a terminal whose tab the daemon
 * does not change, because the tab is unknown or no daemon runs.
 */
export const findHostTitle = async (
  event: HostEvent,
  ports: HookPorts,
): Promise<string | undefined> => {
  const { host, session_id, agent_id } = event
  if (ASSISTANTS[host].setsTitle?.(ports.environment) !== true) return undefined
  const look = countBackgroundTasks(event) ? LOOK_BUSY : LOOKS[event.hook_event_name]
  if (look === undefined || session_id === '' || agent_id !== undefined) return undefined
  if (ports.isDaemonUp()) {
    const tab = await recallTab(ports.home, session_id)
    if (!tab.ok) ports.report(tab.error.message)
    else if (tab.value !== undefined) return undefined
  }
  return buildHostSequence(look(await nameOf(event, ports)))
}

const LOOK_BUSY = (name: string): TabLook => lookOfState('working', name)
const LOOKS: Readonly<Record<string, (name: string) => TabLook>> = {
  UserPromptSubmit: (name) => lookOfState('thinking', name),
  Stop: (name) => lookOfPhase('COMPLETE', name),
  StopFailure: (name) => lookOfState('error', name),
}

/** The first prompt of a session is being named concurrently, in the same way. */
const nameOf = async (
  { session_id, prompt = '' }: HostEvent,
  { home, redactor, report }: HookPorts,
): Promise<string> => {
  const known = await readSessionName(home, session_id)
  if (!known.ok) report(known.error.message)
  else if (known.value !== undefined) return known.value
  if (findTrivia(prompt) !== undefined) return ''
  return proposeSessionName(redactor.redactText(prompt).value) ?? ''
}
