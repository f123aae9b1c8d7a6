import type { AttentionEntry, AttentionKind, Settings } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { WithdrawableNotices } from '../../ports.ts'
import type { DevicePushes } from './devices/device-pushes.ts'

export interface Announcer {
  /** Notifies of entries that are due, and withdraws notices of closed ones. */
  refresh: (entries: readonly AttentionEntry[]) => void
  stop: () => void
}

interface AnnouncerPorts {
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'notifications'>
  notices: WithdrawableNotices
  devices: Pick<DevicePushes, 'tell' | 'withdraw'>
  /** Whether a device shows pushes with buttons. */
  hasDevices: () => boolean
  command: string
  /** Called when the next entry is due. */
  onDue: () => void
}

/** Other kinds of notifications tell of a session that is done or failed, and of blocked flows. */
const WORDS: Partial<Record<AttentionKind, string>> = {
  permission: 'asks for permission',
  question: 'has a question',
  plan: 'asks you to approve a plan',
  form: 'asks you to fill in a form',
  idle: 'waits for you',
}
const REMINDED: ReadonlySet<AttentionKind> = new Set(['permission', 'question', 'plan', 'form'])
/** Sessions that waited long before the daemon started are no news. */
const OLD_MS = 10 * 60_000
const SPOKEN_CHARS = 120

/** Notifications of kind `waiting`: after a while, with one reminder, until answered. */
export const createAnnouncer = (ports: AnnouncerPorts): Announcer => {
  const { now, setTimer, settings, notices, devices, command } = ports
  const startedMs = now()
  const told = new Map<string, Set<string>>()
  let cancel = (): void => undefined

  const tell = (entry: AttentionEntry, key: string, again: boolean): void => {
    const keys = told.get(entry.id) ?? new Set()
    if (keys.has(key)) return
    told.set(entry.id, keys.add(key))
    const { name, session_id, kind, preview } = entry
    const head = `${name} ${again ? 'still ' : ''}${WORDS[kind] ?? 'waits for you'}`
    const message = [placeOf(entry), preview, howTo(entry, command)].filter(Boolean).join('\n')
    const isOnDevices = entry.answer.where === 'here' && ports.hasDevices()
    if (isOnDevices) devices.tell(entry, head, message)
    const routed = settings().notifications.routing.waiting
    void notices.send({
      kind: 'waiting',
      title: head,
      message,
      spoken: preview === '' ? head : `${head}: ${preview.slice(0, SPOKEN_CHARS)}`,
      key,
      ...(session_id === '' ? {} : { session_id }),
      // A device shows it already, with buttons.
      ...(isOnDevices ? { channels: routed.filter((channel) => channel !== 'push') } : {}),
    })
  }

  /** When the next thing is due for an entry. */
  const attend = (entry: AttentionEntry): number => {
    const sinceMs = Date.parse(entry.since)
    const isLive = entry.answer.where === 'here'
    if (WORDS[entry.kind] === undefined) return Number.POSITIVE_INFINITY
    if (!isLive && sinceMs < startedMs - OLD_MS) return Number.POSITIVE_INFINITY
    const { waitingSeconds, waitingReminderMinutes } = settings().notifications.thresholds
    const dueMs = sinceMs + waitingSeconds * 1000
    if (now() < dueMs) return dueMs
    tell(entry, `waiting/${entry.id}`, false)
    if (waitingReminderMinutes === 0 || !REMINDED.has(entry.kind)) return Number.POSITIVE_INFINITY
    const reminderMs = dueMs + waitingReminderMinutes * 60_000
    if (now() < reminderMs) return reminderMs
    tell(entry, `waiting/${entry.id}/again`, true)
    return Number.POSITIVE_INFINITY
  }

  return {
    refresh: (entries) => {
      cancel()
      const ids = new Set(entries.map(({ id }) => id))
      for (const [id, keys] of told) {
        if (ids.has(id)) continue
        told.delete(id)
        devices.withdraw(id)
        for (const key of keys) void notices.withdraw(key)
      }
      const nextMs = Math.min(...entries.map(attend), Number.POSITIVE_INFINITY)
      if (Number.isFinite(nextMs)) cancel = setTimer(Math.max(0, nextMs - now()), ports.onDue)
    },
    stop: () => cancel(),
  }
}

const placeOf = ({ project, host }: AttentionEntry): string =>
  [host, project.split(/[\\/]/).at(-1)].filter(Boolean).join(', ')

const howTo = ({ id, answer }: AttentionEntry, command: string): string => {
  if (answer.where === 'here') return `Answer: ${command} answer ${id}`
  return answer.where === 'terminal' ? answer.hint : `Run: ${answer.command}`
}
