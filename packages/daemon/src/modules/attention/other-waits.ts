import { type AttentionEntry, type FlowState, flowState } from '@steward/contract'
import { type Home, readHalts, readStateFile } from '@steward/platform'
import type { HostedCalls } from '../../ports.ts'

const NO_FLOWS: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }

/** Ids of calls of hosted agents. */
const HOSTED = /^hosted:([^:]+):([^:]+)$/

/** The session and call of an entry of a hosted agent. */
export const readHostedId = (id: string): { sessionId: string; callId: string } | undefined => {
  const [, sessionId, callId] = HOSTED.exec(id) ?? []
  return sessionId === undefined || callId === undefined ? undefined : { sessionId, callId }
}

/** Calls of hosted agents that need a permission. */
export const listHostedWaits = async (hosted: HostedCalls): Promise<AttentionEntry[]> =>
  (await hosted.waiting()).map(({ sessionId, name, callId, tool, input, at }) => ({
    id: `hosted:${sessionId}:${callId}`,
    session_id: sessionId,
    session_name: name,
    project: '',
    host: 'hosted',
    reason: 'permission',
    detail: `${tool}: ${input}`,
    since: at,
    answer: {
      where: 'here',
      until: null,
      decides: true,
      questions: [],
      fields: [],
      takesText: false,
    },
  }))

/** Flows that a mistake in their configuration stops, and sessions that observers halted. */
export const listStopped = async (
  home: Pick<Home, 'flowState' | 'root' | 'stateDir'>,
  command: string,
): Promise<AttentionEntry[]> => {
  const [flows, halts] = await Promise.all([
    readStateFile(home.flowState, flowState, NO_FLOWS),
    readHalts(home),
  ])
  const blocked = Object.values(flows.ok ? flows.value.flows : {}).flatMap(
    ({ id, name, enabled, blocked: block }): AttentionEntry[] =>
      block === null || !enabled
        ? []
        : [
            {
              id: `flow:${id}`,
              session_id: '',
              session_name: name,
              project: '',
              host: '',
              reason: 'blocked',
              detail: block.reason,
              since: block.since,
              answer: { where: 'command', command: `${command} trigger ${name}` },
            },
          ],
  )
  const halted = (halts.ok ? halts.value : []).map(
    ({ session_id, reason, at }): AttentionEntry => ({
      id: `halt:${session_id}`,
      session_id,
      session_name: '',
      project: '',
      host: '',
      reason: 'blocked',
      detail: `Observers halted it: ${reason}`,
      since: at,
      answer: { where: 'command', command: `${command} observe lift ${session_id}` },
    }),
  )
  return [...blocked, ...halted]
}
