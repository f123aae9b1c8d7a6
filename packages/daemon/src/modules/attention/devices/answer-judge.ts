import { isDeepStrictEqual } from 'node:util'
import { type AttentionAnswer, reasonOf } from '@steward/contract'
import type { Log } from '../../../log/log.ts'
import type { RequestStore, StoredDevice } from '../request-store.ts'

/** The one place where answers of devices are accepted, refused and logged. */
export interface AnswerJudge {
  /** Whether a device sent too much in the last minute; to be asked before anything is verified. */
  isFlooding: (device: StoredDevice) => boolean
  /** Passes on an answer whose origin is verified. Returns why it was refused, if it was. */
  accept: (
    device: StoredDevice,
    requestId: string,
    answer: AttentionAnswer,
  ) => Promise<string | undefined>
  /** Records a refusal, and returns its reason. */
  refuse: (device: StoredDevice, requestId: string, reason: string) => Promise<string>
}

export interface AnswerJudgePorts {
  store: RequestStore
  now: () => number
  log: Log
  answer: (id: string, answer: AttentionAnswer, by: { name: string }) => Promise<void>
  /** Writes a refused answer to the security log. Never rejects. */
  recordRefusal: (requestId: string, device: string, reason: string) => Promise<void>
}

const MINUTE_MS = 60_000
/** Per device; a person answers far fewer. */
const MOST_PER_MINUTE = 30

export const createAnswerJudge = (ports: AnswerJudgePorts): AnswerJudge => {
  const { store, now, log } = ports
  const recent = new Map<string, number[]>()

  const refuse: AnswerJudge['refuse'] = async (device, requestId, reason) => {
    await ports.recordRefusal(requestId, device.name, reason)
    return reason
  }

  return {
    refuse,
    isFlooding: ({ id, name }) => {
      const times = (recent.get(id) ?? []).filter((at) => at > now() - MINUTE_MS)
      recent.set(id, [...times, now()].slice(-MOST_PER_MINUTE - 1))
      // Once per burst, so that a flood does not fill the logs.
      if (times.length === MOST_PER_MINUTE) {
        log.warn(`attention: too many answers from ${name}; they are ignored for a while`)
      }
      return times.length >= MOST_PER_MINUTE
    },
    accept: async (device, requestId, answer) => {
      if (device.revoked_ms !== null) return refuse(device, requestId, 'the device is revoked')
      if (!device.answers) return refuse(device, requestId, 'the device may not answer')
      const by = `device ${device.name}`
      try {
        await ports.answer(requestId, answer, { name: by })
        store.recordDeviceAnswer(device.id, now())
        return undefined
      } catch (thrown) {
        // The daemon was killed after it had accepted the same answer.
        const known = store.find(requestId)
        const isSame = known?.answeredBy === by && isDeepStrictEqual(known.answer, answer)
        return isSame ? undefined : refuse(device, requestId, reasonOf(thrown))
      }
    },
  }
}
