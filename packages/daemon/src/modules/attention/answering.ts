import {
  type AttentionAnswer,
  type AttentionEntry,
  type AttentionRequest,
  StewardError,
} from '@steward/contract'
import type { appendSecurityEvent } from '@steward/platform'
import type { HostedCalls } from '../../ports.ts'
import type { AttentionList } from './attention-list.ts'
import { explainMisfit } from './check-answer.ts'
import { readHostedId } from './other-waits.ts'
import type { Requests } from './requests.ts'

/** Who answers at this machine. */
export const HERE = { name: 'the owner of the data home' }

export type SecurityDraft = Parameters<typeof appendSecurityEvent>[1]

export interface Answering {
  /** Resolves when the answer is passed on. Throws if it is not accepted. */
  answer: (id: string, given: AttentionAnswer, by?: { name: string }) => Promise<void>
}

interface AnsweringPorts {
  list: Pick<AttentionList, 'list' | 'lookAtOthers' | 'findOther'>
  requests: Pick<Requests, 'answer'>
  hosted: Pick<HostedCalls, 'answer'>
  /** Sends a message to a session that Steward drives; undefined for every other session. */
  senderOf: (sessionId: string) => ((text: string) => Promise<unknown>) | undefined
  record: (draft: SecurityDraft) => Promise<void>
}

/** Passes answers on: to the hook that waits, to a hosted agent, or to a session that Steward drives. */
export const createAnswering = (ports: AnsweringPorts): Answering => {
  const { list, requests, hosted, senderOf, record } = ports

  const recordEntry = (
    entry: Pick<AttentionEntry, 'id' | 'session_id' | 'host' | 'tool' | 'preview'>,
    given: AttentionAnswer,
    by: { name: string },
  ): Promise<void> =>
    record({
      session_id: entry.session_id,
      host: entry.host,
      tool: entry.host === 'hosted' ? 'hosted' : (entry.tool ?? 'message'),
      ...describeVerdict(given, by.name, entry.id),
      target: entry.preview,
    })

  const answerHosted = async (
    call: { sessionId: string; callId: string },
    id: string,
    given: AttentionAnswer,
    by: { name: string },
  ): Promise<void> => {
    const entry = list.findOther(id)
    if (entry?.answer.where !== 'here') throw new StewardError('attention_not_found', { id })
    const reason = explainMisfit(entry.answer, given)
    if (reason !== undefined || !('decision' in given)) {
      const subject = 'the answer'
      throw new StewardError('invalid_input', { subject, reason: reason ?? 'it takes a decision' })
    }
    const { decision, message } = given
    await hosted.answer(call, {
      allow: decision === 'allow',
      ...(message === undefined ? {} : { message }),
    })
    await recordEntry(entry, given, by)
    await list.lookAtOthers()
  }

  return {
    answer: async (id, given, by = HERE) => {
      const call = readHostedId(id)
      if (call !== undefined) return answerHosted(call, id, given, by)
      const entry = (await list.list()).find((each) => each.id === id)
      const place = entry?.answer
      if (place !== undefined && place.where !== 'here') {
        const reason = place.where === 'command' ? `run ${place.command}` : place.hint
        throw new StewardError('attention_elsewhere', { id, reason })
      }
      const send = id.startsWith('session:') && entry ? senderOf(entry.session_id) : undefined
      if (entry === undefined || send === undefined) return requests.answer(id, given, by)
      if (!('text' in given)) {
        const reason = 'it takes a text'
        throw new StewardError('invalid_input', { subject: 'the answer', reason })
      }
      await send(given.text)
      await recordEntry(entry, given, by)
    },
  }
}

/** The row of the security log about an answer to a request of a hook. */
export const draftOfAnswer = (
  request: AttentionRequest,
  answer: AttentionAnswer,
  by: string,
): SecurityDraft => ({
  session_id: request.session_id,
  host: request.host,
  tool: request.tool_name ?? request.reason,
  ...describeVerdict(answer, by, request.id),
  target: request.detail,
})

const describeVerdict = (
  answer: AttentionAnswer,
  by: string,
  id: string,
): Pick<SecurityDraft, 'verdict' | 'rule' | 'reason'> => ({
  verdict: 'decision' in answer && answer.decision === 'deny' ? 'deny' : 'pass',
  rule: 'answer',
  reason: `${describeAnswer(answer)} by ${by} (request ${id})`,
})

const describeAnswer = (answer: AttentionAnswer): string => {
  if ('decision' in answer) {
    if (answer.decision === 'deny') return 'denied'
    return answer.scope === 'always' ? 'allowed always' : 'allowed once'
  }
  return 'choice' in answer ? 'answered with a choice' : 'answered'
}
