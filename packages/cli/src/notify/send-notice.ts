import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelName, StewardError } from '@steward/contract'
import type { DeliveryState, Notice, NoticeOutcome, Notifier } from '@steward/notify'
import { EXIT } from '../errors/exit-codes.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { printJson } from '../output/print-json.ts'

interface SentTo {
  channel: ChannelName
  state: DeliveryState
  detail: string | null
}

/** Hands a notice over, waits for its first attempt, and says how it went on each channel. */
export const sendNotice = async (
  io: Io,
  notifier: Notifier,
  notice: Notice,
  json: boolean,
): Promise<void> => {
  const outcome = await notifier.notify(notice)
  if (!outcome.stored) {
    throw new StewardError('storage_failed', { path: 'the outbox', reason: outcome.reason })
  }
  const isPumpedHere = await notifier.flush()
  if (!isPumpedHere) await awaitOther(notifier, outcome)
  const sent = readSent(notifier, outcome)
  if (json) printJson(io.out, { id: outcome.id, kind: outcome.kind, deliveries: sent })
  else io.out.write(describe(sent, outcome))
  io.exitCode = exitCodeOf(sent)
}

const LOOK_MS = 100
const LOOKS = 70

/** The daemon delivers: it looks each second, and a service has five. */
const awaitOther = async (notifier: Notifier, outcome: NoticeOutcome): Promise<void> => {
  for (let look = 0; look < LOOKS; look++) {
    const isUntouched = outcome.deliveries.some(({ id, state }) => {
      const now = notifier.find(id)
      return state === 'waiting' && now?.state === 'waiting' && now.detail === null
    })
    if (!isUntouched) return
    await sleep(LOOK_MS)
  }
}

const readSent = (notifier: Notifier, { deliveries }: NoticeOutcome): SentTo[] =>
  deliveries.map(({ id, channel, state, detail }) => {
    const now = notifier.find(id)
    return { channel, state: now?.state ?? state, detail: now?.detail ?? detail }
  })

const describe = (sent: readonly SentTo[], { kind }: NoticeOutcome): string => {
  if (sent.length === 0) {
    return `notifications.routing sends ${kind ?? 'this'} to no channel; nothing was sent (--channel names one)\n`
  }
  return sent
    .map(({ channel, state, detail }) => {
      const more = detail === null ? '' : `: ${cleanText(detail)}`
      return `${channel}: ${WORDS[state]}${more}\n`
    })
    .join('')
}

const WORDS: Readonly<Record<DeliveryState, string>> = {
  waiting: 'waits, and is tried again while the daemon runs',
  delivered: 'delivered',
  failed: 'failed',
  merged: 'merged, the same was said within the last minute',
  skipped: 'skipped',
}

const exitCodeOf = (sent: readonly SentTo[]): number => {
  if (sent.some(({ state }) => state === 'failed')) return EXIT.failed
  const isAllSkipped = sent.length > 0 && sent.every(({ state }) => state === 'skipped')
  return isAllSkipped ? EXIT.notConfigured : EXIT.success
}
