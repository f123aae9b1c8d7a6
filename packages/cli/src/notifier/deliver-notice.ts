import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelName, StewardError } from '@steward/contract'
import type { DeliveryState, Notice, NoticeOutcome, Notifier } from '@steward/notify'

export interface SentTo {
  channel: ChannelName
  state: DeliveryState
  detail: string | null
}

/** Sends a notice, waits for the first attempt, and returns the result per channel. */
export const deliverNotice = async (
  notifier: Notifier,
  notice: Notice,
): Promise<{ outcome: NoticeOutcome; sent: SentTo[] }> => {
  const outcome = await notifier.notify(notice)
  if (!outcome.stored) {
    const { reason = 'no reason was given' } = outcome
    throw new StewardError('storage_failed', { path: 'the outbox', reason })
  }
  const isPumpedHere = await notifier.flush()
  if (!isPumpedHere) await awaitOther(notifier, outcome)
  return { outcome, sent: readSent(notifier, outcome) }
}

const LOOK_MS = 100
const LOOKS = 70

/** The daemon delivers: it polls every second, and a service has five. */
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
