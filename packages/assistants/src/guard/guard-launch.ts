import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_ROUTING, openRouting, type Routing } from '@steward/agents'
import type { HostEvent, HostVerdict } from '@steward/contract'
import { codeOf, type Home, isLockHeld } from '@steward/platform'
import { findAgents, findSkills } from './find-definitions.ts'
import { guardAgent } from './guard-agent.ts'
import { guardSkill } from './guard-skill.ts'

export interface LaunchPlace {
  home: Pick<Home, 'databases' | 'user'>
  homedir: string
  env: Readonly<Record<string, string | undefined>>
  blockedSkills: readonly string[]
  silenceSeconds: number
  /** The command that starts Steward. */
  command: string
}

/** The verdict on a skill or an agent that is about to be launched. */
export const guardLaunch = (event: HostEvent, place: LaunchPlace): HostVerdict => {
  const { home, homedir, env, blockedSkills, silenceSeconds, command } = place
  const folders = { env, homedir, cwd: event.cwd }
  if (event.tool_name === 'Skill') {
    return guardSkill(event, {
      blocked: blockedSkills,
      known: () => findSkills(event.host, folders),
    })
  }
  return guardAgent(event, {
    routing: readRouting(home),
    own: () => findAgents(event.host, folders),
    isWatched: () => isSessionWatched(home, event.session_id),
    silenceSeconds,
    command,
  })
}

/** The person's own table where it can be read; `steward route` reports what is wrong with it. */
const readRouting = ({ user }: Pick<Home, 'user'>): Routing => {
  try {
    const opened = openRouting(readFileSync(join(user.agents, 'routing.yaml'), 'utf8'))
    return opened.ok ? opened.value : DEFAULT_ROUTING
  } catch (thrown) {
    if (codeOf(thrown) !== undefined) return DEFAULT_ROUTING
    throw thrown
  }
}

/** Whether `steward watchdog` runs for a session, or for all. */
const isSessionWatched = (home: Pick<Home, 'databases'>, session: string): boolean => {
  const name = createHash('sha256').update(session).digest('hex')
  return ['all', name].some((each) => isLockHeld(join(home.databases, 'watchdogs', `${each}.lock`)))
}
