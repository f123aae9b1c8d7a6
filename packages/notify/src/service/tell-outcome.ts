import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import type { Delivery, DeliveryState } from '../outbox/delivery.ts'
import { UNCONFIRMED_POLICY } from '../outbox/unconfirmed-policy.ts'

interface TellPorts {
  say: (message: string) => void
  writeEvent: (type: string, sessionId: string | null, fields: Record<string, unknown>) => void
  redactText: (text: string) => string
}

/** Logs delivery failures, and writes outcomes to the event log. */
export const createOutcomeTeller = ({ say, writeEvent, redactText }: TellPorts) => {
  const writeEnd = (
    delivery: Delivery,
    state: DeliveryState,
    problem: string | undefined,
  ): void => {
    if (state === 'waiting') return
    const { id, channel, kind, attempts, sessionId } = delivery
    const error = problem === undefined ? {} : { error: redactText(problem) }
    writeEvent(`notification.${state}`, sessionId, { id, channel, kind, attempts, ...error })
  }
  return {
    ofSend: (delivery: Delivery, outcome: SendOutcome, state: DeliveryState): void => {
      const { channel } = delivery
      const problem = outcome.state === 'failed' ? outcome.error.message : undefined
      if (problem !== undefined) {
        say(`${channel}: ${problem}${state === 'waiting' ? '; it is tried again' : ''}`)
      }
      if (state === 'skipped' && outcome.state === 'skipped') say(`${channel}: ${outcome.detail}`)
      writeEnd(delivery, state, problem)
    },
    /** For an attempt whose outcome was unknown. */
    ofQuestion: (delivery: Delivery, answer: AskOutcome, state: DeliveryState): void => {
      const problem = problemOf(delivery, answer)
      if (problem !== undefined) say(`${delivery.channel}: ${problem}`)
      writeEnd(delivery, state, state === 'failed' ? (problem ?? NOT_ARRIVED) : undefined)
    },
  }
}

const NOT_ARRIVED = 'it did not arrive'

const problemOf = ({ channel, title }: Delivery, answer: AskOutcome): string | undefined => {
  if (answer.state === 'found' || answer.state === 'missing') return undefined
  const unknown = `whether "${title}" arrived is not known`
  if (answer.state === 'failed') return `${unknown} yet: ${answer.error.message}`
  const { otherwise, because } = UNCONFIRMED_POLICY[channel]
  const decision = otherwise === 'send' ? 'it is sent again' : 'it is not sent again'
  return `${unknown} (${answer.reason}); ${decision}: ${because}`
}
