import type { ChannelName } from '@steward/contract'
import type { NotifyModulePorts } from './ports.ts'

export interface Tested {
  delivered: boolean
  detail: string
}

/** As long as a person waits for a test. */
const SPOKEN_WITHIN_MS = 30_000

/** Sends a test message to a channel, or speaks one, and waits for how it went. */
export const testChannel = async (
  channel: ChannelName | 'voice',
  ports: Pick<NotifyModulePorts, 'speech' | 'notifier' | 'setTimer'>,
): Promise<Tested> => {
  if (channel === 'voice') return testVoice(ports)
  const outcome = await ports.notifier.test(channel)
  return outcome.state === 'failed'
    ? { delivered: false, detail: `${outcome.error.message} (${outcome.error.remedy})` }
    : { delivered: outcome.state === 'delivered', detail: outcome.detail }
}

const testVoice = async (
  ports: Pick<NotifyModulePorts, 'speech' | 'setTimer'>,
): Promise<Tested> => {
  const tested = Promise.withResolvers<Tested>()
  const endTimer = ports.setTimer(SPOKEN_WITHIN_MS, () =>
    tested.resolve({
      delivered: false,
      detail: `it waits: not spoken within ${SPOKEN_WITHIN_MS / 1000} seconds`,
    }),
  )
  const announcement = { message: 'This is a test of the voice.', title: 'Steward' }
  const accepted = await ports.speech.announce(announcement, ({ outcome, detail }) =>
    tested.resolve({ delivered: outcome === 'spoken', detail }),
  )
  if (!accepted.queued) {
    tested.resolve({ delivered: false, detail: accepted.reason ?? 'voice is off' })
  }
  const result = await tested.promise
  endTimer()
  return result
}
