import {
  API,
  type AttentionAnswer,
  type AttentionEntry,
  type ModuleHealth,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { appendSecurityEvent, collectEvents, readSessionName } from '@steward/platform'
import { type DaemonModule, handle } from '../../module.ts'
import type { Asking } from '../../ports.ts'
import { createAnnouncer } from './announcer.ts'
import {
  completeEntry,
  entryOfRequest,
  entryOfWait,
  type OpenEntry,
  sortEntries,
} from './attention-entries.ts'
import { explainMisfit } from './check-answer.ts'
import { createDevicePushes } from './devices/device-pushes.ts'
import { createDevices } from './devices/devices.ts'
import { listEscalations, listHostedWaits, listStopped, readHostedId } from './other-waits.ts'
import type { AttentionPorts } from './ports.ts'
import { openRequestStore } from './request-store.ts'
import { createRequests } from './requests.ts'
import { createSessionWaits } from './session-waits.ts'

/** Batches a burst of events. */
const GATHER_MS = 100
/** Flows and observers change without an event of ours. */
const LOOK_MS = 60_000

const HERE = { name: 'the owner of the data home' }

export interface AttentionModule extends DaemonModule {
  asking: Asking
}

/** Everything that waits for the person, and the answers. */
export const createAttentionModule = (ports: AttentionPorts): AttentionModule => {
  const { home, bus, log, now, setTimer, redactor, hosted, command } = ports
  const endings: Array<() => void> = []
  const store = openRequestStore(home)
  const waits = createSessionWaits(now)
  /** Names of sessions, also that there is none, until the work state changes. */
  const names = new Map<string, Promise<string | undefined>>()
  /** Sessions that Steward drives. */
  const claimed = new Set<string>()
  let others: OpenEntry[] = []
  let cancelRefresh: (() => void) | undefined
  let cancelLook = (): void => undefined
  let fault: string | undefined

  const record = async (draft: Parameters<typeof appendSecurityEvent>[1]): Promise<void> => {
    try {
      await appendSecurityEvent(home, draft, { redactor: redactor(), now })
      bus.publish('live.changed', { topics: ['security'] })
    } catch (thrown) {
      fault = `an answer is not in the security log: ${reasonOf(thrown)}`
      log.error(`attention: ${fault}`)
    }
  }

  const refreshSoon = (): void => {
    cancelRefresh ??= setTimer(GATHER_MS, () => {
      cancelRefresh = undefined
      void refresh()
    })
    bus.publish('live.changed', { topics: ['attention'] })
  }

  const requests = createRequests({
    store,
    now,
    setTimer,
    onChange: refreshSoon,
    record: async (request, answer, by) => {
      waits.resolve(request.session_id)
      await record({
        session_id: request.session_id,
        host: request.host,
        tool: request.tool_name ?? request.reason,
        verdict: isRefusal(answer) ? 'deny' : 'pass',
        rule: 'answer',
        reason: `${describeAnswer(answer)} by ${by} (request ${request.id})`,
        target: request.detail,
      })
    },
  })
  const devices = createDevices({
    ...ports,
    store,
    list: () => list(),
    answer: (id, given, by) => answer(id, given, by),
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

  const nameOf = async (sessionId: string, project: string): Promise<string> => {
    const found = names.get(sessionId) ?? readSessionName(home, sessionId).then(nameIn)
    names.set(sessionId, found)
    const known = await found
    const folder = project.split(/[\\/]/).at(-1)
    return known ?? `Session ${sessionId.slice(0, 8)}${folder ? ` in ${folder}` : ''}`
  }

  const list = async (): Promise<AttentionEntry[]> => {
    const open = requests.open()
    const asking = new Set(open.map(({ request }) => request.session_id))
    const found = [
      ...open.map(entryOfRequest),
      // The request itself says more than the event about it.
      ...waits
        .waiting()
        .filter(({ session_id }) => !asking.has(session_id))
        .map((wait) => entryOfWait(wait, claimed.has(wait.session_id) ? command : undefined)),
      ...others,
    ]
    const named = await Promise.all(
      found.map(async (entry) =>
        completeEntry(entry, entry.name || (await nameOf(entry.session_id, entry.project))),
      ),
    )
    return sortEntries(named)
  }
  const refresh = async (): Promise<void> => {
    try {
      const entries = await list()
      announcer.refresh(entries)
      devices.show(entries)
    } catch (thrown) {
      log.error(`attention: ${reasonOf(thrown)}`)
    }
  }

  const lookAtOthers = async (): Promise<void> => {
    cancelLook()
    try {
      others = [
        ...(await listHostedWaits(hosted)),
        ...(await listStopped(home, command)),
        ...(await listEscalations(home, command, now())),
      ]
    } catch (thrown) {
      log.warn(`attention: hosted agents cannot be asked: ${reasonOf(thrown)}`)
    }
    cancelLook = setTimer(LOOK_MS, () => void lookAtOthers())
    refreshSoon()
  }

  const answerHosted = async (
    id: string,
    answer: AttentionAnswer,
    by: { name: string },
  ): Promise<boolean> => {
    const call = readHostedId(id)
    if (call === undefined) return false
    const entry = others.find((other) => other.id === id)
    const { answer: place } = entry ?? {}
    if (entry === undefined || place?.where !== 'here') {
      throw new StewardError('attention_not_found', { id })
    }
    const reason = explainMisfit(place, answer)
    if (reason !== undefined || !('decision' in answer)) {
      const subject = 'the answer'
      throw new StewardError('invalid_input', { subject, reason: reason ?? 'it takes a decision' })
    }
    const { decision, message } = answer
    await hosted.answer(call, {
      allow: decision === 'allow',
      ...(message === undefined ? {} : { message }),
    })
    await record({
      session_id: call.sessionId,
      host: 'hosted',
      tool: 'hosted',
      verdict: decision === 'allow' ? 'pass' : 'deny',
      rule: 'answer',
      reason: `${describeAnswer(answer)} by ${by.name} (request ${id})`,
      target: entry.preview,
    })
    await lookAtOthers()
    return true
  }

  const answer = async (id: string, given: AttentionAnswer, by = HERE): Promise<void> => {
    if (await answerHosted(id, given, by)) return
    const elsewhere = (await list()).find(
      (entry) => entry.id === id && entry.answer.where !== 'here',
    )?.answer
    if (elsewhere === undefined) return requests.answer(id, given, by)
    const reason = elsewhere.where === 'command' ? `run ${elsewhere.command}` : hintOf(elsewhere)
    throw new StewardError('attention_elsewhere', { id, reason })
  }

  return {
    asking: {
      claim: async (sessionId) => {
        claimed.add(sessionId)
        return () => claimed.delete(sessionId)
      },
      ask: requests.ask,
    },
    name: 'attention',
    handlers: [
      handle(API.listWaiting, async () => ({ waiting: await list() })),
      handle(API.answerWaiting, async ({ params: { id }, body }) => {
        await answer(id, body)
        return { ok: true as const, id }
      }),
      handle(API.askAttention, ({ body }, { signal }) =>
        claimed.has(body.session_id)
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
          waits.take(arrived)
          // A driven session says itself when it no longer waits.
          requests.take(arrived.filter(({ session_id }) => !claimed.has(session_id)))
          refreshSoon()
        }),
        bus.subscribe('settings.changed', () => {
          devices.start()
          refreshSoon()
        }),
        bus.subscribe('live.changed', ({ topics }) => {
          if (topics.some((topic) => LOOKED_AT.has(topic))) void lookAtOthers()
        }),
        bus.subscribe('work-state.changed', () => names.clear()),
      )
      requests.start()
      devices.start()
      // Not awaited: it may ask a server.
      void lookAtOthers()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      cancelRefresh?.()
      cancelLook()
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

const LOOKED_AT: ReadonlySet<string> = new Set(['hosted', 'observers', 'runs'])

const nameIn = (result: { ok: boolean; value?: string | undefined }): string | undefined =>
  result.ok ? result.value : undefined

const hintOf = (place: { where: string; hint?: string }): string => place.hint ?? place.where

const isRefusal = (answer: AttentionAnswer): boolean =>
  'decision' in answer && answer.decision === 'deny'

const describeAnswer = (answer: AttentionAnswer): string => {
  if ('decision' in answer) {
    if (answer.decision === 'deny') return 'denied'
    return answer.scope === 'always' ? 'allowed always' : 'allowed once'
  }
  return 'choice' in answer ? 'answered with a choice' : 'answered'
}
