import type { Evidence } from '../evidence.ts'
import { type Intent, speaksOf } from '../intent.ts'

/** What a call does to a service: something is lost there, or something leaves for good. */
export interface ServiceEffect {
  kind: 'delete' | 'send'
  says: string
  /** The piece of the command that does it. */
  part: string
}

/** The guards' reasons for asking, and what the calls do. */
const BY_REASON: ReadonlyMap<string, ServiceEffect['kind']> = new Map([
  ['changes running infrastructure', 'delete'],
  ['deletes something in the cloud', 'delete'],
  ['deletes or overwrites data in a database', 'delete'],
  ['empties a database', 'delete'],
  ['overwrites or deletes on the remote', 'delete'],
  ['deletes something that another program keeps', 'delete'],
  ['deletes something on another machine', 'delete'],
  ['deletes what a service keeps', 'delete'],
  ['deletes or opens a repository', 'delete'],
  ['replaces everything on the remote', 'delete'],
  ['publishes images or deletes containers and their data', 'delete'],
  ['publishes or withdraws a package', 'send'],
  ['publishes a package', 'send'],
])

/** These either destroy or publish; the words tell which. */
const PUBLISHES = /^(docker|podman)\s+push\b|\bapply\b|\bup\b/
const WITHDRAWS = /\b(unpublish|yank)\b/
const EMPTIES_CRON = /\bcrontab\b.*\s(-r\b|\/dev\/null)/
/** An empty cron table removes all entries. */
const FEEDS_CRON_NOTHING =
  /(\b(echo|printf)(\s+-n)?(\s+(""|''))?|:|\btrue)\s*\|\s*(sudo\s+)?crontab\b|\bcrontab\b[^|;&]*<\s*\/dev\/null/

/** The effect on a service that the guards see in a call; undefined if there is none. */
export const findServiceEffect = ({ guard, summary }: Evidence): ServiceEffect | undefined => {
  if (guard.verdict === 'pass') return undefined
  const { part, reason, rule } = guard
  const isNoTable = /\bcrontab\b/.test(part) && FEEDS_CRON_NOTHING.test(summary)
  if (isNoTable || EMPTIES_CRON.test(part))
    return { kind: 'delete', says: 'removes all cron jobs', part }
  if (rule === 'builtin:container-data') return { kind: 'delete', says: reason, part }
  const kind = BY_REASON.get(reason)
  if (kind === undefined) return undefined
  if (WITHDRAWS.test(part)) return { kind: 'delete', says: reason, part }
  return { kind: PUBLISHES.test(part) ? 'send' : kind, says: reason, part }
}

/** The intent mentions it, so that only its extent is in question. */
export const isAskedFor = (intent: Intent, { kind }: ServiceEffect): boolean =>
  speaksOf(intent, kind)
