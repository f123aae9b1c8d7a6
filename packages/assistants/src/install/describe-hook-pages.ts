import { HOSTS, type HostName } from '@steward/contract'
import { ASSISTANTS } from '../assistants.ts'
import type { HookEntry } from '../registration/hook-entry.ts'

/** A document that the wiki can hold. */
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

/** What Steward's hooks do with each assistant. */
export const describeHookPages = (): HookPage[] => HOSTS.map(describeHost)

const describeHost = (host: HostName): HookPage => ({
  key: 'hooks',
  group: 'hooks',
  path: host,
  title: `Hooks of ${host}`,
  summary: `What Steward is told by ${host}, and what it may refuse there.`,
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
    return `The daemon is asked before it happens, for at most ${entry.timeoutSeconds} s; without a daemon it goes on.${scope}`
  }
  if (entry.guards === true) {
    return `Judged by the security policy before it happens, without the daemon; what is refused does not happen.${scope}`
  }
  const waits = entry.async ? 'does not wait' : `waits for at most ${entry.timeoutSeconds} s`
  return `Steward is told of it: events, sessions, ratings. The assistant ${waits}.${scope}`
}
