import { reasonOf } from '@steward/contract'
import { followTopics, pushSettingsOf, type TopicMessage } from '@steward/notify'
import type { AttentionPorts } from '../ports.ts'
import type { RequestStore, StoredDevice } from '../request-store.ts'
import type { AnswerJudge } from './answer-judge.ts'
import { readAnswerToken } from './answer-token.ts'

export interface ReplyTopics {
  /** Follows the topics of the devices that are active now. */
  follow: () => void
  stop: () => void
  fault: () => string | undefined
}

interface ReplyTopicsPorts
  extends Pick<AttentionPorts, 'settings' | 'environment' | 'now' | 'setTimer' | 'fetch' | 'log'> {
  store: RequestStore
  judge: AnswerJudge
  active: () => readonly StoredDevice[]
}

const RETRY_MS = { first: 1000, most: 60_000 }

/** Answers of push buttons, which arrive on the reply topics of the devices. */
export const createReplyTopics = (ports: ReplyTopicsPorts): ReplyTopics => {
  const { store, judge, active, settings, environment, now, setTimer, fetch, log } = ports
  let following: AbortController | undefined
  let cancelRetry = (): void => undefined
  let fault: string | undefined

  const follow = (delayMs: number = RETRY_MS.first): void => {
    following?.abort()
    cancelRetry()
    const topics = active().flatMap(({ reply_topic }) => (reply_topic === '' ? [] : [reply_topic]))
    if (topics.length === 0) {
      fault = undefined
      return
    }
    const controller = new AbortController()
    following = controller
    const token = environment().NTFY_TOKEN
    const server = pushSettingsOf(settings().notifications)?.server ?? 'ntfy.sh'
    // Without a known reply, those of the last minutes: an answer may have come before the start.
    const since = store.lastReply() ?? '10m'
    const place = { server, topics, since, ...(token ? { token } : {}) }
    const takeOne = async (message: TopicMessage): Promise<void> => {
      fault = undefined
      await take(message)
      store.recordReply(message.id)
    }
    const again = (reason: string): void => {
      if (controller.signal.aborted) return
      if (fault !== reason) log.warn(`attention: answers of devices cannot be read: ${reason}`)
      fault = reason
      cancelRetry = setTimer(delayMs, () => follow(Math.min(delayMs * 2, RETRY_MS.most)))
    }
    followTopics(place, takeOne, { fetch, signal: controller.signal }).then(
      () => again('the connection ended'),
      (thrown: unknown) => again(reasonOf(thrown)),
    )
  }

  const judgeReply = async (device: StoredDevice, text: string): Promise<void> => {
    const claims = readAnswerToken(text, (id) => (id === device.id ? device.key : undefined))
    if (claims === undefined) {
      await judge.refuse(device, '', 'its signature is wrong')
      return
    }
    const { requestId, answer, untilMs, nonce } = claims
    if (untilMs <= now()) await judge.refuse(device, requestId, 'it expired')
    else if (store.isTokenUsed(nonce)) {
      await judge.refuse(device, requestId, 'it was used before')
    } else {
      // Used up afterwards: if the daemon is killed in between, the reply comes again, and a
      // request takes only one answer anyway.
      const refused = await judge.accept(device, requestId, answer)
      if (refused === undefined) store.useToken(nonce, untilMs, now())
    }
  }

  const take = async ({ topic, message }: TopicMessage): Promise<void> => {
    const device = store.devices().find(({ reply_topic }) => reply_topic === topic)
    if (device === undefined || judge.isFlooding(device)) return
    try {
      await judgeReply(device, message)
    } catch (thrown) {
      log.error(`attention: an answer could not be judged: ${reasonOf(thrown)}`)
    }
  }

  return {
    follow: () => follow(),
    stop: () => {
      following?.abort()
      cancelRetry()
    },
    fault: () => fault,
  }
}
