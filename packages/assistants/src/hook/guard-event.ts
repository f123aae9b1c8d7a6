import { homedir } from 'node:os'
import { type HostEvent, type HostVerdict, type Judgement, reasonOf } from '@steward/contract'
import { readHalts } from '@steward/platform'
import { ASSISTANTS } from '../assistants.ts'
import { haltDraft, securityDrafts, verdictOf } from '../guard/describe-judgement.ts'
import { guardSkill } from '../guard/guard-skill.ts'
import { haltOf, haltVerdict } from '../guard/halted.ts'
import { openHookPolicy } from '../guard/hook-policy.ts'
import { judgeEvent } from '../guard/judge-event.ts'
import { realPathOf } from '../guard/real-path.ts'
import type { GuardPorts } from './hook-ports.ts'
import { recordSecurity } from './record-security.ts'

export interface Guarded {
  verdict: HostVerdict
  /** Records the verdict; called after the answer, which the assistant waits for. */
  record: () => Promise<void>
}

const NOTHING = async () => undefined

/** The hook's own verdict before a tool call or a prompt. Independent of the daemon. */
export const guardEvent = async (event: HostEvent, ports: GuardPorts): Promise<Guarded> => {
  try {
    const halts = await readHalts(ports.home)
    if (!halts.ok) ports.report(halts.error.message)
    const halt = halts.ok ? haltOf(event, halts.value) : undefined
    if (halt !== undefined) {
      const drafts = [haltDraft(event, halt.reason)]
      return { verdict: haltVerdict(halt), record: () => recordSecurity(event, drafts, ports) }
    }
    const judgement = await judge(event, ports)
    const drafts = securityDrafts(event, judgement)
    const record = drafts.length === 0 ? NOTHING : () => recordSecurity(event, drafts, ports)
    const verdict = verdictOf(judgement)
    return { verdict: verdict.kind === 'none' ? await guardLaunch(event, ports) : verdict, record }
  } catch (thrown) {
    ports.report(reasonOf(thrown))
    const reason = 'The guard failed and cannot judge this; a person should check it.'
    return { verdict: { kind: 'ask', reason }, record: NOTHING }
  }
}

const judge = async (event: HostEvent, ports: GuardPorts): Promise<Judgement | undefined> => {
  const { policy, problem } = await openHookPolicy({
    home: ports.home,
    homedir: homedir(),
    program: ports.program,
  })
  if (problem?.kind === 'broken') ports.report(problem.text)
  return judgeEvent(event, policy, { environment: ports.environment, realPath: realPathOf })
}

/** An assistant that asks the daemon gets its hints there; a blocked skill is also refused here. */
const guardLaunch = async (event: HostEvent, ports: GuardPorts): Promise<HostVerdict> => {
  const { home, environment: env, settings } = ports
  const isLaunch = event.tool_name === 'Skill' || event.tool_name === 'Agent'
  if (event.hook_event_name !== 'PreToolUse' || !isLaunch) return { kind: 'none' }
  if (ASSISTANTS[event.host].hooks.some(({ asks }) => asks !== undefined)) {
    if (event.tool_name !== 'Skill') return { kind: 'none' }
    return guardSkill(event, { blocked: settings.guards.blockedSkills, known: () => new Set() })
  }
  const lazy = await import('../guard/lazy-guards.ts')
  const place = { home, homedir: homedir(), env, command: 'steward', ...settings.guards }
  return lazy.guardLaunch(event, place)
}
