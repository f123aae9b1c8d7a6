import type { Connection } from '@steward/platform'
import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { ChannelStates } from './channel-states.ts'
import type { Delivery, DeliveryState } from './delivery.ts'
import { backoffMs, DELIVERY_POLICY } from './delivery-policy.ts'
import { ASK_LATER, FINISH, SEND_AGAIN } from './statements.ts'
import {
  MOST_QUESTIONS,
  OUTCOME_UNKNOWN,
  TAKEN_WITHIN_MS,
  UNCONFIRMED_POLICY,
} from './unconfirmed-policy.ts'

/** A delivery whose last attempt has no known outcome. */
export interface UnconfirmedDelivery {
  delivery: Delivery
  /** Since the attempt started; negative if the clock was set back. */
  elapsedMs: number
}

interface ResolverPorts extends Connection {
  channels: Pick<ChannelStates, 'recordSuccess' | 'recordFailure'>
  now: () => number
  random: () => number
}

/** Decides about a delivery with unknown outcome from the channel's answer. */
export const createUnconfirmedResolver = ({ statement, channels, now, random }: ResolverPorts) => {
  const finish = (id: string, state: DeliveryState, detail: string): DeliveryState => {
    statement(FINISH).run(state, detail, now(), id)
    return state
  }

  const askLater = (
    id: string,
    { waitMs, questions, detail }: { waitMs: number; questions: number; detail: string },
  ): DeliveryState => {
    const next_at = now() + waitMs
    statement(ASK_LATER).run({ id, next_at, detail, questions, now: now() })
    return 'waiting'
  }

  const sendAgain = (delivery: Delivery, detail: string, isRepeat: boolean): DeliveryState => {
    const { id, channel, attempts } = delivery
    if (attempts >= DELIVERY_POLICY[channel].maxAttempts) {
      return finish(id, 'failed', `given up after ${attempts} attempts: ${detail}`)
    }
    statement(SEND_AGAIN).run(now(), detail, isRepeat ? 1 : 0, id)
    return 'waiting'
  }

  const decide = (delivery: Delivery, reason: string): DeliveryState => {
    const { otherwise, because } = UNCONFIRMED_POLICY[delivery.channel]
    if (otherwise === 'send') {
      return sendAgain(delivery, `${OUTCOME_UNKNOWN} (${reason}), sent again: ${because}`, true)
    }
    return finish(delivery.id, 'failed', `${OUTCOME_UNKNOWN}, not sent again: ${because}`)
  }

  return ({ delivery, elapsedMs }: UnconfirmedDelivery, answer: AskOutcome): DeliveryState => {
    const { id, channel } = delivery
    if (answer.state === 'found') {
      channels.recordSuccess(channel)
      return finish(id, 'delivered', answer.detail)
    }
    if (answer.state === 'missing') {
      const waitMs = Math.min(TAKEN_WITHIN_MS - elapsedMs, TAKEN_WITHIN_MS)
      if (waitMs <= 0) return sendAgain(delivery, 'an attempt before did not arrive', false)
      const detail = 'an attempt was interrupted and may still arrive; checking again later'
      return askLater(id, { waitMs, questions: delivery.questions, detail })
    }
    if (answer.state === 'unaskable') return decide(delivery, answer.reason)
    const { error, retryAfterMs = 0 } = answer
    channels.recordFailure(channel, error, retryAfterMs)
    const questions = delivery.questions + 1
    if (questions >= MOST_QUESTIONS) return decide(delivery, error.message)
    const waitMs = Math.max(backoffMs(questions, random()), retryAfterMs)
    const detail = `whether it arrived is not known yet: ${error.message}`
    return askLater(id, { waitMs, questions, detail })
  }
}
