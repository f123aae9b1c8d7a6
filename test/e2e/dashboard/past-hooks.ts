import { judgeEvent, readHostEvent, realPathOf, securityDrafts } from '@steward/assistants'
import type { HostName } from '@steward/contract'
import {
  appendSecurityEvent,
  createEnvironment,
  createRedactor,
  type Home,
  resolveHome,
} from '@steward/platform'
import { openHookPolicy } from '../../../packages/assistants/src/guard/hook-policy.ts'
import { createClipText } from '../../../packages/assistants/src/hook/clip-text.ts'
import { handleEvent } from '../../../packages/assistants/src/hook/handle-event.ts'
import { NO_SETTINGS } from '../../../packages/assistants/src/hook/read-hook-settings.ts'

/**
 * Runs the hook program's own code with a given time, so that a past day is written within a
 * second.
 */
export interface PastHooks {
  home: Home
  /** The time this many minutes before `nowMs`. */
  momentOf: (minutesAgo: number) => number
  fire: (minutesAgo: number, payload: object, host?: HostName) => Promise<void>
  /**
   * Returns the policy's verdict on a tool call or prompt, and adds its row to the security log.
   */
  guard: (minutesAgo: number, payload: object, host?: HostName) => Promise<void>
}

export const createPastHooks = (root: string, nowMs: number): PastHooks => {
  const home = resolveHome({ STEWARD_HOME: root })
  const redactor = createRedactor({})
  const momentOf = (minutesAgo: number): number => nowMs - Math.round(minutesAgo * 60_000)
  const report = (text: string): never => {
    throw new Error(text)
  }
  return {
    home,
    momentOf,
    fire: (minutesAgo, payload, host = 'claude') => {
      const atMs = momentOf(minutesAgo)
      return handleEvent(readHostEvent(host, payload), {
        home,
        environment: createEnvironment({}, {}),
        settings: NO_SETTINGS,
        redactor,
        clip: createClipText(redactor),
        now: () => atMs,
        startedAtMs: atMs,
        isDaemonUp: () => false,
        report,
      })
    },
    guard: async (minutesAgo, payload, host = 'claude') => {
      const now = () => momentOf(minutesAgo)
      const event = readHostEvent(host, payload)
      const { policy } = await openHookPolicy({ home, homedir: '/home/mara' })
      const judgement = judgeEvent(event, policy, { environment: {}, realPath: realPathOf })
      for (const draft of securityDrafts(event, judgement)) {
        const timestamp = new Date(now()).toISOString()
        await appendSecurityEvent(home, { ...draft, timestamp }, { redactor, now })
      }
    },
  }
}
