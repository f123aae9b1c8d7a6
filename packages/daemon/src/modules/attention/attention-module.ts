import { API, type ModuleHealth, reasonOf, type StewardEvent } from '@steward/contract'
import { appendSecurityEvent, coalesce, collectEvents } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import type { Asking } from '../../ports.ts'
import { createAnnouncer } from './announcer.ts'
import { createAnswering, draftOfAnswer, HERE, type SecurityDraft } from './answering.ts'
import { createAttentionList } from './attention-list.ts'
import { createDevicePushes } from './devices/device-pushes.ts'
import { createDevices } from './devices/devices.ts'
import { createOwnPrompts } from './own-prompts.ts'
import type { AttentionPorts } from './ports.ts'
import { openRequestStore } from './request-store.ts'
import { createRequests } from './requests.ts'
import { createSessionWaits } from './session-waits.ts'

/** Batches a burst of changes; the first of them is shown at once. */
const GATHER_MS = 50
/** What others may have changed about the entries of `lookAtOthers`. */
const LOOKED_AT: ReadonlySet<string> = new Set(['hosted', 'observers', 'runs'])

export interface AttentionModule extends DaemonModule {
  asking: Asking
}

/** Everything that waits for the person, and the answers. */
export const createAttentionModule = (ports: AttentionPorts): AttentionModule => {
  const { home, bus, log, now, setTimer, redactor } = ports
  const endings: Array<() => void> = []
  const store = openRequestStore(home)
  const waits = createSessionWaits(now)
  /** Sessions that Steward drives, and how to send them a message. */
  const driven = new Map<string, Parameters<Asking['claim']>[1]>()
  let cancelRefresh: (() => void) | undefined
  let refreshedMs = 0
  let fault: string | undefined

  const record = async (draft: SecurityDraft): Promise<void> => {
    try {
      await appendSecurityEvent(home, draft, { redactor: redactor(), now })
      bus.publish('live.changed', { topics: ['security'] })
    } catch (thrown) {
      fault = `an answer is not in the security log: ${reasonOf(thrown)}`
      log.error(`attention: ${fault}`)
    }
  }
  const refreshSoon = (): void => {
    cancelRefresh ??= setTimer(Math.max(0, refreshedMs + GATHER_MS - now()), () => {
      cancelRefresh = undefined
      refreshedMs = now()
      void refresh()
    })
    bus.publish('live.changed', { topics: ['attention'] })
  }

  const ownPrompts = createOwnPrompts({ now, setTimer, onChange: refreshSoon })
  const requests = createRequests({
    store,
    now,
    setTimer,
    onChange: refreshSoon,
    record: async (request, answer, by) => {
      waits.resolve(request.session_id)
      ownPrompts.answered(request, answer)
      await record(draftOfAnswer(request, answer, by))
    },
  })
  const entries = createAttentionList({
    ...ports,
    requests,
    waits,
    ownPrompts,
    isDriven: (id) => driven.has(id),
    onChange: refreshSoon,
  })
  const { list, lookAtOthers } = entries
  const { answer } = createAnswering({
    ...ports,
    requests,
    record,
    list: entries,
    senderOf: (id) => driven.get(id),
  })
  const devices = createDevices({
    ...ports,
    store,
    list,
    answer,
    recordRefusal: (requestId, device, reason) =>
      record({
        session_id: store.find(requestId)?.request.session_id ?? '',
        host: '',
        tool: 'answer',
        verdict: 'deny',
        rule: 'answer-refused',
        reason: `an answer from device ${device} was refused: ${reason}`,
        target: requestId === '' ? 'an unknown request' : `request ${requestId}`,
      }),
  })
  const pushes = createDevicePushes(ports, devices.active)
  const announcer = createAnnouncer({
    ...ports,
    devices: pushes,
    hasDevices: () => devices.active().some(({ topic }) => topic !== ''),
    onDue: () => void refresh(),
  })
  // One at a time: an older list must not announce what a newer one has withdrawn.
  const refresh = coalesce(async () => {
    try {
      const found = await list()
      announcer.refresh(found)
      devices.show(found)
    } catch (thrown) {
      log.error(`attention: ${reasonOf(thrown)}`)
    }
  })

  return {
    asking: {
      claim: async (sessionId, send) => {
        driven.set(sessionId, send)
        // Its process is new, or none runs: what an earlier one asked waits no more.
        requests.withdraw((request) => request.session_id === sessionId)
        return () => driven.delete(sessionId)
      },
      countOpen: async () => requests.open().length,
      ask: async (request, signal) => {
        try {
          return await requests.ask(request, signal)
        } catch (thrown) {
          // Unlike a hook, the driver does not ask again with the same id.
          requests.withdraw(({ id }) => id === request.id)
          throw thrown
        }
      },
      reply: async (sessionId, text) => {
        const found = requests
          .open()
          .find(({ request }) => request.session_id === sessionId && request.asked.takesText)
        if (found === undefined) return false
        await requests.answer(found.request.id, { text }, HERE)
        return true
      },
    },
    name: 'attention',
    handlers: [
      handle(API.listWaiting, async () => ({ waiting: await list() })),
      handle(API.answerWaiting, async ({ params: { id }, body }) => {
        await answer(id, body)
        return { ok: true as const, id }
      }),
      handle(API.askAttention, ({ body }, { signal }) =>
        driven.has(body.session_id)
          ? { status: 'closed' as const, reason: 'Steward drives this session' }
          : requests.ask(body, signal),
      ),
      handle(API.listAnswerDevices, () => ({ devices: devices.list() })),
      handle(API.addAnswerDevice, ({ body }) => devices.add(body.name)),
      handle(API.pairAnswerDevice, ({ body }) => devices.pair(body.name, body.answers)),
      handle(API.allowAnswerDevice, ({ params, body }) => ({
        device: devices.allow(params.id, body.answers),
      })),
      handle(API.subscribeAnswerDevice, async ({ body }) => ({
        device: await devices.subscribe(body.name, body.subscription),
      })),
      handle(API.getPushKey, async () => ({ key: await devices.pushKey() })),
      handle(API.revokeAnswerDevice, async ({ params }) => ({
        device: await devices.revoke(params.id),
      })),
    ],
    start: async () => {
      const { events } = await collectEvents(home)
      waits.take(events.toReversed())
      endings.push(
        bus.subscribe('events.arrived', ({ events: arrived }) => {
          waits.take(arrived.filter((event) => !driven.has(event.session_id) || !isAsking(event)))
          // A driven session says itself when it no longer waits.
          requests.take(arrived.filter(({ session_id }) => !driven.has(session_id)))
          ownPrompts.take(arrived)
          refreshSoon()
        }),
        bus.subscribe('settings.changed', () => {
          devices.start()
          refreshSoon()
        }),
        bus.subscribe('live.changed', ({ topics }) => {
          if (topics.some((topic) => LOOKED_AT.has(topic))) void lookAtOthers()
        }),
        bus.subscribe('work-state.changed', entries.forgetNames),
      )
      requests.start()
      devices.start()
      // Not awaited: it may ask a server.
      void lookAtOthers()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      cancelRefresh?.()
      entries.stop()
      ownPrompts.stop()
      announcer.stop()
      pushes.stop()
      await devices.stop()
      requests.stop()
      await store.end()
    },
    health: (): ModuleHealth => {
      const unread = devices.fault()
      const reasons = [
        ...(fault === undefined ? [] : [fault]),
        ...(unread === undefined ? [] : [`answers of devices cannot be read: ${unread}`]),
      ]
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        ...(reasons.length === 0 ? {} : { reasons }),
        waiting: requests.open().length,
        devices: devices.active().length,
      }
    },
  }
}

/** The driver of a session asks itself; the row of a hook may arrive after the answer. */
const isAsking = ({ type, notification_type }: StewardEvent): boolean =>
  type === 'permission_request' || (type === 'notification' && notification_type !== 'idle_prompt')
