import {
  type Announcement,
  API,
  type ChannelName,
  type ModuleHealth,
  type NotifyRequest,
  reasonOf,
  unwrap,
} from '@steward/contract'
import { appendEventLog, type NoticeOutcome } from '@steward/notify'
import { type DaemonModule, handle } from '../../module.ts'
import type { Notice, NoticeSent, WithdrawableNotices } from '../../ports.ts'
import { inCharacter } from './answer-in-character.ts'
import { answerNotify } from './answer-notify.ts'
import { createPhaseWriter, type PhaseSession } from './phase-writer.ts'
import type { NotifyModulePorts } from './ports.ts'
import { createSessionEvents } from './session-events.ts'
import { createTabAppearances } from './tab-appearance.ts'
import { createTabUpdater } from './tab-updater.ts'

export interface NotifyModule extends DaemonModule {
  notices: WithdrawableNotices
}

/** Notifications: announcements, the phases they name, and the channels besides voice. */
export const createNotifyModule = (ports: NotifyModulePorts): NotifyModule => {
  const { home, bus, log, now, redactor, notifier, settings } = ports
  const endings: Array<() => void> = []
  let isRunning = false
  let eventLogFault: string | undefined

  const tabs = createTabUpdater(ports)
  const appearances = createTabAppearances(tabs.update)
  const recordWritten = (session: PhaseSession): void => {
    const { sessionId = '', slug, phase, name } = session
    if (sessionId !== '') appearances.recordPhase(sessionId, phase, name)
    eventLogFault = undefined
    appendEventLog(
      { session_id: sessionId, source: 'voice', type: 'algorithm.phase', slug, phase },
      {
        home,
        now,
        redactor,
        onFault: (message) => {
          eventLogFault = `the event log: ${message}`
          log.warn(`notifications: ${eventLogFault}`)
        },
      },
    )
  }
  const phases = createPhaseWriter(ports, recordWritten)
  const sessions = createSessionEvents({
    notifier,
    speak: (announcement) => void speakNotice(announcement, ports),
    speaker: () => settings().daidentity.name,
    now,
  })
  const answer = (request: NotifyRequest) => answerNotify(request, ports, phases)
  const answerInOwnVoice = (request: NotifyRequest) => answer(withoutVoice(request))
  const answerInCharacter = async (request: NotifyRequest) =>
    answerInOwnVoice(await inCharacter(request, ports.character, settings()))

  return {
    name: 'notifications',
    notices: {
      send: async (notice) =>
        isRunning
          ? sendNotice(notice, ports)
          : { stored: false, reason: 'no notifications module is running' },
      withdraw: async (key) => {
        if (isRunning) await notifier.withdraw(key)
      },
    },
    handlers: [
      handle(API.notify, ({ body }) => answer(body)),
      handle(API.notifyPersonality, ({ body }) => answerInCharacter(body)),
      handle(API.postVoice, ({ body }) => answerInOwnVoice(body)),
      handle(API.testChannel, ({ body }) => testChannel(body.channel, ports)),
      handle(API.listDeliveries, ({ query: { limit, ...filter } }) => {
        const found = notifier.deliveries(limit + 1, filter)
        const shown = found.slice(0, limit)
        return {
          next: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
          deliveries: shown.map(
            ({ id, notice, createdAt, channel, kind, priority, ...delivery }) => ({
              id,
              notice,
              at: new Date(createdAt).toISOString(),
              channel,
              kind,
              priority,
              session_id: delivery.sessionId,
              title: delivery.title,
              message: delivery.message,
              state: delivery.state,
              attempts: delivery.attempts,
              detail: delivery.detail,
            }),
          ),
        }
      }),
      handle(API.retryDelivery, ({ params: { id } }) => {
        const { sendsAt } = unwrap(notifier.retry(id))
        bus.publish('live.changed', { topics: ['notifications'] })
        return { id, sends_at: new Date(sendsAt).toISOString() }
      }),
    ],
    start: async () => {
      endings.push(
        bus.subscribe('notice', (notice) => void sendNotice(notice, ports)),
        bus.subscribe('events.arrived', ({ events }) => {
          sessions.take(events)
          appearances.take(events)
        }),
        bus.subscribe('work-state.changed', ({ state }) => appearances.recordWork(state)),
      )
      notifier.start()
      isRunning = true
    },
    stop: async () => {
      isRunning = false
      for (const end of endings.splice(0)) end()
      await phases.settle()
      await tabs.settle()
      await notifier.stop()
    },
    health: (): ModuleHealth => {
      const { reasons = [], ...channels } = notifier.health()
      const faults = [phases.fault(), eventLogFault].filter((fault) => fault !== undefined)
      const all = [...reasons, ...faults]
      return {
        ...channels,
        status: all.length === 0 ? channels.status : 'degraded',
        ...(all.length === 0 ? {} : { reasons: all }),
        tabs: tabs.counts(),
      }
    },
  }
}

/** Removes voice fields, so that the identity's current voice is used. */
const withoutVoice = ({ voice_id, voice_name, agent, ...request }: NotifyRequest): NotifyRequest =>
  request

interface Tested {
  delivered: boolean
  detail: string
}

/** How long a person waits for a test. */
const SPOKEN_WITHIN_MS = 30_000

/** Sends a test message to a channel, or speaks one, and waits for the outcome. */
const testChannel = async (
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
      detail: `still waiting: not spoken within ${SPOKEN_WITHIN_MS / 1000} seconds`,
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

type Ports = Pick<NotifyModulePorts, 'bus' | 'speech' | 'notifier' | 'log'>

/**
 * Sends a notice of another module to its channels. Spec 2, Events: it is also spoken, except for a
 * background agent.
 */
const sendNotice = async (
  notice: Notice,
  { bus, speech, notifier, log }: Ports,
): Promise<NoticeSent> => {
  const { kind, message, spoken = message, session_id } = notice
  const outcome = await sendToChannels(notice, notifier)
  bus.publish('live.changed', { topics: ['notifications'] })
  const isSpoken = kind !== 'watchdog' && kind !== 'backgroundAgent'
  if (!isSpoken || outcome.repeated === true) return outcome
  await speakNotice({ message: spoken, kind, session_id }, { speech, log })
  return outcome
}

const speakNotice = async (
  announcement: Announcement,
  { speech, log }: Pick<Ports, 'speech' | 'log'>,
): Promise<void> => {
  try {
    const { queued, reason } = await speech.announce(announcement)
    if (!queued) log.info(`a notice is not spoken: ${reason ?? 'voice is off'}`)
  } catch (thrown) {
    log.warn(`a notice is not spoken: ${reasonOf(thrown)}`)
  }
}

const sendToChannels = (
  { kind, message, title, session_id, key, channels }: Notice,
  notifier: Ports['notifier'],
): Promise<NoticeOutcome> => {
  const about = {
    ...(title === undefined ? {} : { title }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(key === undefined ? {} : { key }),
    ...(channels === undefined ? {} : { channels }),
  }
  if (kind === 'watchdog') return notifier.notifyBackgroundAgent('watchdog', message, about)
  if (kind === 'error') return notifier.notifyError(message, about)
  return notifier.notify({ message, kind, ...about })
}
