import type { Health, ModuleStatus } from '@steward/contract'
import { isJsonObject } from '@steward/contract/client'

/** One part of the daemon, with a remedy if it is not well. */
export interface Part {
  name: string
  title: string
  /** Its purpose. */
  what: string
  status: ModuleStatus
  /** It has a problem; `unavailable` does not count. */
  isWorrying: boolean
  reasons: string[]
  /** A command, or where to look. */
  remedy: Remedy | undefined
}

type Remedy = { command: string } | { href: string; text: string }

/** A log that the daemon reads. */
export interface SourceRow {
  name: string
  file: string
  lastEventAt: string | undefined
  rows: number
  skipped: number
  gaps: number
  lastError: string | undefined
}

/** A target that events are pushed to. */
export interface TargetRow {
  name: string
  type: string
  status: string
  lagMs: number
  lastSuccessAt: string | undefined
  lastError: string | undefined
  retryAt: string | undefined
}

/** A notification channel. */
export interface ChannelRow {
  name: string
  isReady: boolean
  /** Why it is not ready. */
  reason: string | undefined
  routed: string[]
  waiting: number
  failures: number
  lastDeliveredAt: string | undefined
  lastError: string | undefined
}

interface Words {
  title: string
  what: string
  remedy?: Remedy
}

const LOGS: Remedy = { command: 'steward service logs' }
const WORDS: Readonly<Record<string, Words>> = {
  settings: {
    title: 'Settings',
    what: 'settings.json, read again when it changes',
    remedy: { command: 'steward doctor' },
  },
  server: { title: 'Web server', what: 'answers this page, hooks and programs' },
  dashboard: { title: 'Dashboard', what: 'these pages', remedy: { command: 'npm start' } },
  live: { title: 'Live updates', what: 'tell open pages what changed' },
  voice: {
    title: 'Voice',
    what: 'says what happened',
    remedy: { href: '/speech', text: 'Look at Voice' },
  },
  notifications: {
    title: 'Notifications',
    what: 'push, chat, desktop and mail',
    remedy: { href: '/speech', text: 'Show the channels' },
  },
  backup: { title: 'Backup', what: 'makes backups on schedule' },
  watchdog: { title: 'Watchdog', what: 'alerts when an agent is silent' },
  hooks: {
    title: 'Guards',
    what: 'judge tool calls that assistants ask about',
    remedy: { href: '/security', text: 'Show the policy' },
  },
  security: {
    title: 'Security log',
    what: 'guard events, as a hash chain',
    remedy: { href: '/security?tab=events', text: 'Show the events' },
  },
  learning: { title: 'Learning', what: 'ratings, failures and the ladder' },
  knowledge: {
    title: 'Knowledge',
    what: 'your notes and their links',
    remedy: { href: '/knowledge', text: 'Show the notes' },
  },
  observers: {
    title: 'Observers',
    what: 'votes about unattended sessions',
    remedy: { href: '/security?tab=observers', text: 'Show the votes' },
  },
  observability: {
    title: 'Events',
    what: 'read from the logs of the hooks, pushed to targets',
    remedy: { href: '/events', text: 'Show the events' },
  },
  sessions: {
    title: 'Sessions',
    what: 'the work state that assistants write',
    remedy: { href: '/sessions', text: 'Show the sessions' },
  },
  execution: {
    title: 'Flows',
    what: 'actions, pipelines and flows on this machine',
    remedy: { href: '/flows', text: 'Show the flows' },
  },
  hosted: {
    title: 'Hosted agents',
    what: 'agents in their own sandboxes',
    remedy: { href: '/hosted', text: 'Look at Hosted' },
  },
  assistant: { title: 'Assistant', what: 'identity, tasks, diary and opinions' },
  doctor: { title: 'Doctor', what: 'checks and repairs the installation' },
  wiki: { title: 'Library', what: 'documents and notes in one search' },
  usage: {
    title: 'Usage',
    what: 'tokens and cost of model calls',
    remedy: { href: '/usage', text: 'Show the usage' },
  },
  attention: { title: 'Requests', what: 'questions that wait for you, and your answers' },
  history: {
    title: 'History',
    what: 'the index of all sessions and events',
    remedy: { href: '/sessions', text: 'Show the sessions' },
  },
  driven: {
    title: 'Started sessions',
    what: 'assistants that Steward starts',
    remedy: { href: '/agents?tab=started', text: 'Show them' },
  },
  work: { title: 'Progress', what: 'phases and criteria of current work' },
  storage: { title: 'Storage', what: 'free disk space and the databases' },
  telemetry: { title: 'Telemetry', what: 'traces for a collector, if one is set' },
  setup: { title: 'Setup', what: 'changes of settings and connected assistants' },
  demo: { title: 'Demo day', what: 'sample data in a separate dashboard' },
}

const RANKS: Readonly<Record<ModuleStatus, number>> = {
  failed: 0,
  stopped: 1,
  degraded: 2,
  ok: 3,
  unavailable: 4,
}

/** A name that only old clients ask for. */
const ABSENT = 'not in this version'

/** All parts of this version, problems first, unavailable ones last. */
export const readParts = ({ subsystems }: Pick<Health, 'subsystems'>): Part[] =>
  Object.entries(subsystems)
    .filter(([, { reasons = [] }]) => !reasons.includes(ABSENT))
    .map(([name, { status, reasons = [] }]) => {
      const words = wordsOf(name)
      const isWorrying = RANKS[status] < RANKS.ok
      return {
        name,
        title: words.title,
        what: words.what,
        status,
        isWorrying,
        reasons,
        remedy: isWorrying ? remedyOf(reasons, words) : undefined,
      }
    })
    .sort((a, b) => RANKS[a.status] - RANKS[b.status])

/** A command named in a reason is more specific than the part's general remedy. */
const remedyOf = (reasons: readonly string[], words: Words): Remedy => {
  const command = reasons.map(findCommand).find((found) => found !== undefined)
  return command === undefined ? (words.remedy ?? LOGS) : { command }
}

/** The command in a message: `` run `steward notify --setup push` ``. */
export const findCommand = (message: string): string | undefined =>
  /`((?:steward|npm|npx) [^`]+)`/.exec(message)?.[1]

/** The message without the command at its end, which is shown separately. */
export const withoutCommand = (message: string | undefined): string | undefined =>
  message?.replace(/: run `[^`]+`$/, '')

const wordsOf = (name: string): Words =>
  Object.hasOwn(WORDS, name)
    ? (WORDS[name] ?? { title: name, what: '' })
    : { title: name, what: '' }

export const readSources = ({ subsystems }: Pick<Health, 'subsystems'>): SourceRow[] =>
  Object.entries(fieldsOf(subsystems.observability?.sources)).map(([name, given]) => {
    const source = fieldsOf(given)
    return {
      name,
      file: textOf(source.file) ?? '',
      lastEventAt: textOf(source.lastEventAt),
      rows: countOf(source.rows),
      skipped: Object.values(fieldsOf(source.skipped)).reduce<number>(
        (sum, count) => sum + countOf(count),
        0,
      ),
      gaps: countOf(source.gaps),
      lastError: textOf(source.lastError),
    }
  })

export const readTargets = ({ subsystems }: Pick<Health, 'subsystems'>): TargetRow[] =>
  listOf(subsystems.observability?.targets).map((given) => {
    const target = fieldsOf(given)
    return {
      name: textOf(target.name) ?? '',
      type: textOf(target.type) ?? '',
      status: textOf(target.status) ?? '',
      lagMs: countOf(target.lagMs),
      lastSuccessAt: textOf(target.lastSuccessAt),
      lastError: textOf(target.lastError),
      retryAt: textOf(target.retryAt),
    }
  })

export const readChannels = ({ subsystems }: Pick<Health, 'subsystems'>): ChannelRow[] =>
  Object.entries(fieldsOf(subsystems.notifications?.channels)).map(([name, given]) => {
    const channel = fieldsOf(given)
    return {
      name,
      isReady: channel.ready === true,
      reason: textOf(channel.reason),
      routed: listOf(channel.routed).map(String),
      waiting: countOf(channel.waiting),
      failures: countOf(channel.failures),
      lastDeliveredAt: textOf(channel.lastDeliveredAt),
      lastError: textOf(channel.lastError),
    }
  })

/** The number of guard calls over HTTP since the daemon started. */
export const readGuards = ({
  subsystems,
}: Pick<Health, 'subsystems'>): { name: string; total: number; said: [string, number][] }[] =>
  [
    { key: 'securityGuard', name: 'security' },
    { key: 'skillGuard', name: 'skills' },
    { key: 'agentGuard', name: 'agents' },
  ].map(({ key, name }) => {
    const { total, ...counts } = fieldsOf(subsystems.hooks?.[key])
    const said = Object.entries(counts).map(([word, count]): [string, number] => [
      word,
      countOf(count),
    ])
    return { name, total: countOf(total), said: said.filter(([, count]) => count > 0) }
  })

const fieldsOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
