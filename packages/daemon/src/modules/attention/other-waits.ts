import { join } from 'node:path'
import {
  type AttentionEntry,
  type FlowState,
  flowState,
  OBSERVER_VERDICTS_FILE,
  observerVerdict,
} from '@steward/contract'
import { type Home, readHalts, readStateFile, readTail } from '@steward/platform'
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

const VERDICT_ROWS = 200
/** Escalations of sessions that are over would otherwise stay. */
const ESCALATED_MS = 3_600_000

/** Sessions whose latest verdict of the last hour is an escalation. */
export const listEscalations = async (
  home: Pick<Home, 'root'>,
  command: string,
  nowMs: number,
): Promise<AttentionEntry[]> => {
  const { rows } = await readTail(join(home.root, OBSERVER_VERDICTS_FILE), { rows: VERDICT_ROWS })
  const verdicts = rows.flatMap(({ row }) => observerVerdict.safeParse(row).data ?? [])
  const latest = new Map(verdicts.map((verdict) => [verdict.session_id, verdict]))
  return [...latest.values()]
    .filter(({ escalated, decision }) => escalated && decision !== 'halt')
    .filter(({ timestamp }) => Date.parse(timestamp) > nowMs - ESCALATED_MS)
    .map(({ session_id, reason, timestamp }) => ({
      id: `escalation:${session_id}:${Date.parse(timestamp)}`,
      session_id,
      session_name: '',
      project: '',
      host: '',
      reason: 'blocked',
      detail: `Observers escalated it: ${reason}`,
      since: timestamp,
      answer: { where: 'command', command: `${command} observe --session ${session_id} --once` },
    }))
}

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
