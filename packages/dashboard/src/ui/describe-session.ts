import type { SessionGroup, SessionStatus, SessionSummary } from '@steward/contract'
import { nameOfHost } from './host-name.ts'

type Tone = 'neutral' | 'info' | 'warn' | 'bad' | 'good'

/** In the order of the page; the contract's own list would load its schemas. */
export const GROUPS = [
  'needs',
  'running',
  'idle',
  'done',
] as const satisfies readonly SessionGroup[]

export const GROUP_TITLES: Readonly<Record<SessionGroup, string>> = {
  needs: 'Needs you',
  running: 'Running',
  idle: 'Idle',
  done: 'Done',
}

const STATUS: Readonly<Record<SessionStatus, { word: string; tone: Tone }>> = {
  working: { word: 'running', tone: 'info' },
  waiting: { word: 'needs you', tone: 'warn' },
  idle: { word: 'idle', tone: 'neutral' },
  failed: { word: 'failed', tone: 'bad' },
  ended: { word: 'done', tone: 'good' },
  inactive: { word: 'left open', tone: 'neutral' },
}
export const describeStatus = (status: SessionStatus): { word: string; tone: Tone } =>
  STATUS[status]

/** The first line of its first request, or its name. */
export const titleOf = ({ prompt, name }: Pick<SessionSummary, 'prompt' | 'name'>): string =>
  prompt?.split('\n', 1)[0]?.trim() || name

/** The last part of the folder. */
export const projectOf = ({ project }: Pick<SessionSummary, 'project'>): string =>
  project?.split(/[\\/]/).findLast(Boolean) ?? ''

export const assistantOf = ({ host, machine }: SessionSummary): string => {
  const name = host === '' ? '' : nameOfHost(host)
  return machine === null ? name : [name, `on ${machine}`].filter(Boolean).join(' ')
}

/** From its beginning to its end, or to its last row. */
export const durationOf = ({ startedAt, lastActivityAt, endedAt }: SessionSummary): number =>
  Date.parse(endedAt ?? lastActivityAt) - Date.parse(startedAt)

/** Assistants that can continue a session that has ended. */
const RESUMED: ReadonlySet<string> = new Set(['claude', 'codex', 'opencode'])

/** Others are open in their terminal, or take messages only there. */
export const takesMessages = ({ status, machine, host, project }: SessionSummary): boolean =>
  status === 'ended' && machine === null && project !== null && RESUMED.has(host)
