import type { DeliveryState, Notice, NoticeOutcome, Notifier } from '@steward/notify'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { deliverNotice, type SentTo } from '../../notifier/deliver-notice.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'

/** Sends a notice and prints how it went on each channel. */
export const sendNotice = async (
  io: Io,
  notifier: Notifier,
  notice: Notice,
  json: boolean,
): Promise<void> => {
  const { outcome, sent } = await deliverNotice(notifier, notice)
  if (json) printJson(io.out, { id: outcome.id, kind: outcome.kind, deliveries: sent })
  else io.out.write(describe(sent, outcome))
  io.exitCode = exitCodeOf(sent)
}

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
