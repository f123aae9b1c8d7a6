import { HOSTS, type HostName } from '@steward/contract'
import { ASSISTANTS } from '../assistants.ts'
import type { HookEntry } from '../registration/hook-entry.ts'

/** A document for the wiki. */
export interface HookPage {
  key: string
  group: string
  path: string
  title: string
  summary: string
  tags: string[]
  related: string[]
  markdown: string
}

/** What Steward's hooks do in each assistant. */
export const describeHookPages = (): HookPage[] => HOSTS.map(describeHost)

const describeHost = (host: HostName): HookPage => ({
  key: 'hooks',
  group: 'hooks',
  path: host,
  title: `Hooks of ${host}`,
  summary: `Which events ${host} reports to Steward, and which it lets Steward refuse.`,
  tags: ['hooks', host],
  related: ['docs/hooks'],
  markdown: [
    `# Hooks of ${host}`,
    '',
    'How to install them: [[docs/hooks]]. What they refuse: [[docs/security-policy]].',
    '',
    ...ASSISTANTS[host].hooks.flatMap((entry) => [
      `## ${nameOf(entry)}`,
      '',
      describeEntry(entry),
      '',
    ]),
  ].join('\n'),
})

const nameOf = ({ event, guards, asks }: HookEntry): string => {
  if (asks !== undefined) return `${event}, asks the ${asks} guard`
  return guards === true ? `${event}, guard` : event
}

const describeEntry = (entry: HookEntry): string => {
  const scope = entry.matcher === undefined ? '' : ` For: \`${entry.matcher}\`.`
  if (entry.asks !== undefined) {
    return `The assistant asks the daemon first and waits at most ${entry.timeoutSeconds} s; without a daemon it continues.${scope}`
  }
  if (entry.guards === true) {
    return `The hook judges it by the security policy first, without the daemon, and can refuse it.${scope}`
  }
  const waits = entry.async ? 'does not wait' : `waits at most ${entry.timeoutSeconds} s`
  return `Reported to Steward: events, sessions, ratings. The assistant ${waits}.${scope}`
}
